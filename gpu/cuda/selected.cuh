// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/core/selection.hpp"
#include "gpu/cuda/load.cuh"

// How kernels of analyses go through the pixels that are selected.

namespace cuda_filters::cuda {

/// Calls f(pixel), or f(pixel, x, y), for the pixels of `area` that are selected and not fully
/// transparent, spread over all threads of the grid; a thread goes down pieces of columns.
template <int threads, class Load, class F>
__device__ void for_selected(Rect area, const Load& load, F f) {
  constexpr int at_once = sizeof(load.fetch(0, 0).stored) <= 4 ? 8 : 4;
  const int across = (area.width + threads - 1) / threads;
  const int tiles = across * ((area.height + at_once - 1) / at_once);
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int x = tile % across * threads + static_cast<int>(threadIdx.x);
    const int first = tile / across * at_once;
    decltype(load.fetch(0, 0)) fetched[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      fetched[k] =
          load.fetch(area.x + min(x, area.width - 1), area.y + min(first + k, area.height - 1));
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int y = first + k;
      const Pixel p = load.decoded(fetched[k]);
      const bool visible = x < area.width && y < area.height && p.a > 0.0f;
      if (!is_counted(visible, load.in.mask, static_cast<std::size_t>(y) * area.width + x))
        continue;
      if constexpr (requires { f(p, x, y); })
        f(p, area.x + x, area.y + y);
      else
        f(p);
    }
  }
}

/// f() of what all lanes of a warp have, in all of them; f(a, b) in any order.
template <class F>
__device__ unsigned across_warp(unsigned value, F f) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value = f(value, warp::from_lane_xor(value, lanes));
  return value;
}
struct Least {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return min(a, b); }
};
struct Greatest {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};
struct Sum {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

/// Calls f(pixel, counts) for stored pixels of 8-bit RGBA, spread over all threads of the grid: for
/// all of those that are selected and not fully transparent, which count, and for some others.
template <int threads, class F>
__device__ void for_selected_bytes(Rect area, const Input& in, F f) {
  constexpr int at_once = 4;
  const int across = (area.width + 4 * threads - 1) / (4 * threads);
  const int tiles = across * ((area.height + at_once - 1) / at_once);
  const int thread = static_cast<int>(threadIdx.x);
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int group = tile % across * threads + thread, top = tile / across * at_once;
    // Four neighbors at a time where they lie at multiples of 16 bytes; x: of the first.
    uint4 fetched[at_once];
    int x[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int y = top + k;
      fetched[k] = uint4{};  // which does not count
      x[k] = 0;
      if (y >= area.height) continue;
      const auto* row =
          reinterpret_cast<const unsigned*>(in.at(area.x, area.y + y, sizeof(unsigned)));
      const int before = min(
          static_cast<int>((16 - reinterpret_cast<std::uintptr_t>(row) % 16) % 16 / 4), area.width);
      const int groups = (area.width - before) / 4, after = before + 4 * groups;
      x[k] = before + 4 * group;
      if (group < groups) fetched[k] = __ldg(reinterpret_cast<const uint4*>(row + x[k]));
      // The few pixels at both ends.
      const int end = thread < before ? thread : after + thread - before;
      if (group < 6 && end < area.width) {
        const unsigned pixel = __ldg(row + end);
        const std::size_t at = static_cast<std::size_t>(y) * area.width + end;
        f(pixel, is_counted(pixel >> 24 != 0, in.mask, at));
      }
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned pixels[4] = {fetched[k].x, fetched[k].y, fetched[k].z, fetched[k].w};
      const std::size_t at = static_cast<std::size_t>(top + k) * area.width + x[k];
#pragma unroll
      for (int i = 0; i < 4; ++i) f(pixels[i], is_counted(pixels[i] >> 24 != 0, in.mask, at + i));
    }
  }
}

}  // namespace cuda_filters::cuda
