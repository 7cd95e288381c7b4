// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/device.hpp"

// Dividing by alpha, which undoes premultiplication, for every executor: `V` is a float or a vector
// of them.
// (These functions are static because kernels are compiled for several levels of a processor.)

namespace cuda_filters {

/// An alpha below the smallest normal number is none: so little is known of a color times it that
/// their quotient would be noise, or infinite.
inline constexpr float least_alpha = 0x1p-126f;
inline constexpr float largest_float = 0x1.fffffep127f;  ///< of finite numbers

/// Whether a result of that alpha has no color of its own; then the color before the filter
/// stays. NaN is an alpha.
template <class V>
HOST_DEVICE static inline auto colorless(V alpha) {
  return alpha < least_alpha;
}

/// `value`, cut off at ±`largest` if what it was made of, `from`, is finite: of finite numbers none
/// becomes infinite because it was divided by a small alpha.
template <class V>
HOST_DEVICE static inline V bounded(V value, V from, float largest) {
  const auto is_finite = (from <= largest_float) & (from >= -largest_float);
  value = (is_finite & (value > largest)) ? V{} + largest : value;
  return (is_finite & (value < -largest)) ? V{} - largest : value;
}

/// The factor that takes a color times alpha `from` to one times alpha `to`; 0 where `from` leaves
/// no color.
HOST_DEVICE static inline float alpha_ratio(float to, float from) {
  return colorless(from) ? 0.0f : bounded(quotient(to, from), to, largest_float);
}

}  // namespace cuda_filters
