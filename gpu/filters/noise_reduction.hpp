// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/noise_reduction/reduce_noise.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Smoothing by neighbors that make no second difference larger, as gegl:noise-reduction of the
/// whole layer by one thread (Alsam, Rivertz and Kolås 2011): gpu/algorithms/noise_reduction.
struct NoiseReduction {
  struct Params {
    int iterations;
  };

  static constexpr FilterInfo info{
      .name = "noise-reduction",
      .label = N_("Noise _Reduction (CUDA)…"),
      .title = N_("Noise Reduction"),
      .blurb = N_("Smooth noise, and keep what has a shape"),
      .help = N_("Each color of a pixel is averaged with half-way values to those neighbors that "
                 "make it smoother in every direction at once, again and again. What would get "
                 "rougher anywhere stays: edges, lines and corners do. Alpha stays as it is. "
                 "Described by Alsam, Rivertz and Kolås, 2011. The picture is that of GIMP's own "
                 "filter of that name."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::iterations>({.name = "iterations",
                                  .label = N_("Stren_gth"),
                                  .blurb = N_("How many times the picture is smoothed"),
                                  .range = {0.0, noise_reduction::max_iterations},
                                  .slider = {0.0, 8.0},
                                  .initial = 4.0}),
  };

  static constexpr std::array presets{
      Preset{N_("Fine grain"), "iterations=2"},
      Preset{N_("Photo"), "iterations=4"},
      Preset{N_("High ISO"), "iterations=8"},
  };

  /// As GEGL's R~G~B~A: encoded, straight colors, and 0 around the layer.
  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = Border::transparent,
            .identity = p.iterations == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    reduce_noise(exec, in, out, p.iterations);
  }
};
static_assert(Filter<NoiseReduction>);

}  // namespace cuda_filters
