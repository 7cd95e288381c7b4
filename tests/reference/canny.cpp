// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <queue>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// One number a pixel; outside, the nearest one or `beyond`.
struct Grid {
  int width, height;
  std::vector<double> values;

  double& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  double clamped(int x, int y) const {
    x = std::clamp(x, 0, width - 1), y = std::clamp(y, 0, height - 1);
    return values[static_cast<std::size_t>(y) * width + x];
  }
  double or_zero(int x, int y) const {
    return x < 0 || y < 0 || x >= width || y >= height ? 0.0 : clamped(x, y);
  }
};

/// What is searched, in units of 1/255. Codes of 255 are whole numbers, whatever double makes of
/// them, because ties between them decide.
double searched(const Color& c, int channel) {
  const double value = channel == 0   ? c[1] + (0.2126 * (c[0] - c[1]) + 0.0722 * (c[2] - c[1]))
                       : channel == 4 ? std::max({c[0], c[1], c[2]})
                                      : c[channel - 1];
  const double scaled = 255.0 * value;
  return std::abs(scaled - std::round(scaled)) < 1e-9 ? std::round(scaled) : scaled;
}

Grid blurred(const Grid& in, double sigma, int dx, int dy) {
  if (sigma == 0.0) return in;
  const int radius = static_cast<int>(std::ceil(9.0 * sigma));
  double total = 0.0;
  for (int d = -radius; d <= radius; ++d) total += std::exp(-0.5 * d * d / (sigma * sigma));
  Grid out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      double sum = 0.0;
      for (int d = -radius; d <= radius; ++d)
        sum +=
            std::exp(-0.5 * d * d / (sigma * sigma)) / total * in.clamped(x + d * dx, y + d * dy);
      out.at(x, y) = sum;
    }
  return out;
}

Picture apply(const Picture& in, const Values& values) {
  const double low = number(values[1]), high = number(values[2]);
  const bool l1 = number(values[3]) == 1.0, invert = number(values[5]) == 1.0;
  const Picture encoded = recoded(in, Coding::srgb);
  Grid grid{in.width, in.height, {}};
  for (const Color& color : encoded.pixels)
    grid.values.push_back(searched(color, static_cast<int>(number(values[4]))));
  grid = blurred(blurred(grid, number(values[0]), 1, 0), number(values[0]), 0, 1);

  Grid gx = grid, gy = grid, size = grid;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const auto v = [&](int dx, int dy) { return grid.clamped(x + dx, y + dy); };
      const double right = v(1, -1) + 2 * v(1, 0) + v(1, 1);
      const double left = v(-1, -1) + 2 * v(-1, 0) + v(-1, 1);
      const double below = v(-1, 1) + 2 * v(0, 1) + v(1, 1);
      const double above = v(-1, -1) + 2 * v(0, -1) + v(1, -1);
      const double h = gx.at(x, y) = right - left, w = gy.at(x, y) = below - above;
      size.at(x, y) = l1 ? std::abs(h) + std::abs(w) : h * h + w * w;
    }

  Grid found = size;
  std::queue<std::pair<int, int>> strong;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const double m = size.at(x, y), h = gx.at(x, y), w = gy.at(x, y);
      const double slope = std::abs(w) / std::abs(h);
      bool peak = false;
      if (slope < 13573.0 / 32768.0)
        peak = m > size.or_zero(x - 1, y) && m >= size.or_zero(x + 1, y);
      else if (slope > 79109.0 / 32768.0)
        peak = m > size.or_zero(x, y - 1) && m >= size.or_zero(x, y + 1);
      else if ((h < 0) == (w < 0))
        peak = m > size.or_zero(x - 1, y - 1) && m > size.or_zero(x + 1, y + 1);
      else
        peak = m > size.or_zero(x + 1, y - 1) && m > size.or_zero(x - 1, y + 1);
      const auto above = [&](double t) { return m > (l1 ? t : t * t); };
      found.at(x, y) = peak && above(low) ? 1 : 0;
      if (peak && above(high)) strong.push({x, y});
    }

  Grid connected{in.width, in.height, std::vector<double>(grid.values.size())};
  while (!strong.empty()) {
    const auto [x, y] = strong.front();
    strong.pop();
    if (connected.at(x, y) == 1.0) continue;
    connected.at(x, y) = 1.0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (found.or_zero(x + dx, y + dy) == 1.0 && connected.or_zero(x + dx, y + dy) == 0.0)
          strong.push({x + dx, y + dy});
  }
  Picture out = encoded;
  for (std::size_t i = 0; i < out.pixels.size(); ++i)
    for (int c = 0; c < 3; ++c)
      out.pixels[i][c] = invert ? 1.0 - connected.values[i] : connected.values[i];
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_canny{"canny",
                                       apply,
                                       {{0.0, 100.0, 350.0, 0.0, 0.0, 0.0},
                                        {0.0, 150.0, 500.0, 1.0, 4.0, 0.0},
                                        {1.4, 30.0, 90.0, 0.0, 0.0, 1.0},
                                        {0.7, 60.0, 160.5, 1.0, 2.0, 0.0}},
                                       [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
