// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Smoothing that never makes a second difference larger, in place (Alsam and Rivertz 2011):
/// README.
namespace cuda_filters::noise_reduction {

inline constexpr int max_iterations = 32;

/// The picture is that of tiles of this size, at these multiples of it, each computed by itself
/// with pixels around it: so it is the same whatever part of it is asked for.
inline constexpr int tile_width = 512, tile_height = 104;
/// How far what lies before a tile, and to its right, counts in it: of what lies further, nothing
/// is left but in the last bits of few pixels.
inline constexpr int before_tile = 16, right_of_tile = 8;

HOST_DEVICE constexpr int margin_before(int iterations) { return iterations + before_tile; }
HOST_DEVICE constexpr int margin_right(int iterations) { return iterations + right_of_tile; }

/// The pixels that a tile of an image is computed from. Those of the first and of the last column
/// and row stay as they are; what lies outside of the image is 0, and changes, too.
struct Tile {
  Rect inner;  ///< what it gives, all of it inside of the image
  Rect area;   ///< what it is computed from, in and around the image
  int last_x,
      last_y;  ///< the last pixel that the first iteration changes, as far as the image goes

  /// The tile in a column and a row of tiles.
  HOST_DEVICE Tile(Size image, int iterations, int column, int row) {
    const int before = margin_before(iterations), right = margin_right(iterations);
    const auto least = [](int a, int b) { return a < b ? a : b; };
    const auto greatest = [](int a, int b) { return a > b ? a : b; };
    inner.x = column * tile_width, inner.y = row * tile_height;
    inner.width = least(tile_width, image.width - inner.x);
    inner.height = least(tile_height, image.height - inner.y);
    area.x = greatest(inner.x - before, -iterations);
    area.y = greatest(inner.y - before, -iterations);
    area.width = least(inner.x + tile_width + right, image.width + iterations) - area.x;
    area.height = inner.y + inner.height + iterations - area.y;
    last_x = image.width + iterations - 2, last_y = image.height + iterations - 2;
  }

  /// The pixels of the area, counted from its first one, that iteration number `i` changes: those
  /// from 1 to below these. GEGL's region gets smaller by 2 at its right and lower ends, where the
  /// last iterations leave out a part of the image.
  HOST_DEVICE int columns(int i) const {
    const int end = last_x - 2 * i + 1 - area.x;
    return end < area.width - 1 ? end : area.width - 1;
  }
  HOST_DEVICE int rows(int i) const {
    const int end = last_y - 2 * i + 1 - area.y;
    return end < area.height - 1 ? end : area.height - 1;
  }
};

/// The tiles that an area lies in: the columns and rows of tiles.
inline Rect tiles_of(Rect area) {
  const int x = area.x / tile_width, y = area.y / tile_height;
  return {x, y, (area.right() - 1) / tile_width - x + 1, (area.bottom() - 1) / tile_height - y + 1};
}

}  // namespace cuda_filters::noise_reduction
