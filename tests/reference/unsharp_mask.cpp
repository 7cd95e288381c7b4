// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const double scale = number(values[1]), threshold = number(values[2]);
  const Reference& gaussian = *find("gaussian-blur");
  const Picture linear = recoded(in, Coding::linear);
  const Picture blurred = gaussian.apply(linear, {values[0], values[0], values[3]});
  Picture out = linear;
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    if (linear.pixels[i][3] < least_alpha || blurred.pixels[i][3] < least_alpha) continue;
    for (int c = 0; c < 3; ++c) {
      const double difference = linear.pixels[i][c] - blurred.pixels[i][c];
      if (std::abs(difference) > threshold) out.pixels[i][c] += scale * difference;
    }
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_unsharp_mask{
    "unsharp-mask",
    apply,
    {{3.0, 0.5, 0.0, 0.0}, {0.7, 2.0, 0.031, 1.0}, {12.0, 1.0, 0.0, 2.0}, {5.0, 0.4, 0.11, 4.0}},
    [](const Values& values) { return number(values[0]) <= 10.0 ? 5e-6 : 1e-4; },
    [](const Values& values) { return 1.0 + 2.0 * number(values[1]); }};

}  // namespace cuda_filters::reference
