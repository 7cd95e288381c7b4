// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <bit>
#include <cmath>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

// The channels of a pixel, computed with at a time: one vector of a processor, four floats of a
// GPU. (These functions are static because kernels of the CPU are compiled for several levels of a
// processor.)

namespace cuda_filters {

#ifdef HAS_VECTORS
typedef float Lanes __attribute__((vector_size(16)));
typedef int LaneBits __attribute__((vector_size(16)));
#else
using Lanes = Pixel;
#endif

HOST_DEVICE static inline Lanes lanes_of(const Pixel& p) {
#ifdef HAS_VECTORS
  return reinterpret_cast<const Lanes&>(p);
#else
  return p;
#endif
}
HOST_DEVICE static inline Pixel pixel_of(Lanes lanes) {
#ifdef HAS_VECTORS
  return std::bit_cast<Pixel>(lanes);
#else
  return lanes;
#endif
}

/// The same number in each channel.
HOST_DEVICE static inline Lanes splat(float value) { return Lanes{value, value, value, value}; }
HOST_DEVICE static inline Lanes product(Lanes a, Lanes b) {
#ifdef HAS_VECTORS
  return a * b;
#else
  return {a.r * b.r, a.g * b.g, a.b * b.b, a.a * b.a};
#endif
}

/// |a - b| of each channel.
HOST_DEVICE static inline Lanes distances(Lanes a, Lanes b) {
#ifdef HAS_VECTORS
  return (Lanes)((LaneBits)(a - b) & 0x7fffffff);
#else
  return {std::fabs(a.r - b.r), std::fabs(a.g - b.g), std::fabs(a.b - b.b), std::fabs(a.a - b.a)};
#endif
}

/// Each channel within ±`limit`, which NaN is, too.
HOST_DEVICE static inline Lanes clamped(Lanes lanes, float limit) {
#ifdef HAS_VECTORS
  const Lanes high = splat(limit), low = -high;
  const Lanes above = lanes > low ? lanes : low;
  return above < high ? above : high;
#else
  const auto of = [=](float value) { return fminf(fmaxf(value, -limit), limit); };
  return {of(lanes.r), of(lanes.g), of(lanes.b), of(lanes.a)};
#endif
}

/// Adds to each channel of `sum` that of `term`, unless its distance is above `max_distance`; a
/// distance that is NaN is not.
HOST_DEVICE static inline void add_unless_above(Lanes& sum, Lanes term, Lanes distance,
                                                float max_distance) {
#ifdef HAS_VECTORS
  sum += (Lanes)((LaneBits)term & ~(LaneBits)(distance > max_distance));
#else
  if (!(distance.r > max_distance)) sum.r += term.r;
  if (!(distance.g > max_distance)) sum.g += term.g;
  if (!(distance.b > max_distance)) sum.b += term.b;
  if (!(distance.a > max_distance)) sum.a += term.a;
#endif
}

}  // namespace cuda_filters
