// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool in_linear_light = number(values[0]) == 1.0;
  Picture out = recoded(in, in_linear_light ? Coding::linear : Coding::srgb);
  double means[3] = {}, visible = 0.0;
  for (const Color& color : out.pixels) {
    if (color[3] <= 0.0) continue;
    for (int c = 0; c < 3; ++c) means[c] += color[c];
    ++visible;
  }
  if (visible == 0.0) return in;
  for (double& mean : means) mean /= visible;
  const double wanted = (means[0] + means[1] + means[2]) / 3.0;
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c)
      color[c] = means[c] < 0.05 / 255.0 ? color[c] + wanted : color[c] * wanted / means[c];
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_gray_world{
    "gray-world", apply, {{0.0}, {1.0}}, [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
