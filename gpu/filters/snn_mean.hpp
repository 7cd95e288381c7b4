// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/lanes.hpp"

namespace cuda_filters {

/// The mean of the symmetric nearest neighbors (Harwood, Subbarao, Hakalahti and Davis 1987), as
/// gegl:snn-mean takes it: in linear light, with transparent black around the layer, and the pixel
/// itself for each of those in its row and in its column.
struct SnnMean {
  struct Params {
    int radius, pairs;
  };

  static constexpr FilterInfo info{
      .name = "snn-mean",
      .label = N_("Symmetric _Nearest Neighbor (CUDA)…"),
      .title = N_("Symmetric Nearest Neighbor"),
      .blurb = N_("Smooth surfaces, and make edges sharper"),
      .help = N_("Around each pixel, those that lie opposite each other are compared, and of each "
                 "pair, or of two pairs that mirror each other, the color that is nearest to the "
                 "pixel's own one counts. The result is the mean of these: what lies beyond an "
                 "edge takes no part. Described by Harwood, Subbarao, Hakalahti and Davis, 1987. "
                 "The picture is that of GEGL's operation of that name."),
      .category = Category::blur};

  static constexpr std::array params{
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the square around each pixel reaches"),
                              .range = {0.0, 100.0},
                              .slider = {0.0, 40.0},
                              .initial = 8.0,
                              .unit = Unit::pixels}),
      param<&Params::pairs>({.name = "pairs",
                             .label = N_("P_airs"),
                             .blurb = N_("Of how many pairs one color counts: with 2, finer "
                                         "features stay"),
                             .range = {1.0, 2.0},
                             .initial = 2.0}),
  };

  static constexpr std::array presets{
      Preset{N_("Noise"), "radius=3"},
      Preset{N_("Smooth surfaces"), "radius=8 pairs=1"},
      Preset{N_("Painting"), "radius=20"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::channel,
            .border = Border::transparent,
            .identity = p.radius == 0};
  }

  /// Colors that differ by that much count as infinitely far.
  static constexpr float far_away = 1000.0f;

  /// The sum of those that are nearest to `from`: of p0 and p1, and of p2 and p3, or just one of
  /// all four. The first of several counts, and `from` itself instead of one that is far away.
  template <int pairs>
  HOST_DEVICE static Lanes sum_of_nearest(Lanes from, const Pixel& p0, const Pixel& p1,
                                          const Pixel& p2, const Pixel& p3) {
#ifdef HAS_VECTORS
    const Lanes limit = Lanes{} + far_away;
    Lanes d = squared_distances(from, p0, p1, p2, p3);
    d = d < limit ? d : limit;  // NaN, too
    const Lanes other = __builtin_shufflevector(d, d, 1, 0, 3, 2);
    const LaneBits is_second = other < d;  // in lanes 0 and 2
    const Lanes least = d < other ? d : other;
    const LaneBits second_a = __builtin_shufflevector(is_second, is_second, 0, 0, 0, 0),
                   second_b = __builtin_shufflevector(is_second, is_second, 2, 2, 2, 2);
    const Lanes a = chosen(second_a, lanes_of(p1), lanes_of(p0)),
                b = chosen(second_b, lanes_of(p3), lanes_of(p2));
    const Lanes least_a = __builtin_shufflevector(least, least, 0, 0, 0, 0),
                least_b = __builtin_shufflevector(least, least, 2, 2, 2, 2);
    if constexpr (pairs == 1)
      return chosen(least_a < limit, a, from) + chosen(least_b < limit, b, from);
    const LaneBits is_b = least_b < least_a;
    return chosen(is_b | (least_a < limit), chosen(is_b, b, a), from);
#else
    const float d0 = fminf(squared_distance(p0, from), far_away),
                d1 = fminf(squared_distance(p1, from), far_away),
                d2 = fminf(squared_distance(p2, from), far_away),
                d3 = fminf(squared_distance(p3, from), far_away);
    const Pixel a = d1 < d0 ? p1 : p0, b = d3 < d2 ? p3 : p2;
    const float least_a = fminf(d0, d1), least_b = fminf(d2, d3);
    if constexpr (pairs == 1)
      return (least_a < far_away ? a : from) + (least_b < far_away ? b : from);
    const Pixel nearest = least_b < least_a ? b : a;
    return fminf(least_a, least_b) < far_away ? nearest : from;
#endif
  }

  template <int pairs>
  struct Mean {
    int radius;

    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      const Lanes center = lanes_of(around(0, 0));
      Lanes sum = center * static_cast<float>(2 * radius + 1);  // its row's and its column's
      for (int dy = 1; dy <= radius; ++dy) {
        Lanes of_row{};
        for (int dx = 1; dx <= radius; ++dx)
          of_row = of_row + sum_of_nearest<pairs>(center, around(-dx, -dy), around(dx, dy),
                                                  around(dx, -dy), around(-dx, dy));
        sum = sum + of_row;
      }
      const int count = 2 * radius + 1 + (pairs == 1 ? 2 : 1) * radius * radius;
      return pixel_of(sum * (1.0f / static_cast<float>(count)));
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const Halo reach{p.radius, p.radius};
    const double cost = 10.0 + 8.0 * p.radius * p.radius;
    if (p.pairs == 1)
      exec.neighborhood(in, out, reach, cost, Mean<1>{p.radius});
    else
      exec.neighborhood(in, out, reach, cost, Mean<2>{p.radius});
  }
};
static_assert(Filter<SnnMean>);

}  // namespace cuda_filters
