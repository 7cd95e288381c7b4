// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const Reference& gaussian = *find("gaussian-blur");
  const Picture linear = recoded(in, Coding::linear);
  const Picture first = gaussian.apply(linear, {values[0], values[0], values[4]});
  const Picture second = gaussian.apply(linear, {values[1], values[1], values[4]});
  Picture out = linear;
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    if (linear.pixels[i][3] < least_alpha) continue;
    for (int c = 0; c < 3; ++c)
      out.pixels[i][c] =
          number(values[3]) + number(values[2]) * (first.pixels[i][c] - second.pixels[i][c]);
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_difference_of_gaussians{
    "difference-of-gaussians",
    apply,
    {{1.0, 2.0, 1.0, 0.0, 0.0},
     {0.5, 3.0, 4.0, 0.5, 1.0},
     {12.0, 2.0, 2.0, 0.25, 2.0},
     {0.0, 1.5, 1.0, 0.5, 4.0},
     {2.0, 5.0, 1.0, -0.1, 3.0}},
    [](const Values& values) {
      return std::max(number(values[0]), number(values[1])) <= 10.0 ? 1e-5 : 2e-4;
    },
    [](const Values& values) { return 1.0 + 2.0 * number(values[2]); }};

}  // namespace cuda_filters::reference
