// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "gpu/core/error.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/store.cuh"
#include "gpu/cuda/tiles.cuh"

// Sums along rows and along columns: what a blur or a matrix of rank 1 is made of.

namespace cuda_filters::cuda {

/// The weights of one axis, by value in a kernel's parameters, where every thread of a warp reads
/// the same one at no cost.
struct AxisWeights {
  static constexpr int max_count = 127;
  int count = 1;                         ///< odd
  float values[max_count + 1] = {1.0f};  ///< zeros after them

  explicit AxisWeights(const std::vector<float>& weights)
      : count{static_cast<int>(weights.size())} {
    if (count > max_count) throw Error{tr(N_("Internal error: a sum has too many weights."))};
    for (int i = 0; i < count; ++i) values[i] = weights[i];
  }
  __host__ __device__ int radius() const { return count / 2; }
};

/// What is done to a matrix's sum before it is stored: its alpha is scaled, and an offset is added,
/// to the colors times alpha where colors are premultiplied.
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
/// `matrix_and_sizes`: as `matrix`, but alpha is weighed by the size of the weights.
enum class Weighing { blur, matrix, matrix_and_sizes };

template <Weighing weighing>
__device__ void weigh(Pixel& sum, Pixel p, float weight) {
  if (weighing != Weighing::blur && weight == 0.0f) return;
  add(sum, p, weight, weighing == Weighing::matrix_and_sizes ? fabsf(weight) : weight);
}

/// How many neighboring sums a thread computes, which share most of their pixels and weights.
constexpr int window_sums = 8;

/// Adds the pixels of a window to its sums: sum j looks at the pixels j … j + count - 1. pixel(k)
/// gives pixel k, and is called once for each, in their order; weight(i) is that of the pixel i of
/// a sum's own window, for any i below the next multiple of 8. No sum touches a pixel outside of
/// its window, which could be NaN. Every sum adds its pixels in their order, so that its bits do
/// not depend on its place.
template <Weighing weighing, class GetWeight, class GetPixel>
__device__ void sum_window(Pixel (&sum)[window_sums], int count, GetWeight weight, GetPixel pixel) {
  constexpr int sums = window_sums;
  Pixel pixels[sums];  // read together, because threads wait for them
  if (count < sums) {
#pragma unroll
    for (int first = 0; first <= sums; first += sums) {
#pragma unroll
      for (int k = 0; k < sums; ++k)
        if (first + k < count + sums - 1) pixels[k] = pixel(first + k);
#pragma unroll
      for (int k = 0; k < sums; ++k)
#pragma unroll
        for (int j = 0; j < sums; ++j) {
          const int i = first + k - j;
          if (i >= 0 && i < sums - 1 && i < count) weigh<weighing>(sum[j], pixels[k], weight(i));
        }
    }
    return;
  }
  // All sums look at the pixels in the middle; at both ends the compiler knows which do.
  float weights[2 * sums - 1];  // of pixel k of a step for sum j: number sums - 1 + k - j
#pragma unroll
  for (int i = 0; i < sums; ++i) weights[sums - 1 + i] = weight(i);
#pragma unroll
  for (int k = 0; k < sums; ++k) pixels[k] = pixel(k);
#pragma unroll
  for (int k = 0; k < sums; ++k)
#pragma unroll
    for (int j = 0; j <= k; ++j) weigh<weighing>(sum[j], pixels[k], weights[sums - 1 + k - j]);
#pragma unroll 1
  for (int first = sums; first < count; first += sums) {
#pragma unroll
    for (int i = 0; i < sums - 1; ++i) weights[i] = weights[sums + i];
#pragma unroll
    for (int i = 0; i < sums; ++i) weights[sums - 1 + i] = weight(first + i);
#pragma unroll
    for (int k = 0; k < sums; ++k)
      if (first + k < count) pixels[k] = pixel(first + k);
#pragma unroll
    for (int k = 0; k < sums; ++k) {
      if (first + k >= count) break;
#pragma unroll
      for (int j = 0; j < sums; ++j) weigh<weighing>(sum[j], pixels[k], weights[sums - 1 + k - j]);
    }
  }
#pragma unroll
  for (int k = 0; k < sums - 1; ++k) pixels[k] = pixel(count + k);
#pragma unroll
  for (int k = 0; k < sums - 1; ++k)
#pragma unroll
    for (int j = k + 1; j < sums; ++j) weigh<weighing>(sum[j], pixels[k], weight(count + k - j));
}

constexpr int row_threads = 64, row_tile = row_threads * window_sums;

template <class Load, Weighing weighing>
__global__ void __launch_bounds__(row_threads)
    row_kernel(Tiles tiles, Load load, const __grid_constant__ AxisWeights weights, Plane out) {
  __shared__ Pixel
      shared[row_tile + AxisWeights::max_count + (row_tile + AxisWeights::max_count) / 8 + 1];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int radius = weights.radius();
  const int width = min(row_tile, tiles.area.right() - x);
  load_shared<row_threads, 5>(
      static_cast<int>(threadIdx.x), width + 2 * radius, load,
      [&](int i) {
        return int2{x - radius + i, y};
      },
      [&](int i) -> Pixel& { return shared[spread(i)]; });
  __syncthreads();
  Pixel* const mine = shared + spread(threadIdx.x * window_sums);
  Pixel sum[window_sums] = {};
  if (static_cast<int>(threadIdx.x) * window_sums < width)
    sum_window<weighing>(
        sum, weights.count, [&](int i) { return weights.values[i]; },
        [&](int k) { return mine[spread(k)]; });
  __syncthreads();
#pragma unroll
  for (int j = 0; j < window_sums; ++j) mine[j] = sum[j];
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x);
  const Pixel* const from = shared + spread(column);
  Pixel* const to = &out.at(x + column, y);
#pragma unroll
  for (int i = 0; i < window_sums; ++i)
    if (column + i * row_threads < width) to[i * row_threads] = from[spread(i * row_threads)];
}

template <class Storer, Weighing weighing>
__global__ void __launch_bounds__(256)
    column_kernel(Tiles tiles, Plane plane, const __grid_constant__ AxisWeights weights,
                  Finish finish, Storer store) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * window_sums;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int rows = min(window_sums, tiles.area.bottom() - y);
  const auto finished = [&](Pixel p) { return weighing == Weighing::blur ? p : finish(p); };
  const auto* pixel = reinterpret_cast<const float4*>(&plane.at(x, y - weights.radius()));
  Pixel sum[window_sums] = {};
  sum_window<weighing>(
      sum, weights.count, [&](int i) { return weights.values[i]; },
      [&](int) {
        const float4 p = __ldg(pixel);
        pixel += plane.area.width;
        return Pixel{p.x, p.y, p.z, p.w};
      });
  if constexpr (requires { store.fetch(x, y); }) {
    decltype(store.fetch(x, y)) originals[window_sums];
#pragma unroll
    for (int j = 0; j < window_sums; ++j) originals[j] = store.fetch(x, y + min(j, rows - 1));
#pragma unroll
    for (int j = 0; j < window_sums; ++j)
      if (j < rows) store(x, y + j, finished(sum[j]), originals[j]);
  } else {
#pragma unroll
    for (int j = 0; j < window_sums; ++j)
      if (j < rows) store(x, y + j, finished(sum[j]));
  }
}

/// Sums along the rows, for every pixel of `out`.
template <Weighing weighing, class Load>
void sum_rows(cudaStream_t stream, Load load, const AxisWeights& weights, Plane out) {
  const Tiles rows{out.area, row_tile, 1};
  row_kernel<Load, weighing><<<rows.count(), row_threads, 0, stream>>>(rows, load, weights, out);
  check(cudaGetLastError());
}

/// Memory for an intermediate image whose columns are summed: threads read rows below it, for sums
/// that nobody wants.
inline Buffer<Pixel> summed_memory(Rect area, cudaStream_t stream) {
  return {static_cast<std::size_t>(area.width) * (area.height + window_sums - 1), stream};
}

/// Sums along the columns, for every pixel of `area`, of a plane in summed_memory().
template <Weighing weighing, class Storer>
void sum_columns(cudaStream_t stream, Rect area, Plane plane, const AxisWeights& weights,
                 Storer store, Finish finish = {}) {
  const Tiles columns{area, 32, 8 * window_sums};
  column_kernel<Storer, weighing>
      <<<columns.count(), dim3{32, 8}, 0, stream>>>(columns, plane, weights, finish, store);
  check(cudaGetLastError());
}

/// Sums along the rows of `area` and then along its columns. (One kernel for both, with rows in
/// shared memory, moves half the bytes, but was no faster for floats at radius 5 and slower above;
/// for bytes, of which it moves a fifth, see small_blur.cuh.)
template <Weighing weighing, class Load, class Storer>
void separable_sums(cudaStream_t stream, Rect area, Load load, const AxisWeights& across,
                    const AxisWeights& down, Storer store, Finish finish = {}) {
  const Rect tall = area.grown(0, down.radius());
  const Buffer<Pixel> memory = summed_memory(tall, stream);
  const Plane plane{memory.data(), tall};
  sum_rows<weighing>(stream, load, across, plane);
  sum_columns<weighing>(stream, area, plane, down, store, finish);
}

}  // namespace cuda_filters::cuda
