// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"

/// The Gaussian pyramid of Burt and Adelson (The Laplacian Pyramid as a Compact Image Code, 1983),
/// with the weights (1 4 6 4 1) / 16 along both axes. Pixel i of a level stands where pixel 2i of
/// the level below does, counted from the image's first pixel: what a pixel is does not depend on
/// where a band begins. The sums are those of every executor, in this order.
namespace cuda_filters::pyramid {

/// REDUCE along an axis: pixel i of the level above, from the pixels 2i - 2 … 2i + 2 of a level.
template <class T>
HOST_DEVICE constexpr T reduced(T a, T b, T c, T d, T e) {
  return (a + e) * 0.0625f + (b + d) * 0.25f + c * 0.375f;
}
inline constexpr int reduce_reach = 2;

/// EXPAND along an axis: pixel 2i of a level, from the pixels i - 1, i and i + 1 of the one above.
template <class T>
HOST_DEVICE constexpr T expanded_even(T a, T b, T c) {
  return (a + c) * 0.125f + b * 0.75f;
}
/// Pixel 2i + 1, from the pixels i and i + 1.
template <class T>
HOST_DEVICE constexpr T expanded_odd(T a, T b) {
  return (a + b) * 0.5f;
}
inline constexpr int expand_reach = 1;

/// The pixels of a level that those of the level above are reduced from.
constexpr IndexRange fine_for(IndexRange coarse) {
  return {2 * coarse.begin - reduce_reach, 2 * (coarse.end - 1) + reduce_reach + 1};
}
/// The pixels of the level above that those of a level are expanded from.
constexpr IndexRange coarse_for(IndexRange fine) {
  return {((fine.begin + 1) >> 1) - 1, ((fine.end - 1) >> 1) + 2};
}

}  // namespace cuda_filters::pyramid
