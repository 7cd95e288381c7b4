// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/steps/stencil_steps.hpp"
#include "gpu/core/by_color.hpp"
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

  /// A step. Where the gradient is 0 there is no line, and the value stays. Where it is next to 0,
  /// its direction is that of the last bits, and after some steps these are to be seen: sums are in
  /// the order and of the precision of GEGL's.
  struct Step {
    static constexpr bool by_channel = true;
    static constexpr double cost = 24.0;

    HOST_DEVICE Pixel operator()(const Pixel (&pixels)[3][3]) const {
      return by_color(pixels, [](const Colors(&n)[3][3]) {
        WideColors center, x, y, xx, yy, xy;
        colors::widen(n[1][1], center);
        colors::widen(n[1][2] - n[1][0], x);
        colors::widen(n[2][1] - n[0][1], y);
        colors::widen(n[1][2] + n[1][0], xx);
        colors::widen(n[2][1] + n[0][1], yy);
        colors::widen(n[2][2] - n[0][2] - n[2][0] + n[0][0], xy);
        xx -= 2.0 * center, yy -= 2.0 * center, xy *= 0.25;
        // Not 0 where the gradient is, and not larger elsewhere, as it is a double of floats.
        const WideColors square = (x * x + y * y) + 1e-300;
        const WideColors along = x * x * yy + y * y * xx - 2.0 * x * y * xy;
        return colors::narrowed(center + 0.25 * along / square);
      });
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    stencil_steps(exec, in, out, p.iterations, Step{});
  }
};
static_assert(Filter<MeanCurvatureBlur>);

}  // namespace cuda_filters
