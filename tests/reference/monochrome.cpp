// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool perceptual = number(values[3]) == 1.0;
  Picture out = recoded(in, perceptual ? Coding::srgb : Coding::linear);
  for (Color& color : out.pixels) {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) sum += number(values[c]) * color[c];
    color = {sum, sum, sum, color[3]};
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_monochrome{
    "monochrome",
    apply,
    {{0.3, 0.59, 0.11, 0.0}, {1.4, -0.6, 0.2, 0.0}, {0.0, 1.0, 0.0, 1.0}, {0.2, 0.5, 0.3, 1.0}},
    [](const Values&) { return 2e-6; },
    [](const Values& values) {
      double sizes = 0.0;
      for (int c = 0; c < 3; ++c) sizes += std::abs(number(values[c]));
      return std::max(1.0, sizes);
    }};

}  // namespace cuda_filters::reference
