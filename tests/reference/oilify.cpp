// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// What is not a number is none.
double clamped(double value) { return value > 0.0 ? std::min(value, 1.0) : 0.0; }

/// The luminance of sRGB's colors, adapted to D50, of which a gray one has exactly its value.
double luminance(const Color& color) {
  const auto finite = [](double value) {
    return std::isnan(value) ? -1e18 : std::clamp(value, -1e18, 1e18);
  };
  const double red = finite(color[0]), green = finite(color[1]), blue = finite(color[2]);
  return green + 0.22248840 * (red - green) + 0.06060791 * (blue - green);
}

struct Bin {
  int count = 0;
  Color sum{};
};

/// (count / the largest count)^exponent of each bin.
std::vector<double> weights(const std::vector<Bin>& bins, double exponent) {
  int largest = 1;
  for (const Bin& bin : bins) largest = std::max(largest, bin.count);
  std::vector<double> weights;
  for (const Bin& bin : bins)
    weights.push_back(std::pow(static_cast<double>(bin.count) / largest, exponent));
  return weights;
}

Picture apply(const Picture& in, const Values& values) {
  const int radius = static_cast<int>(number(values[0])), last = int(number(values[2])) - 1;
  const double exponent = number(values[1]);
  const bool by_luminance = number(values[3]) != 0.0;
  const auto border = static_cast<Border>(number(values[4]));
  const Picture before = recoded(in, Coding::linear);
  Picture out = before;
  const auto bin_of = [&](double value) { return static_cast<int>(clamped(value) * last); };
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      std::vector<Bin> bins[4];
      for (auto& each : bins) each.resize(last + 1);
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
          if (dx * dx + dy * dy > radius * radius) continue;
          const Color color = sample(before, x + dx, y + dy, border);
          if (by_luminance) {
            Bin& bin = bins[0][bin_of(luminance(color))];
            ++bin.count;
            for (int c = 0; c < 4; ++c) bin.sum[c] += clamped(color[c]);
          } else {
            for (int c = 0; c < 4; ++c) ++bins[c][bin_of(color[c])].count;
          }
        }
      for (int c = 0; c < 4; ++c) {
        const auto& used = bins[by_luminance ? 0 : c];
        const auto weight = weights(used, exponent);
        double sum = 0.0, all = 0.0;
        for (int i = 0; i <= last; ++i) {
          if (used[i].count == 0) continue;
          all += weight[i];
          sum += weight[i] * (by_luminance ? used[i].sum[c] / used[i].count : i / double(last));
        }
        out.at(x, y)[c] = sum / all;
      }
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_oilify{"oilify",
                                        apply,
                                        {{4.0, 8.0, 128.0, 1.0, 0.0},
                                         {3.0, 1.0, 8.0, 0.0, 1.0},
                                         {11.0, 20.0, 256.0, 1.0, 4.0},
                                         {6.0, 5.0, 98.0, 0.0, 2.0},
                                         {2.0, 3.0, 31.0, 1.0, 3.0}},
                                        [](const Values&) { return 2e-6; },
                                        nullptr,
                                        nullptr,
                                        nullptr,
                                        true};

}  // namespace cuda_filters::reference
