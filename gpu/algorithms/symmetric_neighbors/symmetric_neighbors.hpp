// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The mean of the symmetric nearest neighbors (Harwood, Subbarao, Hakalahti and Davis 1987): of
/// the square around a pixel, what is nearest to the pixel's own color of each group of two or of
/// four that lie opposite each other.
namespace cuda_filters::symmetric_neighbors {

struct SnnSettings {
  int radius;
  int pairs;  ///< of how many pairs one color counts: 1 or 2

  Halo halo() const { return {radius, radius}; }
  /// Over how many colors the result is the mean.
  int count() const { return own_count() + (pairs == 1 ? 2 : 1) * radius * radius; }
  /// How often the pixel itself counts: for each of its row and of its column.
  int own_count() const { return 2 * radius + 1; }
};

/// Colors whose squared distance is that much or more are infinitely far, as in gegl:snn-mean, and
/// so is what is NaN.
inline constexpr float far_away = 1000.0f;

/// The squared distance of two colors, with the same bits everywhere.
HOST_DEVICE static inline float squared_distance(const Pixel& p, const Pixel& q) {
  const float r = exact::difference(p.r, q.r), g = exact::difference(p.g, q.g),
              b = exact::difference(p.b, q.b);
  return exact::sum(exact::sum(exact::product(r, r), exact::product(g, g)), exact::product(b, b));
}

/// Where no color is more than that from 0, none is far away from another one.
inline constexpr float near_zero = 9.0f;
static_assert(3.0f * (2.0f * near_zero) * (2.0f * near_zero) < far_away);

/// A pixel, and its squared distance from another one.
struct Nearest {
  Pixel pixel;
  float distance;
};
/// The nearer one, and the first if they are as far.
HOST_DEVICE static inline Nearest nearer(const Nearest& a, const Nearest& b) {
  const bool is_second = b.distance < a.distance;
  return {{is_second ? b.pixel.r : a.pixel.r, is_second ? b.pixel.g : a.pixel.g,
           is_second ? b.pixel.b : a.pixel.b, is_second ? b.pixel.a : a.pixel.a},
          fminf(b.distance, a.distance)};
}

/// What counts of p0 and p1, which lie opposite each other, and of p2 and p3, which are their
/// mirror images: of all four, what is nearest to `from`, or the sum of one of each pair; `from`
/// itself instead of what is far away. `all_near`: whether nothing is.
template <int pairs, bool all_near = false>
HOST_DEVICE static inline Pixel sum_of_nearest(const Pixel& from, const Pixel& p0, const Pixel& p1,
                                               const Pixel& p2, const Pixel& p3) {
  const auto look_at = [&](const Pixel& p) {
    const float distance = squared_distance(p, from);
    return Nearest{p, all_near ? distance : fminf(distance, far_away)};  // NaN, too
  };
  const auto counted = [&](const Nearest& nearest) {
    if constexpr (all_near) return nearest.pixel;
    return nearer({from, far_away}, nearest).pixel;
  };
  const Nearest a = nearer(look_at(p0), look_at(p1)), b = nearer(look_at(p2), look_at(p3));
  if constexpr (pairs == 1) return counted(a) + counted(b);
  return counted(nearer(a, b));
}

}  // namespace cuda_filters::symmetric_neighbors
