// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The median, or another percentile, of the samples around each sample.
struct MedianBlur {
  struct Params {
    rank::Shape neighborhood;
    int radius;
    double percentile, alpha_percentile;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "median-blur",
      .label = N_("_Median Blur (CUDA)…"),
      .title = N_("Median Blur"),
      .blurb = N_("Remove specks and grain, and keep edges sharp"),
      .help = N_("Every value becomes the one in the middle of its surroundings when those are "
                 "sorted, or the one at another percentile: 0 is the darkest, 100 the lightest. "
                 "The result is always one of the values that were there, each channel by itself. "
                 "With the border “transparent”, pixels outside of the layer take no part."),
      .category = Category::blur};

  static constexpr std::array shapes{Choice{"square", N_("Square")}, Choice{"circle", N_("Circle")},
                                     Choice{"diamond", N_("Diamond")}};

  static constexpr std::array params{
      param<&Params::neighborhood>({.name = "neighborhood",
                                    .label = N_("_Neighborhood"),
                                    .blurb = N_("The shape of the surroundings"),
                                    .initial = 1.0,
                                    .choices = shapes}),
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the surroundings reach"),
                              .range = {0.0, 400.0},
                              .slider = {0.0, 100.0},
                              .initial = 3.0,
                              .unit = Unit::pixels}),
      param<&Params::percentile>({.name = "percentile",
                                  .label = N_("P_ercentile"),
                                  .blurb = N_("Which of the sorted color values is taken"),
                                  .range = {0.0, 100.0},
                                  .initial = 50.0}),
      param<&Params::alpha_percentile>({.name = "alpha-percentile",
                                        .label = N_("Alpha percen_tile"),
                                        .blurb = N_("Which of the sorted alpha values is taken"),
                                        .range = {0.0, 100.0},
                                        .initial = 50.0,
                                        .applies_if = has_alpha_channel}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Single specks"), "radius=1"},
      Preset{N_("Grain"), "radius=2"},
      Preset{N_("Scratches and dust"), "radius=5"},
      Preset{N_("Paper behind text"), "radius=25 percentile=85"},
  };

  static Plan plan(const Params& p) {
    return {
        .trc = Trc::native, .alpha = Alpha::channel, .border = p.border, .identity = p.radius == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    rank_filter(exec, in, out, rank::Window{p.neighborhood, p.radius},
                {p.percentile, p.alpha_percentile}, p.border);
  }
};
static_assert(Filter<MedianBlur>);

}  // namespace cuda_filters
