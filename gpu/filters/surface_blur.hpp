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

#ifdef HAS_VECTORS
    /// alpha, alpha, alpha and 1: what a pixel counts for in each channel.
    static Lanes importance(const Pixel& p) { return Lanes{p.a, p.a, p.a, 1.0f}; }

    template <class Around>
    Pixel operator()(const Around& around) const {
      const Lanes center = lanes_of(around(0, 0)), largest = splat(limit), zero{};
      Lanes differences{}, weights{};
      for (int dy = -radius; dy <= radius; ++dy) {
        const Pixel* const row = &around(-radius, dy);
        Lanes row_differences{}, row_weights{};
        for (int i = 0; i <= 2 * radius; ++i) {
          Lanes difference = lanes_of(row[i]) - center;
          difference = difference > -largest ? difference : -largest;
          difference = difference < largest ? difference : largest;
          const Lanes weight = (largest - distances(difference, zero)) * importance(row[i]);
          row_differences += weight * difference;
          row_weights += weight;
        }
        differences += row_differences;
        weights += row_weights;
      }
      const Lanes mean = center + differences / weights;
      const Lanes result = weights > 0.0f ? mean : center;
      return pixel_of(result);
    }
#else
    struct Sum {
      float differences = 0.0f, weights = 0.0f;
      HOST_DEVICE void add(float value, float center, float alpha, float limit) {
        const float difference = fminf(fmaxf(value - center, -limit), limit);
        const float weight = (limit - fabsf(difference)) * alpha;
        differences = fmaf(weight, difference, differences);
        weights += weight;
      }
      HOST_DEVICE void add(const Sum& row) {
        differences += row.differences;
        weights += row.weights;
      }
      HOST_DEVICE float mean(float center) const {
        return weights > 0.0f ? center + quotient(differences, weights) : center;
      }
    };

    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      const Pixel center = around(0, 0);
      Sum r, g, b, a;
      for (int dy = -radius; dy <= radius; ++dy) {
        Sum row_r, row_g, row_b, row_a;
        for (int dx = -radius; dx <= radius; ++dx) {
          const Pixel p = around(dx, dy);
          row_r.add(p.r, center.r, p.a, limit);
          row_g.add(p.g, center.g, p.a, limit);
          row_b.add(p.b, center.b, p.a, limit);
          row_a.add(p.a, center.a, 1.0f, limit);
        }
        r.add(row_r), g.add(row_g), b.add(row_b), a.add(row_a);
      }
      return {r.mean(center.r), g.mean(center.g), b.mean(center.b), a.mean(center.a)};
    }
#endif
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const double side = 2.0 * p.radius + 1.0;
    exec.neighborhood(in, out, Halo{p.radius, p.radius}, 3.0 + 1.0 * side * side,
                      Smooth{p.radius, static_cast<float>(2.5 * p.threshold / 255.0)});
  }
};
static_assert(Filter<SurfaceBlur>);

}  // namespace cuda_filters
