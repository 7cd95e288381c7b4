// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/algorithms/surface/code_means.hpp"
#include "gpu/algorithms/surface/code_planes.cuh"
#include "gpu/cuda/tiles.cuh"

// Surface blur of bytes by histograms of columns, which slide down (Perreault and Hébert 2007).
//
// A block has a tile of one channel. In shared memory lies a histogram of each column of the tile
// and of what is around it; row by row a pixel enters it and one leaves it. Each warp has some
// pixels of a row, side by side. Each lane keeps 8 of the 256 counts of a window in registers, and
// goes from a pixel to the next one by what the columns that enter and leave have. The windows of a
// few pixels at a time are written to shared memory, where some lanes for each sum up the codes
// that have a weight.

namespace cuda_filters::cuda::surfaces {

using surface::CodeSums;
using surface::CodeWeights;

constexpr int codes = 256;

/// How a kernel counts: pixels once, of which a column has less than 256 and a window less than
/// 65536.
struct Plain {
  static constexpr bool by_alpha = false;
  /// Of a row: the pixels that a warp has, and of how many the windows are written at a time.
  static constexpr int pixels = 32, at_once = 8;
  using Count = std::uint8_t;              ///< of a column
  static constexpr int words = codes / 2;  ///< of a window, of two counts each

  /// Where the count of a code lies in a column, and what one more of it adds to which word.
  static __device__ int place(int code) { return code; }
  static __device__ int word(int code) { return code / 2; }
  static __device__ unsigned times(int code, unsigned number) { return number << 16 * (code & 1); }

  /// The words of a lane, which it adds columns to. What carries from one count of a word into the
  /// other goes back when the column leaves.
  struct Window {
    uint4 words;
    __device__ void load(const unsigned* from, int lane) {
      words = reinterpret_cast<const uint4*>(from)[lane];
    }
    __device__ void store(unsigned* to, int lane) const {
      reinterpret_cast<uint4*>(to)[lane] = words;
    }
    __device__ void add(const Count* column, int lane) {
      const uint2 counts = reinterpret_cast<const uint2*>(column)[lane];
      words.x += __byte_perm(counts.x, 0, 0x4140), words.y += __byte_perm(counts.x, 0, 0x4342);
      words.z += __byte_perm(counts.y, 0, 0x4140), words.w += __byte_perm(counts.y, 0, 0x4342);
    }
    __device__ void remove(const Count* column, int lane) {
      const uint2 counts = reinterpret_cast<const uint2*>(column)[lane];
      words.x -= __byte_perm(counts.x, 0, 0x4140), words.y -= __byte_perm(counts.x, 0, 0x4342);
      words.z -= __byte_perm(counts.y, 0, 0x4140), words.w -= __byte_perm(counts.y, 0, 0x4342);
    }
  };

  /// For the difference d of the first of two codes, from -256 on: |d| and |d + 1|, whether these
  /// have a weight, and their squares, the low bytes of both first. Without a weight all are 0.
  struct Table {
    uint2 of[2 * codes];
    __device__ void fill(int thread, int threads, int reach) {
      for (int i = thread; i < 2 * codes; i += threads) {
        uint2 entry{};
        for (int k = 0; k < 2; ++k) {
          const auto far = static_cast<unsigned>(abs(i - codes + k));
          if (far > static_cast<unsigned>(reach)) continue;
          const unsigned square = far * far;
          entry.x |= (far | 1u << 16) << 8 * k;
          entry.y |= (square % 256 | square / 256 << 16) << 8 * k;
        }
        of[i] = entry;
      }
    }
  };

  /// What lane `part` of the `parts` of a pixel finds in its window.
  static __device__ CodeSums sums(const unsigned* window, int center, int part, int parts,
                                  int reach, const Table& table) {
    unsigned count = 0, below = 0, above = 0, low = 0, high = 0;
    const int middle = (center + 1) / 2, end = min(codes - 1, center + reach) / 2 + 1;
    const uint2* const from = table.of + codes - center;
#pragma unroll 4
    for (int i = max(0, center - reach) / 2 + part; i < middle; i += parts) {
      const unsigned two = window[i];
      const uint2 entry = from[2 * i];
      below = __dp2a_lo(two, entry.x, below), count = __dp2a_hi(two, entry.x, count);
      low = __dp2a_lo(two, entry.y, low), high = __dp2a_hi(two, entry.y, high);
    }
    low = 0u - low, high = 0u - high;
#pragma unroll 4
    for (int i = middle + part; i < end; i += parts) {
      const unsigned two = window[i];
      const uint2 entry = from[2 * i];
      above = __dp2a_lo(two, entry.x, above), count = __dp2a_hi(two, entry.x, count);
      low = __dp2a_lo(two, entry.y, low), high = __dp2a_hi(two, entry.y, high);
    }
    const std::int64_t squares = std::int64_t{static_cast<int>(high)} * 256 + static_cast<int>(low);
    return {count, below, above, squares};
  }
};

/// As often as their alpha says.
struct Weighted {
  static constexpr bool by_alpha = true;
  static constexpr int pixels = 16, at_once = 4;
  using Count = std::uint16_t;
  static constexpr int words = codes;

  // A lane has two times four codes, so that lanes write side by side.
  static __device__ int place(int code) { return code % 128 / 4 * 8 + code / 128 * 4 + code % 4; }
  static __device__ int word(int code) { return code; }
  static __device__ unsigned times(int, unsigned number) { return number; }

  struct Window {
    uint4 words[2];
    __device__ void load(const unsigned* from, int lane) {
      for (int k = 0; k < 2; ++k) words[k] = reinterpret_cast<const uint4*>(from)[32 * k + lane];
    }
    __device__ void store(unsigned* to, int lane) const {
      for (int k = 0; k < 2; ++k) reinterpret_cast<uint4*>(to)[32 * k + lane] = words[k];
    }
    __device__ void add(const Count* column, int lane) {
      const uint4 counts = reinterpret_cast<const uint4*>(column)[lane];
      words[0].x += counts.x & 0xffffu, words[0].y += counts.x >> 16;
      words[0].z += counts.y & 0xffffu, words[0].w += counts.y >> 16;
      words[1].x += counts.z & 0xffffu, words[1].y += counts.z >> 16;
      words[1].z += counts.w & 0xffffu, words[1].w += counts.w >> 16;
    }
    __device__ void remove(const Count* column, int lane) {
      const uint4 counts = reinterpret_cast<const uint4*>(column)[lane];
      words[0].x -= counts.x & 0xffffu, words[0].y -= counts.x >> 16;
      words[0].z -= counts.y & 0xffffu, words[0].w -= counts.y >> 16;
      words[1].x -= counts.z & 0xffffu, words[1].y -= counts.z >> 16;
      words[1].z -= counts.w & 0xffffu, words[1].w -= counts.w >> 16;
    }
  };

  struct Table {
    __device__ void fill(int, int, int) {}
  };

  static __device__ CodeSums sums(const unsigned* window, int center, int part, int parts,
                                  int reach, const Table&) {
    unsigned count = 0, below = 0, above = 0;
    std::uint64_t low = 0, high = 0;
    const int end = min(codes, center + reach + 1);
#pragma unroll 4
    for (int i = max(0, center - reach) + part; i < center; i += parts) {
      const unsigned number = window[i], far = static_cast<unsigned>(center - i);
      count += number, below += number * far, low += std::uint64_t{number} * (far * far);
    }
#pragma unroll 4
    for (int i = center + part; i < end; i += parts) {
      const unsigned number = window[i], far = static_cast<unsigned>(i - center);
      count += number, above += number * far, high += std::uint64_t{number} * (far * far);
    }
    return {count, below, above, static_cast<std::int64_t>(high - low)};
  }
};

/// How many warps a block may have.
constexpr int min_warps = 4, max_warps = 16;

/// Where what lies in a block's shared memory.
template <class Kind>
struct Layout {
  static constexpr int lanes = 32 / Kind::at_once;  ///< of each pixel
  static constexpr int steps = Kind::pixels / Kind::at_once;
  static_assert(steps <= lanes);
  /// Counts from a column to the next one, so that different columns lie in different banks, and
  /// words from a window to the next one, so that all lanes read from different banks.
  static constexpr int column_stride = codes + 8, window_stride = Kind::words + lanes;
  static constexpr int max_radius = 127;
  static constexpr int columns_of_thread =
      (min_warps * Kind::pixels + 2 * max_radius + 32 * min_warps - 1) / (32 * min_warps);

  int warps;
  int columns;  ///< of the tile and of what is around it

  HOST_DEVICE Layout(int warps_of_block, int radius)
      : warps{warps_of_block}, columns{warps_of_block * Kind::pixels + 2 * radius} {}
  HOST_DEVICE int width() const { return warps * Kind::pixels; }  ///< of a tile
  HOST_DEVICE int threads() const { return 32 * warps; }
  // One more than there are, which only ever enters a window that nobody looks at.
  HOST_DEVICE std::size_t starts() const {
    const std::size_t bytes = (columns + 1) * column_stride * sizeof(typename Kind::Count);
    return (bytes + 15) / 16 * 16;
  }
  HOST_DEVICE std::size_t windows() const {
    return starts() + sizeof(unsigned) * warps * Kind::words;
  }
  HOST_DEVICE std::size_t moves() const {
    return windows() + sizeof(unsigned) * warps * Kind::at_once * window_stride;
  }
  HOST_DEVICE std::size_t bytes() const { return moves() + sizeof(unsigned) * columns; }
};

/// The sums of all lanes of a pixel.
template <int lanes>
__device__ CodeSums together(CodeSums sums) {
  auto count = static_cast<unsigned>(sums.count), below = static_cast<unsigned>(sums.below),
       above = static_cast<unsigned>(sums.above);
#pragma unroll
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
    count += warp::from_lane_xor(count, mask);
    below += warp::from_lane_xor(below, mask);
    above += warp::from_lane_xor(above, mask);
    sums.squares += warp::from_lane_xor(sums.squares, mask);
  }
  return {count, below, above, sums.squares};
}

/// One tile of a channel. Its histograms belong to all threads of the block.
template <class Kind>
class ColumnTile {
 public:
  using Place = Layout<Kind>;
  using Count = typename Kind::Count;

  __device__ ColumnTile(std::byte* memory, const CodePlanes& in, Rect tile, int channel, int radius)
      : in_{in},
        tile_{tile},
        channel_{channel},
        radius_{radius},
        warp_{static_cast<int>(threadIdx.x) / 32},
        lane_{static_cast<int>(threadIdx.x) % 32},
        threads_{static_cast<int>(blockDim.x)} {
    const Place place{threads_ / 32, radius};
    columns_ = reinterpret_cast<Count*>(memory);
    start_ = reinterpret_cast<unsigned*>(memory + place.starts()) + warp_ * Kind::words;
    windows_ = reinterpret_cast<unsigned*>(memory + place.windows()) +
               warp_ * Kind::at_once * Place::window_stride;
    moves_ = reinterpret_cast<unsigned*>(memory + place.moves());
    count_ = place.columns;
    last_ = min(count_, in.area.right() - (tile.x - radius)) - 1;
  }

  /// Counts what is around the first row.
  __device__ void begin() {
    auto* const words = reinterpret_cast<unsigned*>(columns_);
    const int size = (count_ + 1) * Place::column_stride * static_cast<int>(sizeof(Count)) / 4;
    for (int i = static_cast<int>(threadIdx.x); i < size; i += threads_) words[i] = 0;
    __syncthreads();
    for_columns([&](int, int column) {
#pragma unroll 8
      for (int y = tile_.y - radius_; y <= tile_.y + radius_; ++y) {
        const unsigned pixel = pixel_at(column, y);
        count(column, pixel, number_of(pixel));
      }
    });
    __syncthreads();
    typename Kind::Window window{};
    const Count* const first = columns_ + warp_ * Kind::pixels * Place::column_stride;
    for (int i = 0; i <= 2 * radius_; ++i) window.add(first + i * Place::column_stride, lane_);
    window.store(start_, lane_);
    warp::sync();
  }

  /// Asks for what enters and what leaves after row y.
  __device__ void fetch(int y) {
    for_columns([&](int i, int column) {
      fresh_[i] = pixel_at(column, y + radius_ + 1), old_[i] = pixel_at(column, y - radius_);
    });
  }

  /// Moves all histograms down by one row.
  __device__ void move() {
    __syncthreads();
    for_columns([&](int i, int column) {
      moves_[column] = fresh_[i] | old_[i] << 16;
      if (fresh_[i] == old_[i]) return;
      count(column, fresh_[i], number_of(fresh_[i]));
      count(column, old_[i], 0u - number_of(old_[i]));
    });
    __syncthreads();
    for (int i = lane_; i <= 2 * radius_; i += 32) {
      const unsigned move = moves_[warp_ * Kind::pixels + i];
      const unsigned fresh = move & 0xffffu, old = move >> 16;
      if (fresh == old) continue;
      const int entering = code_of(fresh), leaving = code_of(old);
      atomicAdd(start_ + Kind::word(entering), Kind::times(entering, number_of(fresh)));
      atomicAdd(start_ + Kind::word(leaving), 0u - Kind::times(leaving, number_of(old)));
    }
    warp::sync();
  }

  /// The warp's pixels of row y: calls found(x, code).
  template <class Found>
  __device__ void blur(int y, const CodeWeights& weights, const typename Kind::Table& table,
                       Found found) {
    constexpr int lanes = Place::lanes;
    const int part = lane_ % lanes, pixel = lane_ / lanes, left = warp_ * Kind::pixels;
    const int own = code_of(pixel_at(radius_ + left + lane_ % Kind::pixels, y));
    typename Kind::Window window;
    window.load(start_, lane_);
    const Count* leaving = columns_ + left * Place::column_stride;
    const Count* entering = leaving + (2 * radius_ + 1) * Place::column_stride;
    CodeSums mine;
    int center = 0;
#pragma unroll 1
    for (int step = 0; step < Place::steps; ++step) {
#pragma unroll
      for (int i = 0; i < Kind::at_once; ++i) {
        window.store(windows_ + i * Place::window_stride, lane_);
        window.add(entering + i * Place::column_stride, lane_);
        window.remove(leaving + i * Place::column_stride, lane_);
      }
      entering += Kind::at_once * Place::column_stride;
      leaving += Kind::at_once * Place::column_stride;
      const int code = warp::from_lane(own, step * Kind::at_once + pixel);
      warp::sync();
      const CodeSums sums = together<lanes>(Kind::sums(windows_ + pixel * Place::window_stride,
                                                       code, part, lanes, weights.reach, table));
      if (part == step) mine = sums, center = code;
      warp::sync();
    }
    if (part < Place::steps)
      found(tile_.x + left + part * Kind::at_once + pixel, mine.mean(center, weights));
  }

 private:
  /// Calls f(i, column) for the columns of this thread.
  template <class F>
  __device__ void for_columns(F f) const {
#pragma unroll
    for (int i = 0; i < Place::columns_of_thread; ++i) {
      const int column = static_cast<int>(threadIdx.x) + i * threads_;
      if (column < count_) f(i, column);
    }
  }
  /// A pixel: its code, and above that how often it counts. Beyond the last column is that again.
  __device__ unsigned pixel_at(int column, int y) const {
    const int x = tile_.x - radius_ + min(column, last_);
    const unsigned code = __ldg(in_.at(channel_, x, y));
    return Kind::by_alpha ? code | static_cast<unsigned>(__ldg(in_.at(in_.alpha, x, y))) << 8
                          : code;
  }
  static __device__ int code_of(unsigned pixel) { return static_cast<int>(pixel & 255u); }
  static __device__ unsigned number_of(unsigned pixel) { return Kind::by_alpha ? pixel >> 8 : 1u; }

  __device__ void count(int column, unsigned pixel, unsigned number) const {
    Count& counted = columns_[column * Place::column_stride + Kind::place(code_of(pixel))];
    counted = static_cast<Count>(counted + number);
  }

  const CodePlanes& in_;
  Rect tile_;
  int channel_, radius_, warp_, lane_, threads_;
  int count_, last_;  // of the columns
  Count* columns_;
  unsigned *start_, *windows_, *moves_;  // the first two are the warp's
  unsigned fresh_[Place::columns_of_thread], old_[Place::columns_of_thread];
};

/// One kernel computes the tiles that are opaque, with what is around them, and alpha everywhere;
/// the other one, whose tiles may be of another width, what touches others. Grid: tiles, channels.
template <class Kind>
__global__ void __launch_bounds__(32 * max_warps, 1)
    columns_kernel(CodePlanes in, CodeRows out, Tiles tiles, int opaque_width, int radius,
                   CodeWeights weights) {
  extern __shared__ uint4 shared_memory[];
  __shared__ typename Kind::Table table;
  const int channel = static_cast<int>(blockIdx.y), thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const Rect tile{x, y, min(tiles.width, tiles.area.right() - x),
                  min(tiles.height, tiles.area.bottom() - y)};
  // The tiles of the first kernel that this one touches.
  const int left = (x - tiles.area.x) / opaque_width * opaque_width;
  const int right = ((tile.right() - 1 - tiles.area.x) / opaque_width + 1) * opaque_width;
  const Rect touched{tiles.area.x + left, y, right - left, tile.height};
  const bool opaque = in.is_opaque(touched.grown(radius, radius), thread, threads);
  if (Kind::by_alpha ? opaque : !opaque && channel != in.alpha) return;
  if (channel == in.alpha && opaque) {
    for (int i = thread; i < tile.width * tile.height; i += threads)
      *out.at(channel, x + i % tile.width, y + i / tile.width) = 255;
    return;
  }
  table.fill(thread, threads, weights.reach);
  ColumnTile<Kind> columns{reinterpret_cast<std::byte*>(shared_memory), in, tile, channel, radius};
  columns.begin();
  for (int row = y;; ++row) {
    const bool is_last = row + 1 == tile.bottom();
    if (!is_last) columns.fetch(row);
    columns.blur(row, weights, table, [&](int to, int code) {
      if (to < tile.right()) *out.at(channel, to, row) = static_cast<std::uint8_t>(code);
    });
    if (is_last) return;
    columns.move();
  }
}

}  // namespace cuda_filters::cuda::surfaces
