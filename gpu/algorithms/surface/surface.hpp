// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/lanes.hpp"

/// Surface blur: each channel becomes the mean of the square around a pixel of what is near to its
/// own value c₀, Σ w·c / Σ w with w = max(0, 1 - |c - c₀| / limit), and for colors alpha times
/// that.
namespace cuda_filters::surface {

struct SurfaceSettings {
  int radius;
  float limit;  ///< above 0
};

/// Of straight pixels. Differences are summed up, not values: what is flat keeps its bits. All
/// weights are `limit` times the definition's, so that those at the limit and beyond, with NaN
/// and infinities, are exactly 0. Each row is summed up by itself, so that long sums stay exact.
struct Smooth : SurfaceSettings {
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

}  // namespace cuda_filters::surface
