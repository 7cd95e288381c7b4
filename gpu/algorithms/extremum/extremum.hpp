// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <limits>

#include "gpu/device.hpp"

/// The least or the greatest number of windows, planned here once for every executor.
namespace cuda_filters {

enum class Extremum { minimum, maximum };

namespace extremum {

/// What takes no part: no number is on the other side of it.
template <Extremum kind>
inline constexpr float neutral = kind == Extremum::minimum
                                     ? std::numeric_limits<float>::infinity()
                                     : -std::numeric_limits<float>::infinity();

/// The one of two numbers that is wanted; `a` if `b` is NaN.
template <Extremum kind>
HOST_DEVICE static inline float better(float a, float b) {
  return (kind == Extremum::minimum ? b < a : b > a) ? b : a;
}

/// The largest power of two that is not above the length of a window: two windows of that length,
/// at either end, cover it.
constexpr int half_cover(int window) {
  int length = 1;
  while (2 * length <= window) length *= 2;
  return length;
}

/// Calls f with the kind as a constant: f.operator()<kind>().
template <class F>
void with_kind(Extremum kind, F f) {
  if (kind == Extremum::minimum)
    f.template operator()<Extremum::minimum>();
  else
    f.template operator()<Extremum::maximum>();
}

}  // namespace extremum
}  // namespace cuda_filters
