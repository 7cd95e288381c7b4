// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/surface/code_means.hpp"
#include "gpu/algorithms/surface/code_planes.cuh"
#include "gpu/cuda/tiles.cuh"

// Surface blur of bytes by one histogram for each window (Huang, Yang and Tang 1979), where those
// of columns do not fit: of any radius, on any GPU.

namespace cuda_filters::cuda::surfaces {

constexpr int windows_threads = 32, window_codes = 256;

/// Each lane goes down one column of a channel with a histogram of its own in shared memory, in a
/// bank of its own; grid: tiles that are as wide as a warp, channels.
__global__ void __launch_bounds__(windows_threads)
    windows_kernel(CodePlanes in, CodeRows out, Tiles tiles, int radius,
                   surface::CodeWeights weights) {
  __shared__ unsigned counts[window_codes * windows_threads];
  const int lane = static_cast<int>(threadIdx.x), channel = static_cast<int>(blockIdx.y);
  unsigned* const mine = counts + lane;
  for (int i = 0; i < window_codes; ++i) mine[i * windows_threads] = 0;
  const int x = tiles.x(blockIdx.x) + lane, top = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;
  const bool by_alpha = in.alpha >= 0 && channel != in.alpha;
  // Nothing waits for these additions.
  const auto add_row = [&](int y, unsigned sign) {
    const std::uint8_t* const codes = in.at(channel, x - radius, y);
    const std::uint8_t* const alphas = by_alpha ? in.at(in.alpha, x - radius, y) : codes;
#pragma unroll 8
    for (int i = 0; i <= 2 * radius; ++i) {
      const unsigned number = by_alpha ? __ldg(alphas + i) : 1u;
      atomicAdd(mine + __ldg(codes + i) * windows_threads, number * sign);
    }
  };
  for (int y = top - radius; y < top + radius; ++y) add_row(y, 1u);
  const int bottom = min(top + tiles.height, tiles.area.bottom());
  for (int y = top; y < bottom; ++y) {
    add_row(y + radius, 1u);
    const int center = __ldg(in.at(channel, x, y));
    const int begin = max(0, center - weights.reach),
              end = min(window_codes, center + weights.reach + 1);
    surface::CodeSums sums;
    std::uint64_t low = 0, high = 0;
#pragma unroll 4
    for (int i = begin; i < center; ++i) {
      const std::uint64_t number = mine[i * windows_threads];
      const auto far = static_cast<unsigned>(center - i);
      sums.count += number, sums.below += number * far, low += number * (far * far);
    }
#pragma unroll 4
    for (int i = center; i < end; ++i) {
      const std::uint64_t number = mine[i * windows_threads];
      const auto far = static_cast<unsigned>(i - center);
      sums.count += number, sums.above += number * far, high += number * (far * far);
    }
    sums.squares = static_cast<std::int64_t>(high - low);
    *out.at(channel, x, y) = static_cast<std::uint8_t>(sums.mean(center, weights));
    add_row(y - radius, 0u - 1u);
  }
}

}  // namespace cuda_filters::cuda::surfaces
