// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/separable.cuh"

namespace cuda_filters::cuda {
namespace {

constexpr int tile_width = 32, tile_sums = 8, tile_height = 8 * tile_sums;
/// Above, the weights do not fit a kernel's parameters and its loops are not unrolled.
constexpr int most_unrolled = 7;

/// Weights whose every use is known when the kernel is compiled.
struct SmallMatrix {
  float values[most_unrolled * most_unrolled];
};

/// A matrix up to 7 by 7, square, all in registers and constants: each thread sums eight pixels
/// below each other from a tile in shared memory.
template <int size, bool sizes, class Load, class Store>
__global__ void __launch_bounds__(256)
    small_matrix_kernel(Tiles tiles, Load load, const __grid_constant__ SmallMatrix weights,
                        Finish finish, Store store) {
  constexpr int radius = size / 2, columns = tile_width + size - 1, rows = tile_height + size - 1;
  __shared__ Pixel shared[rows * columns];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int width = min(tile_width, tiles.area.right() - x);
  const int height = min(tile_height, tiles.area.bottom() - y);
  const int thread = static_cast<int>(threadIdx.y) * tile_width + static_cast<int>(threadIdx.x);
  for (int i = thread; i < rows * columns; i += 256) {
    const int column = i % columns, row = i / columns;
    if (column < width + size - 1 && row < height + size - 1)
      shared[i] = load(x - radius + column, y - radius + row);
  }
  __syncthreads();
  const int first = static_cast<int>(threadIdx.y) * tile_sums;
  if (static_cast<int>(threadIdx.x) >= width || first >= height) return;
  Pixel sum[tile_sums] = {};
#pragma unroll
  for (int column = 0; column < size; ++column)
#pragma unroll
    for (int row = 0; row < tile_sums + size - 1; ++row) {
      const Pixel p = shared[(first + row) * columns + static_cast<int>(threadIdx.x) + column];
#pragma unroll
      for (int j = 0; j < tile_sums; ++j)
        if (row - j >= 0 && row - j < size) {
          const float weight = weights.values[(row - j) * size + column];
          add(sum[j], p, weight, sizes ? fabsf(weight) : weight);
        }
    }
#pragma unroll
  for (int j = 0; j < tile_sums; ++j)
    if (first + j < height) store(x + static_cast<int>(threadIdx.x), y + first + j, finish(sum[j]));
}

/// Any matrix. The input rows of a tile come into shared memory in chunks of as many as fit.
struct LargeMatrix {
  int width, height;
  const float* values;  ///< column by column, so that a thread walks down
  int chunk;            ///< rows in shared memory
};

template <bool sizes, class Load, class Store>
__global__ void __launch_bounds__(256)
    large_matrix_kernel(Tiles tiles, Load load, LargeMatrix weights, Finish finish, Store store) {
  extern __shared__ Pixel shared[];
  const int columns = tile_width + weights.width - 1;
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int width = min(tile_width, tiles.area.right() - x);
  const int height = min(tile_height, tiles.area.bottom() - y);
  const int rows = height + weights.height - 1;
  const int thread = static_cast<int>(threadIdx.y) * tile_width + static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y) * tile_sums;
  Pixel sum[tile_sums] = {};
  for (int chunk = 0; chunk < rows; chunk += weights.chunk) {
    const int count = min(weights.chunk, rows - chunk);
    __syncthreads();
    for (int i = thread; i < count * columns; i += 256) {
      const int column = i % columns, row = i / columns;
      if (column < width + weights.width - 1)
        shared[i] = load(x - weights.width / 2 + column, y - weights.height / 2 + chunk + row);
    }
    __syncthreads();
    const int begin = max(chunk, first);
    const int end = min(chunk + count, min(first + tile_sums, height) + weights.height - 1);
    if (static_cast<int>(threadIdx.x) >= width) continue;
    for (int column = 0; column < weights.width; ++column) {
      const float* down = weights.values + column * weights.height;
      const Pixel* pixels = shared + static_cast<int>(threadIdx.x) + column;
      for (int row = begin; row < end; ++row) {
        const Pixel p = pixels[(row - chunk) * columns];
#pragma unroll
        for (int j = 0; j < tile_sums; ++j) {
          const int k = row - first - j;
          if (k >= 0 && k < weights.height) {
            const float weight = __ldg(down + k);
            add(sum[j], p, weight, sizes ? fabsf(weight) : weight);
          }
        }
      }
    }
  }
  if (static_cast<int>(threadIdx.x) >= width) return;
#pragma unroll
  for (int j = 0; j < tile_sums; ++j)
    if (first + j < height) store(x + static_cast<int>(threadIdx.x), y + first + j, finish(sum[j]));
}

template <int size, bool sizes, class Load, class Store>
void launch_small(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
                  Store store) {
  SmallMatrix weights{};
  for (int i = 0; i < size * size; ++i) weights.values[i] = static_cast<float>(matrix.values[i]);
  const Tiles tiles{area, tile_width, tile_height};
  small_matrix_kernel<size, sizes>
      <<<tiles.count(), dim3{tile_width, 8}, 0, stream>>>(tiles, load, weights, finish, store);
  check(cudaGetLastError());
}

template <bool sizes, class Load, class Store>
void launch_large(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
                  Store store) {
  std::vector<float> values;
  for (int x = 0; x < matrix.width; ++x)
    for (int y = 0; y < matrix.height; ++y) values.push_back(static_cast<float>(matrix.at(x, y)));
  Buffer<float> memory{values.size(), stream};
  memory.upload(values.data(), values.size());
  constexpr int shared_bytes = 48 * 1024;
  const int row_bytes = (tile_width + matrix.width - 1) * static_cast<int>(sizeof(Pixel));
  const int chunk = std::min(tile_height + matrix.height - 1, shared_bytes / row_bytes);
  const Tiles tiles{area, tile_width, tile_height};
  large_matrix_kernel<sizes><<<tiles.count(), dim3{tile_width, 8}, chunk * row_bytes, stream>>>(
      tiles, load, {matrix.width, matrix.height, memory.data(), chunk}, finish, store);
  check(cudaGetLastError());
}

template <bool sizes, class Load, class Store>
void launch(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
            Store store) {
  if (matrix.width == matrix.height && matrix.width <= most_unrolled) {
    if (matrix.width == 7) return launch_small<7, sizes>(stream, area, load, matrix, finish, store);
    if (matrix.width == 5) return launch_small<5, sizes>(stream, area, load, matrix, finish, store);
    if (matrix.width == 3) return launch_small<3, sizes>(stream, area, load, matrix, finish, store);
  }
  if (const auto parts = separate(matrix)) {
    const std::vector<float> across(parts->row.begin(), parts->row.end());
    const std::vector<float> down(parts->column.begin(), parts->column.end());
    return separable_sums<sizes>(stream, area, load, AxisWeights{across}, AxisWeights{down}, finish,
                                 store);
  }
  launch_large<sizes>(stream, area, load, matrix, finish, store);
}

/// What a matrix of zeros leaves: alpha, and the offset as colour.
struct OffsetOnly {
  float offset;
  __device__ Pixel operator()(Pixel p) const {
    return {offset * p.a, offset * p.a, offset * p.a, p.a};
  }
};

}  // namespace

void Exec::convolve(const Input& in, const Output& out, const Matrix& weights, float offset) {
  const bool weighted = in.alpha == Alpha::weighted;
  double sizes = 0.0;
  for (const double weight : weights.values) sizes += std::abs(weight);
  if (weighted && sizes == 0.0) return map(in, out, OffsetOnly{offset});
  const Finish finish{weighted ? static_cast<float>(1.0 / sizes) : 1.0f, offset, weighted};
  with_both(in, out, [&](auto load, auto store) {
    if (weighted)
      launch<true>(stream_, out.area, load, weights, finish, store);
    else
      launch<false>(stream_, out.area, load, weights, finish, store);
  });
}

}  // namespace cuda_filters::cuda
