// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// How much each of `count` pixels in a row weighs around one of them, with all those beyond the
/// ends, which are these again.
std::vector<double> weights(int count, int at, double radius) {
  std::vector<double> sums(count);
  const int reach = static_cast<int>(radius);
  for (int d = -reach; d <= reach; ++d)
    sums[std::clamp(at + d, 0, count - 1)] += std::exp(-0.5 * d * d / radius);
  return sums;
}

/// `guide`'s first pixel lies at (dx, dy) of the picture.
Picture filtered(const Picture& in, const Values& values, const Picture& guide, int dx, int dy) {
  const double radius = number(values[0]), max_delta = number(values[1]);
  const int reach = static_cast<int>(radius);
  const Picture before = recoded(in, Coding::srgb), deltas = recoded(guide, Coding::srgb);
  Picture out = before;
  // What lies beyond the ends of the two pictures is not the same pixels again: then each counts.
  const bool is_own = &in == &guide;
  std::vector<std::vector<double>> columns;
  for (int x = 0; x < in.width; ++x) columns.push_back(weights(in.width, x, radius));
  for (int y = 0; y < in.height; ++y) {
    const std::vector<double> rows = weights(in.height, y, radius);
    for (int x = 0; x < in.width; ++x) {
      const Color own = sample(deltas, x - dx, y - dy, Border::clamp);
      Color sum{}, weight{};
      const auto add = [&](int column, int row, double w) {
        const Color p = sample(before, column, row, Border::clamp),
                    d = sample(deltas, column - dx, row - dy, Border::clamp);
        w *= p[3];
        for (int c = 0; c < 3; ++c) {
          // GEGL computes it of floats: what differs by just as much takes part or not by that.
          const float difference = static_cast<float>(own[c]) - static_cast<float>(d[c]);
          if (difference > max_delta || difference < -max_delta) continue;
          sum[c] += w * p[c];
          weight[c] += w;
        }
      };
      if (is_own)
        for (int row = 0; row < in.height; ++row)
          for (int column = 0; column < in.width; ++column)
            add(column, row, columns[x][column] * rows[row]);
      else
        for (int v = -reach; v <= reach; ++v)
          for (int u = -reach; u <= reach; ++u)
            add(x + u, y + v, std::exp(-0.5 * (u * u + v * v) / radius));
      for (int c = 0; c < 3; ++c)
        if (weight[c] != 0.0) out.at(x, y)[c] = sum[c] / weight[c];
    }
  }
  return recoded(out, in.coding);
}

Picture apply(const Picture& in, const Values& values) { return filtered(in, values, in, 0, 0); }

/// Colors of a few levels with a little noise, in whatever light, whose differences are none of the
/// examples' limits but for rounding.
Picture with_levels(int width, int height, unsigned seed) {
  constexpr double levels[] = {0.05, 0.3, 0.62, 0.9};
  std::mt19937 random{seed};
  Picture picture;
  picture.width = width, picture.height = height;
  for (int i = 0; i < width * height; ++i) {
    Color color{};
    for (int c = 0; c < 3; ++c)
      color[c] = levels[random() % 4] + (random() % 1000 / 999.0 - 0.5) / 50.0;
    color[3] = std::clamp(random() % 1000 / 800.0 - 0.1, 0.0, 1.0);
    picture.pixels.push_back(color);
  }
  return picture;
}

}  // namespace

extern const Reference reference_selective_blur{
    "selective-blur",
    apply,
    {{5.0, 0.20013}, {1.0, 1.0}, {8.7, 0.45}, {2.5, 0.1001}, {3.0, 0.0}},
    [](const Values&) { return 2e-5; },
    nullptr,
    with_levels,
    filtered};

}  // namespace cuda_filters::reference
