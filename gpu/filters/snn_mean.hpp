// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/symmetric_neighbors/snn_mean.hpp"
#include "gpu/core/filter.hpp"

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

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    snn_mean(exec, in, out, symmetric_neighbors::SnnSettings{p.radius, p.pairs});
  }
};
static_assert(Filter<SnnMean>);

}  // namespace cuda_filters
