// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/rank/keys.cuh"
#include "gpu/algorithms/rank/small_median.hpp"

// Medians of small windows by sorting networks.

namespace cuda_filters::cuda::ranks {

/// What sorting networks work on: words into which the samples in four bytes of a row are unpacked,
/// of two numbers of 16 bits or one of 32.
template <class Key>
struct Words {
  static constexpr int samples = 4 / sizeof(Key);
  static constexpr int count = sizeof(Key) == 1 ? 2 : 1;

  struct Min {
    __device__ unsigned operator()(unsigned a, unsigned b) const {
      return sizeof(Key) == 4 ? min(a, b) : __vminu2(a, b);
    }
  };
  struct Max {
    __device__ unsigned operator()(unsigned a, unsigned b) const {
      return sizeof(Key) == 4 ? max(a, b) : __vmaxu2(a, b);
    }
  };
  /// Word number `i` of four bytes.
  __device__ static unsigned unpacked(unsigned bytes, int i) {
    return sizeof(Key) == 1 ? bytes >> 8 * i & 0x00ff00ffu : bytes;
  }
};

/// Four bytes from any place; the memory is there up to the next multiple of four after them.
__device__ inline unsigned four_bytes(const void* from, bool aligned) {
  if (aligned) return __ldg(reinterpret_cast<const unsigned*>(from));
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* words = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const unsigned shift = 8 * (address & 3);
  if (shift == 0) return __ldg(words);
  return __funnelshift_r(__ldg(words), __ldg(words + 1), shift);
}

/// The threads of a block: as many as have room for their sorted rows in 48 KiB, and several such
/// blocks on a processor.
template <class NetworkWindow>
constexpr int network_threads = NetworkWindow::diameter <= 7   ? 128
                                : NetworkWindow::diameter <= 9 ? 64
                                                               : 32;
/// How many of the words of four bytes a thread works on. Neighboring threads have the others: all
/// of them would need too much memory, and registers, for larger windows.
template <class Key, class NetworkWindow>
constexpr int network_words = NetworkWindow::diameter <= 5 ? Words<Key>::count : 1;

/// Medians of small windows, of as many rows a block. A thread goes down four rows at a time, with
/// its last rows, sorted, in shared memory.
template <class Key, class NetworkWindow>
__global__ void __launch_bounds__(network_threads<NetworkWindow>)
    network_kernel(Keys<Key> keys, Codes<Key> out, int rows_of_block) {
  using W = Words<Key>;
  constexpr int d = NetworkWindow::diameter, radius = d / 2, ring = d + 3;
  constexpr int threads = network_threads<NetworkWindow>, words = network_words<Key, NetworkWindow>;
  constexpr int sharing = W::count / words, pieces = threads / sharing;
  __shared__ unsigned memory[ring][d][words][threads];
  const int thread = threadIdx.x, share = thread % sharing;
  const int width = static_cast<int>(out.width());
  const int across = (width + W::samples * pieces - 1) / (W::samples * pieces);
  const int sample =
      (static_cast<int>(blockIdx.x % across) * pieces + thread / sharing) * W::samples;
  // Where there is nothing left, a thread works on the first sample: its neighbor may wait for it.
  const int first = sample < width ? sample : 0;
  const int top = out.area.y + static_cast<int>(blockIdx.x / across) * rows_of_block;
  const int end = min(top + rows_of_block, out.area.bottom());

  const bool aligned = keys.channels * sizeof(Key) % 4 == 0;
  int oldest = 0;
  const auto fetch = [&](int y) {
    const Key* row = keys.at(out.area.x, min(y, keys.area.bottom() - 1)) + first;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      unsigned sorted[d];
      rank::sort_row<NetworkWindow>(
          sorted,
          [&](int dx) {
            return W::unpacked(four_bytes(row + dx * keys.channels, aligned), share + i);
          },
          typename W::Min{}, typename W::Max{});
#pragma unroll
      for (int k = 0; k < d; ++k) memory[oldest][k][i][thread] = sorted[k];
    }
    oldest = oldest + 1 < ring ? oldest + 1 : 0;
  };
  for (int y = top - radius; y < top + radius; ++y) fetch(y);
  for (int y = top; y < end; y += 4) {
#pragma unroll 1
    for (int row = 0; row < 4; ++row) fetch(y + radius + row);
    const unsigned* rows[ring];
#pragma unroll
    for (int row = 0; row < ring; ++row)
      rows[row] = &memory[oldest + row < ring ? oldest + row : oldest + row - ring][0][0][thread];
    unsigned medians[words][4];
#pragma unroll
    for (int i = 0; i < words; ++i)
      rank::four_medians<NetworkWindow>(
          [&](int row, int k) { return rows[row + radius][(k * words + i) * threads]; },
          typename W::Min{}, typename W::Max{}, medians[i]);
    const auto store = [&](int row, unsigned bytes) {
      if (sample < width && y + row < end) out.store_bytes(sample, y + row, bytes);
    };
    if constexpr (sharing == 2) {
      // Each of two threads gives the other one its word of one row, and stores the other row.
#pragma unroll
      for (int row = 0; row < 4; row += 2) {
        const unsigned above = medians[0][row], below = medians[0][row + 1];
        const unsigned other = warp::from_lane_xor(share == 0 ? below : above, 1);
        store(row + share, share == 0 ? above | other << 8 : other | below << 8);
      }
    } else {
#pragma unroll
      for (int row = 0; row < 4; ++row)
        store(row, words == 2 ? medians[0][row] | medians[words - 1][row] << 8 : medians[0][row]);
    }
  }
}

template <class NetworkWindow, class Key>
void network_medians(cudaStream_t stream, const Keys<Key>& keys, const Codes<Key>& out) {
  constexpr int threads = network_threads<NetworkWindow>;
  constexpr int samples =
      Words<Key>::samples * threads / (Words<Key>::count / network_words<Key, NetworkWindow>);
  const unsigned across = divide_up(out.area.width * out.channels, samples);
  // The rows above and below are sorted for each block again, but few blocks end at different
  // times.
  constexpr unsigned many = 3000;
  const int rows = across * divide_up(out.area.height, 64) >= many ? 64 : 32;
  network_kernel<Key, NetworkWindow>
      <<<across * divide_up(out.area.height, rows), threads, 0, stream>>>(keys, out, rows);
  check(cudaGetLastError());
}

template <class Key>
void small_medians(cudaStream_t stream, const Keys<Key>& keys, const Codes<Key>& out,
                   const rank::Window& window) {
  using rank::Shape, rank::SmallWindow;
  [&]<int... r>(std::integer_sequence<int, r...>) {
    constexpr auto round = [](int radius) { return rank::simplest(Shape::circle, radius); };
    ((window.radius != r + 1 ? void()
      : window.is_square()   ? network_medians<SmallWindow<Shape::square, r + 1>>(stream, keys, out)
                           : network_medians<SmallWindow<round(r + 1), r + 1>>(stream, keys, out)),
     ...);
  }
  (std::make_integer_sequence<int, rank::gpu_network_radius>{});
}

}  // namespace cuda_filters::cuda::ranks
