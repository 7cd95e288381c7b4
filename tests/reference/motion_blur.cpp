// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// The picture between the centers of its pixels.
Color interpolated(const Picture& picture, double x, double y, Border border) {
  const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  const double right_share = x - left, bottom_share = y - top;
  const Color corners[2][2] = {
      {sample(picture, left, top, border), sample(picture, left + 1, top, border)},
      {sample(picture, left, top + 1, border), sample(picture, left + 1, top + 1, border)}};
  Color color;
  for (int c = 0; c < 4; ++c) {
    const auto along = [&](int row) {
      return corners[row][0][c] * (1.0 - right_share) + corners[row][1][c] * right_share;
    };
    color[c] = along(0) * (1.0 - bottom_share) + along(1) * bottom_share;
  }
  return color;
}

/// The mean along the path of the pixel at (x, y).
Color mean(const Picture& picture, const Values& values, int x, int y) {
  const int kind = static_cast<int>(number(values[0]));
  const auto border = static_cast<Border>(number(values[6]));
  const double turn = number(values[2]) * std::numbers::pi / 180.0, factor = number(values[3]);
  const double center_x = number(values[4]) * picture.width - 0.5,
               center_y = number(values[5]) * picture.height - 0.5;
  const double right = x - center_x, down = y - center_y, distance = std::hypot(right, down);
  const double length = kind == 0   ? number(values[1])
                        : kind == 1 ? factor * distance
                                    : std::abs(turn) * distance;
  const int samples = std::clamp(static_cast<int>(std::ceil(16.0 * length)), 32, 8192);
  Color sum{};
  for (int i = 0; i < samples; ++i) {
    const double share = (i + 0.5) / samples;
    double at_x, at_y;
    if (kind == 0) {
      at_x = x + length * (share - 0.5) * std::cos(turn);
      at_y = y - length * (share - 0.5) * std::sin(turn);
    } else if (kind == 1) {
      at_x = center_x + right * (1.0 - factor * share);
      at_y = center_y + down * (1.0 - factor * share);
    } else {
      const double angle = turn * (share - 0.5);
      at_x = center_x + right * std::cos(angle) + down * std::sin(angle);
      at_y = center_y + down * std::cos(angle) - right * std::sin(angle);
    }
    const Color color = interpolated(picture, at_x, at_y, border);
    for (int c = 0; c < 4; ++c) sum[c] += color[c] / samples;
  }
  return sum;
}

Picture apply(const Picture& in, const Values& values) {
  const Picture straight = recoded(in, Coding::linear);
  const Picture work = premultiplied(straight);
  Picture out = work;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) out.at(x, y) = mean(work, values, x, y);
  return recoded(unpremultiplied(out, straight), in.coding);
}

}  // namespace

extern const Reference reference_motion_blur{"motion-blur",
                                             apply,
                                             {{0.0, 20.0, 0.0, 0.1, 0.5, 0.5, 0.0},
                                              {0.0, 7.5, 30.0, 0.1, 0.5, 0.5, 1.0},
                                              {0.0, 33.0, -105.0, 0.1, 0.5, 0.5, 2.0},
                                              {0.0, 0.7, 90.0, 0.1, 0.5, 0.5, 4.0},
                                              {0.0, 60.0, 0.0, 0.1, 0.5, 0.5, 1.0},
                                              {0.0, 150.0, 25.0, 0.1, 0.5, 0.5, 0.0},
                                              {0.0, 170.0, -115.0, 0.1, 0.5, 0.5, 2.0},
                                              {1.0, 20.0, 0.0, 0.4, 0.3, 0.6, 0.0},
                                              {1.0, 20.0, 0.0, 0.1, 1.5, -0.5, 3.0},
                                              {2.0, 20.0, 25.0, 0.1, 0.5, 0.5, 4.0},
                                              {2.0, 20.0, -8.0, 0.1, -0.2, 0.7, 1.0}},
                                             [](const Values&) { return 2e-3; }};

}  // namespace cuda_filters::reference
