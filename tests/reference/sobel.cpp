// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const int output = static_cast<int>(number(values[0])),
            sign = static_cast<int>(number(values[1]));
  const double scale = number(values[2]);
  const Border border{static_cast<int>(number(values[3]))};
  const Picture encoded = recoded(in, Coding::srgb);
  Picture out = encoded;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 3; ++c) {
        double gx = 0.0, gy = 0.0;
        for (int d = -1; d <= 1; ++d) {
          const double weight = d == 0 ? 2.0 : 1.0;
          gx += weight * (sample(encoded, x + 1, y + d, border)[c] -
                          sample(encoded, x - 1, y + d, border)[c]);
          gy += weight * (sample(encoded, x + d, y + 1, border)[c] -
                          sample(encoded, x + d, y - 1, border)[c]);
        }
        double v = output == 1 ? gx : output == 2 ? gy : std::hypot(gx, gy);
        v *= scale;
        if (output == 3) {
          // What is no more than rounding has no direction.
          if (std::abs(gx) < 1e-6) gx = 0.0;
          if (std::abs(gy) < 1e-6) gy = 0.0;
          v = std::atan2(gy, gx) / (2.0 * std::numbers::pi) + 0.5;
        } else if (sign == 0) {
          v = std::abs(v);
        } else if (sign == 1) {
          v = std::clamp(v, 0.0, 1.0);
        } else if (sign == 2) {
          v = 0.5 + v / 2.0;
        }
        out.at(x, y)[c] = v;
      }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_sobel{
    "sobel",
    apply,
    {{0.0, 0.0, 1.0, 0.0}, {1.0, 2.0, 0.5, 1.0}, {2.0, 3.0, 2.0, 2.0}, {3.0, 0.0, 1.0, 3.0}},
    [](const Values&) { return 2e-6; },
    [](const Values& values) { return std::max(5.0, 8.0 * number(values[2])); }};

}  // namespace cuda_filters::reference
