// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/lanes.hpp"

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

  /// Of straight pixels. Differences are summed up, not values: what is flat keeps its bits. All
  /// weights are `limit` times the definition's, so that those at the limit and beyond, with NaN
  /// and infinities, are exactly 0. Each row is summed up by itself, so that long sums stay exact.
  struct Smooth {
    int radius;
    float limit;

    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      const Pixel was = around(0, 0);
      const Lanes center = lanes_of(was), limits = splat(limit);
      Lanes differences{}, weights{};
      for (int dy = -radius; dy <= radius; ++dy) {
        Lanes row_differences{}, row_weights{};
        for (int dx = -radius; dx <= radius; ++dx) {
          const Pixel& p = around(dx, dy);
          const Lanes difference = clamped(lanes_of(p) - center, limit);
          const Lanes near = limits - distances(difference, Lanes{});
          const Lanes weight = product(near, Lanes{p.a, p.a, p.a, 1.0f});
          row_differences = row_differences + product(weight, difference);
          row_weights = row_weights + weight;
        }
        differences = differences + row_differences;
        weights = weights + row_weights;
      }
      const Pixel d = pixel_of(differences), w = pixel_of(weights);
      return {moved(was.r, d.r, w.r), moved(was.g, d.g, w.g), moved(was.b, d.b, w.b),
              moved(was.a, d.a, w.a)};
    }
    HOST_DEVICE static float moved(float center, float differences, float weights) {
      return weights > 0.0f ? center + quotient(differences, weights) : center;
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const double side = 2.0 * p.radius + 1.0;
    exec.neighborhood(in, out, Halo{p.radius, p.radius}, 3.0 + 2.0 * side * side,
                      Smooth{p.radius, static_cast<float>(2.5 * p.threshold / 255.0)});
  }
};
static_assert(Filter<SurfaceBlur>);

}  // namespace cuda_filters
