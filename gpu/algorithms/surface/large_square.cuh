// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/surface/surface.hpp"
#include "gpu/cuda/images.cuh"

// Surface blur of working pixels, of squares of any size.

namespace cuda_filters::cuda::surfaces {

/// A thread has four pixels, side by side, which share what it reads; a block's are 32 wide and 32
/// high.
constexpr int square_columns = 4, square_side = 32, square_threads = 256;

/// What a thread has summed up. Each row is summed up by itself, as on the processor.
struct SquareSums {
  float centers[square_columns][4];
  float differences[square_columns][4]{}, weights[square_columns][4]{};
  float row_differences[square_columns][4], row_weights[square_columns][4];

  __device__ void begin_row() {
#pragma unroll
    for (int k = 0; k < square_columns; ++k)
#pragma unroll
      for (int c = 0; c < 4; ++c) row_differences[k][c] = row_weights[k][c] = 0.0f;
  }
  __device__ void end_row() {
#pragma unroll
    for (int k = 0; k < square_columns; ++k)
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        differences[k][c] += row_differences[k][c];
        weights[k][c] += row_weights[k][c];
      }
  }
  /// Adds a pixel to what is around number k. What differs by NaN has no weight.
  __device__ void add(int k, const float4& pixel, float limit) {
    const float values[4] = {pixel.x, pixel.y, pixel.z, pixel.w};
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float difference = fminf(fmaxf(values[c] - centers[k][c], -limit), limit);
      float weight = limit - fabsf(difference);
      if (c < 3) weight *= pixel.w;
      row_weights[k][c] += weight;
      row_differences[k][c] = fmaf(weight, difference, row_differences[k][c]);
    }
  }
  __device__ float mean(int k, int c) const {
    return surface::Smooth::moved(centers[k][c], differences[k][c], weights[k][c]);
  }
};

/// `in` reaches `radius` beyond `area`, a part of `out`.
__global__ void __launch_bounds__(square_threads)
    square_kernel(Plane in, Rect area, Plane out, int radius, float limit) {
  constexpr int across = square_side / square_columns;
  const int x = area.x + static_cast<int>(blockIdx.x) * square_side +
                static_cast<int>(threadIdx.x) % across * square_columns;
  const int y =
      area.y + static_cast<int>(blockIdx.y) * square_side + static_cast<int>(threadIdx.x) / across;
  if (x >= area.right() || y >= area.bottom()) return;
  const auto pixel_at = [&](int column, int row) {
    return __ldg(
        reinterpret_cast<const float4*>(&in.at(min(column, area.right() - 1 + radius), row)));
  };
  SquareSums sums;
#pragma unroll
  for (int k = 0; k < square_columns; ++k) {
    const float4 center = pixel_at(x + k, y);
    sums.centers[k][0] = center.x, sums.centers[k][1] = center.y;
    sums.centers[k][2] = center.z, sums.centers[k][3] = center.w;
  }
#pragma unroll 1
  for (int row = y - radius; row <= y + radius; ++row) {
    sums.begin_row();
    int column = x - radius;
    // The first columns belong to some of the squares only, and the last ones.
#pragma unroll
    for (int first = 0; first < square_columns - 1; ++first, ++column) {
      const float4 pixel = pixel_at(column, row);
#pragma unroll
      for (int k = 0; k <= first; ++k) sums.add(k, pixel, limit);
    }
#pragma unroll 2
    for (; column <= x + radius; ++column) {
      const float4 pixel = pixel_at(column, row);
#pragma unroll
      for (int k = 0; k < square_columns; ++k) sums.add(k, pixel, limit);
    }
#pragma unroll
    for (int last = 1; last < square_columns; ++last, ++column) {
      const float4 pixel = pixel_at(column, row);
#pragma unroll
      for (int k = last; k < square_columns; ++k) sums.add(k, pixel, limit);
    }
    sums.end_row();
  }
#pragma unroll
  for (int k = 0; k < square_columns; ++k)
    if (x + k < area.right())
      out.at(x + k, y) = {sums.mean(k, 0), sums.mean(k, 1), sums.mean(k, 2), sums.mean(k, 3)};
}

}  // namespace cuda_filters::cuda::surfaces
