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

/// What weights do. `blur`: none is 0. `matrix`: pixels of weight 0 take no part, not even NaN.
/// `matrix_and_sizes`: likewise, and alpha is weighed by the size of the weights.
enum class Weighing { blur, matrix, matrix_and_sizes };

template <Weighing weighing>
__device__ void weigh(Pixel& sum, Pixel p, float weight) {
  if (weighing != Weighing::blur && weight == 0.0f) return;
  add(sum, p, weight, weighing == Weighing::matrix_and_sizes ? fabsf(weight) : weight);
}

/// Adds the pixels of a window to its sums: sum j looks at the pixels j … j + count - 1, and
/// pixel(k) gives pixel k; weight(i) is that of the pixel i of a sum's own window. No sum
/// touches a pixel outside of that, which could be NaN. Every sum adds its pixels in their order,
/// so that its bits do not depend on its place.
template <int sums, Weighing weighing, class GetWeight, class GetPixel>
__device__ void sum_window(Pixel (&sum)[sums], int count, GetWeight weight, GetPixel pixel) {
  const auto add_to = [&](int j, int k, Pixel p) { weigh<weighing>(sum[j], p, weight(k - j)); };
  if (count < sums) {
    for (int k = 0; k < count + sums - 1; ++k) {
      const Pixel p = pixel(k);
#pragma unroll
      for (int j = 0; j < sums; ++j)
        if (k >= j && k - j < count) add_to(j, k, p);
    }
    return;
  }
  // All sums look at the pixels in the middle; at both ends the compiler knows which do.
#pragma unroll
  for (int k = 0; k < sums - 1; ++k) {
    const Pixel p = pixel(k);
#pragma unroll
    for (int j = 0; j <= k; ++j) add_to(j, k, p);
  }
#pragma unroll 4
  for (int k = sums - 1; k < count; ++k) {
    const Pixel p = pixel(k);
#pragma unroll
    for (int j = 0; j < sums; ++j) add_to(j, k, p);
  }
#pragma unroll
  for (int end = 0; end < sums - 1; ++end) {
    const Pixel p = pixel(count + end);
#pragma unroll
    for (int j = end + 1; j < sums; ++j) add_to(j, count + end, p);
  }
}

constexpr int column_sums = 8;

constexpr int row_threads = 128, row_sums = 4, row_tile = row_threads * row_sums;

template <class Load, Weighing weighing>
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
  if (first < width)
    sum_window<row_sums, weighing>(
        sum, weights.count, [&](int i) { return weights.values[i]; },
        [&](int k) { return shared[spread(first + k)]; });
  __syncthreads();
#pragma unroll
  for (int j = 0; j < row_sums; ++j) shared[spread(first + j)] = sum[j];
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += row_threads) out.at(x + i, y) = shared[spread(i)];
}

template <class Store, Weighing weighing>
__global__ void __launch_bounds__(256)
    column_kernel(Tiles tiles, LoadPlane load, const __grid_constant__ AxisWeights weights,
                  Finish finish, Store store) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * column_sums;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int rows = min(column_sums, tiles.area.bottom() - y);
  const int top = y - weights.radius(), last = load.plane.area.bottom() - 1;
  Pixel sum[column_sums] = {};
  sum_window<column_sums, weighing>(
      sum, weights.count, [&](int i) { return weights.values[i]; },
      [&](int k) { return load(x, min(top + k, last)); });
#pragma unroll
  for (int j = 0; j < column_sums; ++j)
    if (j < rows) store(x, y + j, finish(sum[j]));
}

/// Sums along the rows, for every pixel of `out`.
template <Weighing weighing, class Load>
void sum_rows(cudaStream_t stream, Load load, const AxisWeights& weights, Plane out) {
  const Tiles rows{out.area, row_tile, 1};
  row_kernel<Load, weighing><<<rows.count(), row_threads, 0, stream>>>(rows, load, weights, out);
  check(cudaGetLastError());
}

/// Sums along the columns, for every pixel of `area`.
template <Weighing weighing, class Store>
void sum_columns(cudaStream_t stream, Rect area, LoadPlane load, const AxisWeights& weights,
                 Finish finish, Store store) {
  const Tiles columns{area, 32, 8 * column_sums};
  column_kernel<Store, weighing>
      <<<columns.count(), dim3{32, 8}, 0, stream>>>(columns, load, weights, finish, store);
  check(cudaGetLastError());
}

/// Sums along the rows of `area` and then along its columns. (One kernel for both, with rows in
/// shared memory, moves half the bytes, but was no faster at radius 5 and slower above.)
template <Weighing weighing, class Load, class Store>
void separable_sums(cudaStream_t stream, Rect area, Load load, const AxisWeights& across,
                    const AxisWeights& down, Finish finish, Store store) {
  const Rect tall = area.grown(0, down.radius());
  Buffer<Pixel> memory{static_cast<std::size_t>(tall.width) * tall.height, stream};
  const Plane plane{memory.data(), tall};
  sum_rows<weighing>(stream, load, across, plane);
  sum_columns<weighing>(stream, area, LoadPlane{plane}, down, finish, store);
}

}  // namespace cuda_filters::cuda
