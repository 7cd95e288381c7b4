// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gpu/algorithms/bilateral/grid.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The bilateral filter (Aurich and Weule 1995, Tomasi and Manduchi 1998): means over a disc whose
/// weights fall with the distance of the pixels and with that of their values.
///
/// Rows of the disc are summed up by themselves: within one, a weight is 2 to the power of
/// `exponents[|dx|] - range · d²`, and the row counts `weights[|dy|]` times.
namespace cuda_filters::bilateral {

/// What d is: the Euclidean distance of two colors, the difference of their luminance, or that of
/// each channel by itself.
enum class Guide { color, luminance, channels };

/// Colors whose weights are less together keep their own: none of them is near.
inline constexpr float least_weight = 1e-30f;

/// A disc and its weights, where an executor finds them.
struct Window {
  const float* exponents;  ///< logarithms to the base of 2, by the distance of the columns
  const float* weights;    ///< by the distance of the rows
  const int* ends;         ///< how far each row reaches
  int radius;
  float range;  ///< log₂(e) / 2ρ²
};

struct BilateralSettings {
  Guide guide;
  int radius;
  float range;
  std::vector<float> exponents, weights;
  std::vector<int> ends;
  double samples;  ///< how many pixels the disc has
  GridPlan grid;   ///< if there is one

  /// `std_dev` is above 0.
  BilateralSettings(double std_dev, double range_std_dev, Guide which) : guide{which} {
    constexpr double largest = 0x1.fffffep127;
    radius = static_cast<int>(std::ceil(3.0 * std_dev));
    // Of a standard deviation of 0, just what does not differ at all counts.
    range = static_cast<float>(
        std::min(largest, 0.5 * std::numbers::log2e / (range_std_dev * range_std_dev)));
    samples = 0.0;
    for (int d = 0; d <= radius; ++d) {
      const double exponent =
          std::max(-largest, -0.5 * std::numbers::log2e * d * d / (std_dev * std_dev));
      exponents.push_back(static_cast<float>(exponent));
      weights.push_back(static_cast<float>(std::exp2(exponent)));
      int end = static_cast<int>(std::sqrt(static_cast<double>(radius) * radius - d * d));
      while ((end + 1) * (end + 1) + d * d <= radius * radius) ++end;
      ends.push_back(end);
      samples += (2.0 * end + 1.0) * (d == 0 ? 1.0 : 2.0);
    }
    if (which != Guide::color) grid = {std_dev, range_std_dev};
    if (grid && grid.cost(sums()) >= disc_cost()) grid = {};
  }
  /// As Plan::cost, of the sum over the disc.
  double disc_cost() const { return 10.0 + (guide == Guide::channels ? 1.2 : 0.6) * samples; }
  /// How many sums a grid has of each pixel.
  int sums() const { return guide == Guide::channels ? 8 : 5; }
  /// Whether an image of that area goes by the grid.
  bool uses_grid(Rect image) const {
    return grid && grid.pays({image.width, image.height}, disc_cost(), sums());
  }
};

/// Around a pixel, as a function for neighborhood(), of a picture alone or of it and its guide.
/// Differences are summed up, not values: what is flat keeps its bits.
template <Guide kind>
struct Mean : Window {
  template <class Around>
  HOST_DEVICE Pixel operator()(const Around& around) const {
    return of<true>(around, around);
  }
  template <class Around, class OfGuide>
  HOST_DEVICE Pixel operator()(const Around& around, const OfGuide& guide) const {
    return of<false>(around, guide);
  }

 private:
  template <bool alone, class Around, class OfGuide>
  HOST_DEVICE Pixel of(const Around& around, const OfGuide& guide) const {
    const Pixel was = around(0, 0), own = guide(0, 0);
    Pixel sums{}, all{};
    for (int dy = -radius; dy <= radius; ++dy) {
      const int distance = dy < 0 ? -dy : dy, end = ends[distance];
      Pixel row_sums{}, row_all{};
      for (int dx = -end; dx <= end; ++dx) {
        const Pixel p = around(dx, dy);
        const Pixel other = alone ? p : guide(dx, dy);
        const Pixel w = near(own, other, exponents[dx < 0 ? -dx : dx]);
        const Pixel weight{w.r * p.a, w.g * p.a, w.b * p.a, w.a};
        row_sums.r += weight.r * (p.r - was.r);
        row_sums.g += weight.g * (p.g - was.g);
        row_sums.b += weight.b * (p.b - was.b);
        row_sums.a += weight.a * p.a;
        row_all = row_all + weight;
      }
      sums = sums + row_sums * weights[distance];
      all = all + row_all * weights[distance];
    }
    return {moved(was.r, sums.r, all.r), moved(was.g, sums.g, all.g), moved(was.b, sums.b, all.b),
            all.a > 0.0f ? quotient(sums.a, all.a) : was.a};
  }

  /// How much a pixel counts for each channel, but for alpha.
  HOST_DEVICE Pixel near(const Pixel& own, const Pixel& other, float exponent) const {
    const auto power = [&](float squared) { return power_of_2(exponent - range * squared); };
    const Pixel d = other - own;
    if constexpr (kind == Guide::channels) {
      return {power(d.r * d.r), power(d.g * d.g), power(d.b * d.b), power(d.a * d.a)};
    } else {
      const float y = luminance(other) - luminance(own);
      const float w = power(kind == Guide::luminance ? y * y : d.r * d.r + d.g * d.g + d.b * d.b);
      return {w, w, w, w};
    }
  }
  HOST_DEVICE static float moved(float was, float sum, float weight) {
    return weight > least_weight ? was + quotient(sum, weight) : was;
  }
};

}  // namespace cuda_filters::bilateral
