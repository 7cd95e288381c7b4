// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/alpha.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// Pushes a pixel away from the mean of its surroundings: c + scale · (c - mean) for each color
/// that differs from the mean by more than the threshold. Both are premultiplied, and the mean's
/// color is that of its opaque parts, so that transparent surroundings leave no fringes; alpha
/// stays as it is. (gegl:unsharp-mask does the same.)
struct Sharpen {
  float scale, threshold;

  HOST_DEVICE Pixel operator()(Pixel p, Pixel mean) const {
    if (colorless(p.a) || colorless(mean.a)) return p;
    // All of it times p.a, so that nothing need be divided.
    const float ratio = alpha_ratio(p.a, mean.a), limit = threshold * p.a;
    return {sharper(p.r, mean.r, ratio, limit), sharper(p.g, mean.g, ratio, limit),
            sharper(p.b, mean.b, ratio, limit), p.a};
  }

 private:
  HOST_DEVICE float sharper(float color, float mean, float ratio, float limit) const {
    const float difference = color - mean * ratio;
    const float sharp = fabsf(difference) > limit ? color + scale * difference : color;
    return bounded(sharp, color + mean, largest_float);
  }
};

}  // namespace cuda_filters
