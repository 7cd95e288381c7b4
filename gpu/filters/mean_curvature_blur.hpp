// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/curvature/mean_curvature.hpp"
#include "gpu/algorithms/steps/stencil_steps.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Mean curvature motion (Alvarez, Lions and Morel 1992) of each channel: u ← u + ¼ · |∇u| · κ,
/// where κ is the curvature of the line of equal values, as GEGL's operation of this name
/// discretizes it.
struct MeanCurvatureBlur {
  struct Params {
    int iterations;
  };

  static constexpr FilterInfo info{
      .name = "mean-curvature-blur",
      .label = N_("Mean C_urvature Blur (CUDA)…"),
      .title = N_("Mean Curvature Blur"),
      .blurb = N_("Straighten outlines, the faster the more they are curved"),
      .help = N_("Lines of equal brightness move toward the inside of their curves, the faster the "
                 "more they are curved: spots and ripples vanish, and long edges stay where they "
                 "are, sharp. Each channel is treated by itself, and alpha stays as it is. It is "
                 "GIMP's filter of this name. Described by Alvarez, Lions and Morel, 1992."),
      .category = Category::blur};

  static constexpr std::array params{
      param<&Params::iterations>({.name = "iterations",
                                  .label = N_("_Iterations"),
                                  .blurb = N_("How many steps the lines move"),
                                  .range = {0.0, 500.0},
                                  .slider = {0.0, 60.0},
                                  .initial = 20.0}),
  };

  static constexpr std::array presets{
      Preset{N_("Noise"), "iterations=5"},
      Preset{N_("Smooth outlines"), "iterations=20"},
      Preset{N_("Painting"), "iterations=60"},
      Preset{N_("Large shapes"), "iterations=300"},
  };

  /// As GEGL's R'G'B'A: encoded, straight colors. It repeats the pixels at the ends of the picture,
  /// once, before the first step.
  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = Border::clamp,
            .identity = p.iterations == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    stencil_steps(exec, in, out, p.iterations, MeanCurvature{});
  }
};
static_assert(Filter<MeanCurvatureBlur>);

}  // namespace cuda_filters
