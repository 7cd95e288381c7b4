// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

// What the surface blur of bytes reads on a GPU, and where it writes.

namespace cuda_filters::cuda::surfaces {

/// A pixel of bytes, as it is stored.
template <int channels>
struct alignas(channels == 3 ? 1 : channels) StoredCodes {
  std::uint8_t of[channels];
};

/// An area of the padded image, channel by channel, and which parts of it are opaque.
struct CodePlanes {
  static constexpr int cell = 32;  ///< both sides of a part

  std::uint8_t* codes;
  std::uint8_t* cells;  ///< 0 where all alpha is 255
  Rect area;
  int channels, alpha;  ///< its number, or -1

  __host__ __device__ std::size_t pitch() const { return (area.width + 31) / 32 * 32; }
  __host__ __device__ std::size_t bytes() const { return pitch() * area.height * channels; }
  __host__ __device__ int cells_across() const { return (area.width + cell - 1) / cell; }
  __host__ __device__ std::size_t cell_count() const {
    return std::size_t{1} * cells_across() * ((area.height + cell - 1) / cell);
  }
  __device__ std::uint8_t* at(int channel, int x, int y) const {
    return codes + (std::size_t{1} * channel * area.height + (y - area.y)) * pitch() + (x - area.x);
  }
  __device__ std::uint8_t& cell_at(int x, int y) const {
    return cells[std::size_t{1} * ((y - area.y) / cell) * cells_across() + (x - area.x) / cell];
  }
  /// Whether all cells are that `some`, as far as it lies in the area, touches; asked by all
  /// threads of a block.
  __device__ bool is_opaque(Rect some, int thread, int threads) const {
    if (alpha < 0) return true;
    const int first_x = (some.x - area.x) / cell, first_y = (some.y - area.y) / cell;
    const int across = (min(some.right(), area.right()) - 1 - area.x) / cell - first_x + 1;
    const int down = (min(some.bottom(), area.bottom()) - 1 - area.y) / cell - first_y + 1;
    bool clear = false;
    for (int i = thread; i < across * down; i += threads)
      clear =
          clear ||
          cells[std::size_t{1} * (first_y + i / across) * cells_across() + first_x + i % across] !=
              0;
    return __syncthreads_or(clear) == 0;
  }
};

/// The result: rows of stored pixels without gaps.
struct CodeRows {
  std::uint8_t* codes;
  Rect area;
  int channels;

  __device__ std::uint8_t* at(int channel, int x, int y) const {
    return codes + (std::size_t{1} * (y - area.y) * area.width + (x - area.x)) * channels + channel;
  }
};

}  // namespace cuda_filters::cuda::surfaces
