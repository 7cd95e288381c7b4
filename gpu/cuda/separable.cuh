// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/pixels.cuh"
#include "gpu/cuda/tiles.cuh"

// Sums along rows and along columns: what a blur or a matrix of rank 1 is made of.

namespace cuda_filters::cuda {

/// The weights of one axis, by value in a kernel's parameters, where every thread of a warp reads
/// the same one at no cost.
struct AxisWeights {
  static constexpr int most = 127;
  int count = 1;  ///< odd
  float values[most] = {1.0f};

  explicit AxisWeights(const std::vector<float>& weights)
      : count{static_cast<int>(weights.size())} {
    for (int i = 0; i < count; ++i) values[i] = weights[i];
  }
  __host__ __device__ int radius() const { return count / 2; }
};

/// What is done to a sum before it is stored: its alpha is scaled, and an offset is added, to the
/// colours times alpha where colours are premultiplied.
struct Finish {
  float alpha_scale = 1.0f;
  float offset = 0.0f;
  bool weighted = true;

  __device__ Pixel operator()(Pixel p) const {
    p.a *= alpha_scale;
    if (offset == 0.0f) return p;
    const float amount = weighted ? offset * p.a : offset;
    return {p.r + amount, p.g + amount, p.b + amount, weighted ? p.a : p.a + offset};
  }
};

/// Adds pixel k of a window to the sums that look at it: sum j begins at pixel j. `sizes`: alpha is
/// weighed by the size of the weights.
template <int sums, bool sizes>
__device__ void add_to_sums(Pixel (&sum)[sums], const AxisWeights& weights, int k, Pixel p) {
  const bool inside = k >= sums - 1 && k < weights.count;
#pragma unroll
  for (int j = 0; j < sums; ++j)
    // Not even a weight of 0 may touch a pixel outside of the window: it could be NaN.
    if (inside || (k - j >= 0 && k - j < weights.count)) {
      const float weight = weights.values[k - j];
      add(sum[j], p, weight, sizes ? fabsf(weight) : weight);
    }
}

constexpr int row_threads = 128, row_sums = 4, row_tile = row_threads * row_sums;

template <class Load, bool sizes>
__global__ void __launch_bounds__(row_threads)
    row_kernel(Tiles tiles, Load load, const __grid_constant__ AxisWeights weights, Plane out) {
  __shared__ Pixel shared[row_tile + AxisWeights::most + (row_tile + AxisWeights::most) / 8 + 1];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int radius = weights.radius();
  const int width = min(row_tile, tiles.area.right() - x);
  for (int i = threadIdx.x; i < width + 2 * radius; i += row_threads)
    shared[spread(i)] = load(x - radius + i, y);
  __syncthreads();
  const int first = threadIdx.x * row_sums;
  Pixel sum[row_sums] = {};
  for (int k = 0; k < weights.count + row_sums - 1; ++k)
    if (first + k < width + 2 * radius)
      add_to_sums<row_sums, sizes>(sum, weights, k, shared[spread(first + k)]);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < row_sums; ++j) shared[spread(first + j)] = sum[j];
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += row_threads) out.at(x + i, y) = shared[spread(i)];
}

constexpr int column_sums = 8;

template <class Store, bool sizes>
__global__ void __launch_bounds__(256)
    column_kernel(Tiles tiles, LoadPlane load, const __grid_constant__ AxisWeights weights,
                  Finish finish, Store store) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * column_sums;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int rows = min(column_sums, tiles.area.bottom() - y);
  const int radius = weights.radius();
  Pixel sum[column_sums] = {};
  for (int k = 0; k < rows + 2 * radius; ++k)
    add_to_sums<column_sums, sizes>(sum, weights, k, load(x, y - radius + k));
#pragma unroll
  for (int j = 0; j < column_sums; ++j)
    if (j < rows) store(x, y + j, finish(sum[j]));
}

/// Sums along the rows of `area` and then along its columns. `sizes` as above.
template <bool sizes, class Load, class Store>
void separable_sums(cudaStream_t stream, Rect area, Load load, const AxisWeights& across,
                    const AxisWeights& down, Finish finish, Store store) {
  const Rect tall = area.grown(0, down.radius());
  Buffer<Pixel> memory{static_cast<std::size_t>(tall.width) * tall.height, stream};
  const Plane plane{memory.data(), tall};
  const Tiles rows{tall, row_tile, 1};
  row_kernel<Load, sizes><<<rows.count(), row_threads, 0, stream>>>(rows, load, across, plane);
  check(cudaGetLastError());
  const dim3 block{32, 8};
  const Tiles columns{area, 32, 8 * column_sums};
  column_kernel<Store, sizes>
      <<<columns.count(), block, 0, stream>>>(columns, LoadPlane{plane}, down, finish, store);
  check(cudaGetLastError());
}

}  // namespace cuda_filters::cuda
