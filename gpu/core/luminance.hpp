// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

// The luminance of colors with the primaries of Rec. 709 (ITU-R BT.709), for every executor.

namespace cuda_filters {

/// The shares of red and of blue; that of green is what is left of 1.
inline constexpr float red_share = 0.2126f, blue_share = 0.0722f;

/// The luminance of a pixel, computed in an order in which a gray one has exactly its own value.
HOST_DEVICE static inline float luminance(const Pixel& p) {
  return p.g + (red_share * (p.r - p.g) + blue_share * (p.b - p.g));
}

namespace exact {
/// The luminance with any shares of red and blue, and with the same bits on every executor.
HOST_DEVICE static inline float luminance(float r, float g, float b, float red = red_share,
                                          float blue = blue_share) {
  return sum(g, sum(product(red, difference(r, g)), product(blue, difference(b, g))));
}
}  // namespace exact

}  // namespace cuda_filters
