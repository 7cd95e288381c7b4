// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture mean_along(const Picture& in, int radius, int dx, int dy, Border border) {
  Picture out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      Color sum{};
      for (int d = -radius; d <= radius; ++d) {
        const Color color = sample(in, x + d * dx, y + d * dy, border);
        for (int c = 0; c < 4; ++c) sum[c] += color[c] / (2 * radius + 1);
      }
      out.at(x, y) = sum;
    }
  return out;
}

Picture apply(const Picture& in, const Values& values) {
  const auto border = static_cast<Border>(number(values[2]));
  const Picture straight = recoded(in, Coding::linear);
  Picture work = premultiplied(straight);
  work = mean_along(work, static_cast<int>(number(values[0])), 1, 0, border);
  work = mean_along(work, static_cast<int>(number(values[1])), 0, 1, border);
  return recoded(unpremultiplied(work, straight), in.coding);
}

}  // namespace

extern const Reference reference_box_blur{
    "box-blur",
    apply,
    {{4.0, 4.0, 0.0}, {1.0, 15.0, 1.0}, {16.0, 0.0, 2.0}, {2.0, 37.0, 3.0}, {300.0, 141.0, 4.0}},
    [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
