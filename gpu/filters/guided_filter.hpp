// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>

#include "gpu/algorithms/guided/guided.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The guided filter (He, Sun and Tang 2010), of encoded values.
struct GuidedFilter {
  struct Params {
    int radius;
    double epsilon;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "guided-filter",
      .label = N_("_Guided Filter (CUDA)…"),
      .title = N_("Guided Filter"),
      .blurb = N_("Smooth the picture and keep the edges of a guide"),
      .help = N_("Around each pixel the picture is approximated by a linear function of the colors "
                 "of a guide, which is another layer or the picture itself. Where the guide has an "
                 "edge, the result has one; where it varies little, the result is smooth. "
                 "Described by He, Sun and Tang, 2010."),
      .category = Category::enhance};

  /// Below that, 32-bit floats do not resolve the squares.
  static constexpr double least_epsilon = 0.001;

  static constexpr std::array params{
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the square around each pixel reaches"),
                              .range = {0.0, 500.0},
                              .slider = {0.0, 100.0},
                              .initial = 8.0,
                              .unit = Unit::pixels}),
      param<&Params::epsilon>(
          {.name = "epsilon",
           .label = N_("Smoothn_ess"),
           .blurb = N_("What varies less than this is smoothed (below 0.001 as 0.001)"),
           .range = {0.0, 1.0},
           .initial = 0.1}),
      border_param<&Params::border>(),
  };
  static constexpr AuxParam aux{N_("_Guide"), N_("The layer whose edges are kept, or none: the "
                                                 "picture's own")};

  static constexpr std::array presets{
      Preset{N_("Portrait"), "radius=8 epsilon=0.05"},
      Preset{N_("Noise"), "radius=4 epsilon=0.1"},
      Preset{N_("Soft light"), "radius=40 epsilon=0.3"},
      Preset{N_("Edges of a mask"), "radius=20 epsilon=0.001"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = p.border,
            .identity = p.radius == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Input* guide, const typename Exec::Output& out) {
    guided::filter(exec, in, guide, out, p.radius, std::max(p.epsilon, least_epsilon), p.border);
  }
};
static_assert(Aided<GuidedFilter>);

}  // namespace cuda_filters
