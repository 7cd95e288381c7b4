// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
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
  /// Of so many pixels below each other the discs are nearly the same: each pixel is read once for
  /// all of them.
  static constexpr int rows_at_once = 4;

  template <class Around, class... OfGuide>
  HOST_DEVICE Pixel operator()(const Around& around, const OfGuide&... guide) const {
    Pixel result[1];
    column(1, result, around, guide...);
    return result[0];
  }

  /// The means of a pixel and of those below it, `count` in all; the other results are of no use.
  template <int rows, class Around, class... OfGuide>
  HOST_DEVICE void column(int count, Pixel (&results)[rows], const Around& around,
                          const OfGuide&... guide) const {
    const auto guide_at = [&](int dx, int dy, const Pixel& pixel) {
      if constexpr (sizeof...(OfGuide) == 0)
        return pixel;
      else
        return (guide(dx, dy), ...);
    };
    Pixel was[rows], own[rows];
    Sums sums[rows];
    for (int k = 0; k < rows; ++k) {
      const int row = k < count ? k : count - 1;
      was[k] = around(0, row);
      own[k] = guide_at(0, row, was[k]);
    }
    for (int dy = -radius; dy < count + radius; ++dy) {
      int end[rows], widest = -1, narrowest = radius;
      for (int k = 0; k < rows; ++k) {
        end[k] = distance(dy, k) <= radius ? ends[distance(dy, k)] : -1;
        widest = end[k] > widest ? end[k] : widest;
        narrowest = end[k] < narrowest ? end[k] : narrowest;
      }
      Sums of_row[rows];
      const auto add = [&](int dx, auto is_in_disc) {
        const Pixel pixel = around(dx, dy), compared = guide_at(dx, dy, pixel);
        const float exponent = exponents[distance(dx, 0)];
        for (int k = 0; k < rows; ++k)
          if (is_in_disc(k)) of_row[k].add(pixel, was[k], near(own[k], compared, exponent));
      };
      const auto of_some = [&](int first, int last) {
        for (int dx = first; dx <= last; ++dx)
          add(dx, [&](int k) { return distance(dx, 0) <= end[k]; });
      };
      // A row without pixels of one of the discs has all of its own on the left.
      of_some(-widest, narrowest < 0 ? widest : -narrowest - 1);
      for (int dx = -narrowest; dx <= narrowest; ++dx) add(dx, [](int) { return true; });
      if (narrowest >= 0) of_some(narrowest + 1, widest);
      for (int k = 0; k < rows; ++k)
        if (end[k] >= 0) sums[k].add(of_row[k], weights[distance(dy, k)]);
    }
    for (int k = 0; k < rows; ++k) results[k] = sums[k].mean(was[k]);
  }

 private:
  /// How much a pixel counts for the colors and for alpha; of the colors one by one, if these are
  /// compared so.
  struct OneWeight {
    float color, a;
    HOST_DEVICE float r() const { return color; }
    HOST_DEVICE float g() const { return color; }
    HOST_DEVICE float b() const { return color; }
    HOST_DEVICE void add(OneWeight w, float times) {
      color = fmaf(w.color, times, color), a = fmaf(w.a, times, a);
    }
    HOST_DEVICE OneWeight by_alpha(float alpha) const { return {color * alpha, a}; }
  };
  struct FourWeights {
    float colors[3], a;
    HOST_DEVICE float r() const { return colors[0]; }
    HOST_DEVICE float g() const { return colors[1]; }
    HOST_DEVICE float b() const { return colors[2]; }
    HOST_DEVICE void add(const FourWeights& w, float times) {
      for (int c = 0; c < 3; ++c) colors[c] = fmaf(w.colors[c], times, colors[c]);
      a = fmaf(w.a, times, a);
    }
    HOST_DEVICE FourWeights by_alpha(float alpha) const {
      return {{colors[0] * alpha, colors[1] * alpha, colors[2] * alpha}, a};
    }
  };
  using Weights = std::conditional_t<kind == Guide::channels, FourWeights, OneWeight>;

  /// What is summed up of a pixel's disc. Products and sums are fused explicitly, so that a pixel
  /// has the same bits whichever of a thread's it is.
  struct Sums {
    Pixel colors{};
    Weights all{};

    HOST_DEVICE void add(const Pixel& p, const Pixel& was, const Weights& near) {
      const Weights weight = near.by_alpha(p.a);
      colors.r = fmaf(weight.r(), p.r - was.r, colors.r);
      colors.g = fmaf(weight.g(), p.g - was.g, colors.g);
      colors.b = fmaf(weight.b(), p.b - was.b, colors.b);
      colors.a = fmaf(weight.a, p.a, colors.a);
      all.add(weight, 1.0f);
    }
    HOST_DEVICE void add(const Sums& row, float times) {
      colors.r = fmaf(row.colors.r, times, colors.r);
      colors.g = fmaf(row.colors.g, times, colors.g);
      colors.b = fmaf(row.colors.b, times, colors.b);
      colors.a = fmaf(row.colors.a, times, colors.a);
      all.add(row.all, times);
    }
    HOST_DEVICE Pixel mean(const Pixel& was) const {
      return {moved(was.r, colors.r, all.r()), moved(was.g, colors.g, all.g()),
              moved(was.b, colors.b, all.b()), all.a > 0.0f ? quotient(colors.a, all.a) : was.a};
    }
  };

  HOST_DEVICE Weights near(const Pixel& own, const Pixel& other, float exponent) const {
    const auto power = [&](float squared) { return power_of_2(fmaf(-range, squared, exponent)); };
    const Pixel d = other - own;
    if constexpr (kind == Guide::channels) {
      return {{power(d.r * d.r), power(d.g * d.g), power(d.b * d.b)}, power(d.a * d.a)};
    } else {
      const float y = luminance(other) - luminance(own);
      const float squared =
          kind == Guide::luminance ? y * y : fmaf(d.r, d.r, fmaf(d.g, d.g, d.b * d.b));
      const float w = power(squared);
      return {w, w};
    }
  }
  HOST_DEVICE static int distance(int a, int b) { return a < b ? b - a : a - b; }
  HOST_DEVICE static float moved(float was, float sum, float weight) {
    return weight > least_weight ? was + quotient(sum, weight) : was;
  }
};

}  // namespace cuda_filters::bilateral
