// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Sums of rectangles, by those of all rectangles that begin in the corner.
class SummedArea {
 public:
  SummedArea(int width, int height)
      : stride_{width + 1}, sums_(std::size_t(width + 1) * (height + 1)) {}
  template <class F>
  void fill(F value) {
    const int height = static_cast<int>(sums_.size()) / stride_ - 1;
    for (int y = 0; y < height; ++y) {
      double row = 0.0;
      for (int x = 0; x + 1 < stride_; ++x) {
        row += value(x, y);
        at(x + 1, y + 1) = at(x + 1, y) + row;
      }
    }
  }
  double sum(int x, int y, int side) {
    return at(x + side, y + side) - at(x, y + side) - at(x + side, y) + at(x, y);
  }

 private:
  double& at(int x, int y) { return sums_[std::size_t(y) * stride_ + x]; }
  int stride_;
  std::vector<double> sums_;
};

Picture apply(const Picture& in, const Values& values) {
  const double strength = number(values[0]), noise = number(values[1]), luma = number(values[4]),
               chroma = number(values[5]);
  const int patch = static_cast<int>(number(values[2])),
            search = static_cast<int>(number(values[3]));
  const auto border = static_cast<Border>(number(values[6]));
  // Only what is equal counts.
  if (strength == 0.0 && noise == 0.0) return in;
  const Picture before = recoded(in, Coding::srgb);
  Picture out = before;
  const int margin = patch + search, side = 2 * patch + 1;
  const int wide = in.width + 2 * margin;
  std::vector<Color> around;
  for (int y = -margin; y < in.height + margin; ++y)
    for (int x = -margin; x < in.width + margin; ++x)
      around.push_back(sample(before, x, y, border));
  const auto pixel = [&](int x, int y) -> const Color& {
    return around[std::size_t(y + margin) * wide + (x + margin)];
  };
  std::vector<std::array<double, 4>> totals(before.pixels.size());  // sums of colors and weights
  SummedArea differences{in.width + 2 * patch, in.height + 2 * patch};
  for (int dy = -search; dy <= search; ++dy)
    for (int dx = -search; dx <= search; ++dx) {
      differences.fill([&](int x, int y) {
        const Color &p = pixel(x - patch, y - patch), &q = pixel(x - patch + dx, y - patch + dy);
        double sum = 0.0;
        for (int c = 0; c < 3; ++c) sum += (p[c] - q[c]) * (p[c] - q[c]);
        return sum;
      });
      for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) {
          const double distance = differences.sum(x, y, side) / (3.0 * side * side);
          const double more = std::max(distance - 2.0 * noise * noise, 0.0);
          const double weight = std::exp(-more / (strength * strength));
          if (!(weight > 0.0)) continue;
          auto& total = totals[std::size_t(y) * in.width + x];
          for (int c = 0; c < 3; ++c) total[c] += weight * pixel(x + dx, y + dy)[c];
          total[3] += weight;
        }
    }
  constexpr double kr = 0.2126, kb = 0.0722, kg = 1.0 - kr - kb;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    Color& color = out.pixels[i];
    const auto split = [&](double r, double g, double b) {
      const double y = kr * r + kg * g + kb * b;
      return std::array{y, (b - y) / (2.0 - 2.0 * kb), (r - y) / (2.0 - 2.0 * kr)};
    };
    const auto was = split(color[0], color[1], color[2]);
    auto ycc = split(totals[i][0] / totals[i][3], totals[i][1] / totals[i][3],
                     totals[i][2] / totals[i][3]);
    for (int c = 0; c < 3; ++c) ycc[c] = was[c] + (c == 0 ? luma : chroma) * (ycc[c] - was[c]);
    color[0] = ycc[0] + (2.0 - 2.0 * kr) * ycc[2];
    color[2] = ycc[0] + (2.0 - 2.0 * kb) * ycc[1];
    color[1] = (ycc[0] - kr * color[0] - kb * color[2]) / kg;
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_non_local_means{
    "non-local-means",
    apply,
    {{0.08, 0.0, 2.0, 10.0, 1.0, 1.0, 0.0},
     {0.3, 0.1, 1.0, 5.0, 0.6, 1.0, 1.0},
     {0.5, 0.0, 3.0, 4.0, 1.0, 0.3, 2.0},
     {0.2, 0.3, 0.0, 7.0, 0.0, 1.0, 3.0},
     {0.4, 0.05, 4.0, 3.0, 1.0, 1.0, 4.0}},
    [](const Values&) { return 1e-4; },
    // What is taken off the differences is much larger than what is left of them.
    [](const Values& values) {
      const double strength = number(values[0]), noise = number(values[1]);
      if (noise == 0.0) return 1.0;
      if (strength == 0.0) return std::numeric_limits<double>::infinity();
      return std::max(1.0, noise * noise / (strength * strength) / 100.0);
    }};

}  // namespace cuda_filters::reference
