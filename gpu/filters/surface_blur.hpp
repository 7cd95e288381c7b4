// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/surface/surface_blur.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Each color becomes the mean of those in the square around it that are near to it, and alpha with
/// it: Σ w·c / Σ w, where w = max(0, 1 - |c - c₀| / (2.5 · threshold)), and for colors alpha times
/// that. (The filter of the same name in other programs; Aurich and Weule 1995 put differences of
/// values into the weights of a mean.)
struct SurfaceBlur {
  struct Params {
    int radius;
    double threshold;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "surface-blur",
      .label = N_("Sur_face Blur (CUDA)…"),
      .title = N_("Surface Blur"),
      .blurb = N_("Smooth surfaces and skin, and leave their edges sharp"),
      .help = N_("Each color becomes the mean of those around it that differ little from it, the "
                 "nearer the more, each channel by itself. What differs by more than 2.5 times "
                 "the threshold takes no part, so that edges stay as they are. Means that weigh "
                 "differences of values were described by Aurich and Weule, 1995."),
      .category = Category::blur};

  static constexpr std::array params{
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the square around each pixel reaches"),
                              .range = {0.0, 200.0},
                              .slider = {0.0, 50.0},
                              .initial = 5.0,
                              .unit = Unit::pixels}),
      param<&Params::threshold>({.name = "threshold",
                                 .label = N_("Thr_eshold"),
                                 .blurb = N_("What differs by less is smoothed, of 255"),
                                 .range = {1.0, 255.0},
                                 .slider = {1.0, 100.0},
                                 .initial = 15.0}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Skin"), "radius=8 threshold=12"},
      Preset{N_("Noise"), "radius=4 threshold=20"},
      Preset{N_("Flat areas"), "radius=25 threshold=30"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::channel,
            .border = p.border,
            .identity = p.radius == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    surface_blur(exec, in, out,
                 surface::SurfaceSettings{p.radius, static_cast<float>(2.5 * p.threshold / 255.0)},
                 p.border);
  }
};
static_assert(Filter<SurfaceBlur>);

}  // namespace cuda_filters
