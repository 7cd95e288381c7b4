// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>

#include "gpu/algorithms/atrous/atrous.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Noise in the details of the transform, and how details are shrunk.
namespace cuda_filters::atrous {

inline constexpr int max_levels = 8;

/// The standard deviation that white noise of standard deviation 1 has in the details of each
/// level: the norm of the difference of two neighboring levels' smoothing.
std::array<double, max_levels> noise_gains();

/// The standard deviation of normal noise whose absolute values have that median.
inline double deviation_of_median(double median) { return median / 0.674489750196081743; }

/// What is taken from a detail by firm shrinkage (Gao and Bruce 1997): all of it up to the
/// threshold t, nothing from t / (1 - softness) on, and between them so much that (|d| - t) /
/// softness remains. A softness of 0 is the hard threshold, and one of 1 the soft one, which takes
/// t from all others.
HOST_DEVICE static inline float shrinkage(float detail, float threshold, float softness) {
  const float size = fabsf(detail), over = exact::difference(size, threshold);
  if (over <= 0.0f) return detail;
  const float left = softness > 0.0f ? exact::quotient(over, softness) : size;
  if (left >= size) return 0.0f;
  const float taken = exact::difference(size, left);
  return detail < 0.0f ? -taken : taken;
}

/// How large the details of a level are.
struct DetailSizes {
  HOST_DEVICE Pixel operator()(Pixel fine, Pixel coarse) const {
    using exact::difference;
    return {fabsf(difference(fine.r, coarse.r)), fabsf(difference(fine.g, coarse.g)),
            fabsf(difference(fine.b, coarse.b)), fine.a};
  }
};

/// What shrinkage() takes from the details of a level, added to what it took from others.
struct Shrink {
  float thresholds[3], softness;

  HOST_DEVICE Pixel operator()(Pixel fine, Pixel coarse) const {
    return {of(0, fine.r, coarse.r), of(1, fine.g, coarse.g), of(2, fine.b, coarse.b), 0.0f};
  }
  HOST_DEVICE Pixel operator()(Pixel before, Pixel fine, Pixel coarse) const {
    using exact::sum;
    const Pixel here = (*this)(fine, coarse);
    return {sum(before.r, here.r), sum(before.g, here.g), sum(before.b, here.b), 0.0f};
  }
  HOST_DEVICE float of(int channel, float fine, float coarse) const {
    return shrinkage(exact::difference(fine, coarse), thresholds[channel], softness);
  }
};

}  // namespace cuda_filters::atrous
