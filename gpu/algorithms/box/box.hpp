// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "gpu/algorithms/separable/covering.hpp"
#include "gpu/core/pixel.hpp"

/// Sums of all windows of 2r + 1 pixels along an axis, at a cost that does not grow with r, planned
/// here once for every executor.
///
/// A small window is summed pixel by pixel. For a larger one, the axis is cut into blocks of 16
/// pixels, at the multiples of 16. The windows of the 16 pixels of block g, its group, all hold the
/// blocks g - reach … g + reach, and `head` more pixels at either end of those; further out each
/// window holds one pixel less or more than its neighbor's. So the sums of a group are sums from
/// the middle outwards. Nothing is ever subtracted: the error stays that of a short sum, and a NaN
/// touches no window but those that hold it. As the blocks lie at fixed places, the bits of a
/// result do not depend on what else is computed.
namespace cuda_filters::box {

inline constexpr int block = 16;
/// The middle blocks are added eight at a time.
inline constexpr int together = 8;

HOST_DEVICE constexpr bool uses_blocks(int radius) { return radius >= block - 1; }
HOST_DEVICE constexpr int head(int radius) { return (radius + 1) % block; }
HOST_DEVICE constexpr int reach(int radius) { return (radius + 1) / block - 1; }
/// The block that holds a pixel.
HOST_DEVICE constexpr int block_of(int pixel) { return pixel >> 4; }

/// How many blocks, from the first one's index on, have pixels in [begin, end).
struct Blocks {
  int first, count;
};
HOST_DEVICE constexpr Blocks blocks_of(int begin, int end) {
  return {block_of(begin), block_of(end - 1) + 1 - block_of(begin)};
}

inline float mean_weight(int radius) { return 1.0f / static_cast<float>(2 * radius + 1); }

/// The mean over an image of `size` pixels that is small beside the window, else an axis without
/// weights.
inline covering::Axis covering(int radius, int size, Border border) {
  constexpr int steps = 8;
  if (!covering::pays(size, radius, steps)) return {};
  return covering::make_axis(std::vector<float>(2 * radius + 1, mean_weight(radius)), size, border);
}

}  // namespace cuda_filters::box
