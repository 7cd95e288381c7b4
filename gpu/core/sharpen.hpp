// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/arithmetic.hpp"

namespace cuda_filters {

/// Pushes a pixel away from the mean of its surroundings: c + scale · (c - mean) for each colour
/// that differs from the mean by more than the threshold. Both are premultiplied, and the mean's
/// colour is that of its opaque parts, so that transparent surroundings leave no fringes; alpha
/// stays as it is. (gegl:unsharp-mask does the same.)
struct Sharpen {
  float scale, threshold;

  HOST_DEVICE Pixel operator()(Pixel p, Pixel mean) const {
    if (p.a == 0.0f || mean.a == 0.0f) return p;
    // All of it times p.a, so that nothing need be divided.
    const float ratio = quotient(p.a, mean.a), most = threshold * fabsf(p.a);
    return {sharper(p.r, p.r - mean.r * ratio, most), sharper(p.g, p.g - mean.g * ratio, most),
            sharper(p.b, p.b - mean.b * ratio, most), p.a};
  }

 private:
  HOST_DEVICE float sharper(float color, float difference, float most) const {
    return fabsf(difference) > most ? color + scale * difference : color;
  }
};

}  // namespace cuda_filters
