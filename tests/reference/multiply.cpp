// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool perceptual = number(values[2]) == 1.0;
  Picture out = recoded(in, perceptual ? Coding::srgb : Coding::linear);
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c) {
      color[c] *= number(values[0]);
      if (number(values[1]) == 1.0) color[c] = std::clamp(color[c], 0.0, 1.0);
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_multiply{
    "multiply",
    apply,
    {{1.0, 0.0, 0.0}, {1.7, 0.0, 0.0}, {2.5, 1.0, 1.0}, {0.0, 0.0, 0.0}},
    [](const Values&) { return 1e-6; },
    [](const Values& values) { return std::max(1.0, number(values[0])); }};

}  // namespace cuda_filters::reference
