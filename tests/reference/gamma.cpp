// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const double exponent = 1.0 / number(values[0]);
  const bool perceptual = number(values[1]) == 1.0;
  Picture out = recoded(in, perceptual ? Coding::srgb : Coding::linear);
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c) {
      const double power = std::pow(std::abs(color[c]), exponent);
      color[c] = color[c] < 0.0 ? -power : power;
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_gamma{
    "gamma",
    apply,
    {{1.0, 0.0}, {2.2, 0.0}, {0.45, 0.0}, {1.3, 1.0}, {0.2, 1.0}},
    [](const Values&) { return 2e-6; },
    [](const Values& values) { return 1.0 + 1.0 / number(values[0]); }};

}  // namespace cuda_filters::reference
