// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/separable/separable.cuh"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

static_assert(largest_matrix <= AxisWeights::max_count);

constexpr int tile_width = 32, tile_sums = 8, tile_height = 8 * tile_sums;
/// Above, the weights do not fit a kernel's parameters and its loops are not unrolled.
constexpr int max_unrolled = 7;

/// Weights whose every use is known when the kernel is compiled.
struct SmallMatrix {
  float values[max_unrolled * max_unrolled];
};

/// A matrix up to 7 by 7, square, all in registers and constants: each thread sums eight pixels
/// below each other from a tile in shared memory.
template <int size, Weighing weighing, class Load, class Storer>
__global__ void __launch_bounds__(256)
    small_matrix_kernel(Tiles tiles, Load load, const __grid_constant__ SmallMatrix weights,
                        Finish finish, Storer store) {
  constexpr int radius = size / 2, columns = tile_width + size - 1, rows = tile_height + size - 1;
  __shared__ Pixel shared[rows * columns];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int width = min(tile_width, tiles.area.right() - x);
  const int height = min(tile_height, tiles.area.bottom() - y);
  const int thread = static_cast<int>(threadIdx.y) * tile_width + static_cast<int>(threadIdx.x);
  load_shared<256>(
      thread, rows * columns, load,
      [&](int i) {
        return int2{x - radius + min(i % columns, width + size - 2),
                    y - radius + min(i / columns, height + size - 2)};
      },
      [&](int i) -> Pixel& { return shared[i]; });
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
        if (row - j >= 0 && row - j < size)
          weigh<weighing>(sum[j], p, weights.values[(row - j) * size + column]);
    }
#pragma unroll
  for (int j = 0; j < tile_sums; ++j)
    if (first + j < height) store(x + static_cast<int>(threadIdx.x), y + first + j, finish(sum[j]));
}

constexpr int large_width = 64, large_height = 16, large_sums = window_sums,
              large_threads = large_width * large_height / large_sums;
/// Bytes of shared memory with which a multiprocessor of an H100 has room for two blocks.
constexpr std::size_t large_bytes = 96 * 1024;

/// Any matrix, some of its rows at a time: as many as need no more input rows than fit.
struct LargeMatrix {
  int width, height;
  const float* values;  ///< row by row, with zeros after each up to weights_pitch()
  int together;         ///< rows at a time

  __host__ __device__ int weights_pitch() const {
    return (width + window_sums - 1) / window_sums * window_sums;
  }
  __host__ __device__ int pitch() const { return spread(large_width + width); }
  __host__ __device__ int input_rows() const { return large_height + together - 1; }
};

template <Weighing weighing, class Load, class Storer>
__global__ void __launch_bounds__(large_threads)
    large_matrix_kernel(Tiles tiles, Load load, LargeMatrix matrix, Finish finish, Storer store) {
  extern __shared__ Pixel shared[];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int width = min(large_width, tiles.area.right() - x);
  const int height = min(large_height, tiles.area.bottom() - y);
  const int thread = static_cast<int>(threadIdx.x);
  const int left = x - matrix.width / 2, columns = width + matrix.width - 1;
  constexpr int per_row = large_width / large_sums;
  const int my_row = thread / per_row, my_first = thread % per_row * large_sums;
  const bool wanted = my_row < height && my_first < width;
  Pixel sum[large_sums] = {};
  for (int first = 0; first < matrix.height; first += matrix.together) {
    const int together = min(matrix.together, matrix.height - first);
    const int top = y - matrix.height / 2 + first;
    __syncthreads();
    for (int row = thread / 32; row < height + together - 1; row += large_threads / 32)
      for (int column = thread % 32; column < columns; column += 32)
        shared[row * matrix.pitch() + spread(column)] = load(left + column, top + row);
    __syncthreads();
    if (!wanted) continue;
    for (int k = 0; k < together; ++k) {
      const float* const weights = matrix.values + (first + k) * matrix.weights_pitch();
      const Pixel* const pixels = shared + (my_row + k) * matrix.pitch() + spread(my_first);
      sum_window<weighing>(
          sum, matrix.width, [&](int i) { return __ldg(weights + i); },
          [&](int i) { return pixels[spread(i)]; });
    }
  }
  if (!wanted) return;
#pragma unroll
  for (int j = 0; j < large_sums; ++j)
    if (my_first + j < width) store(x + my_first + j, y + my_row, finish(sum[j]));
}

template <int size, Weighing weighing, class Load, class Storer>
void launch_small(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
                  Storer store) {
  SmallMatrix weights{};
  for (int i = 0; i < size * size; ++i) weights.values[i] = static_cast<float>(matrix.values[i]);
  const Tiles tiles{area, tile_width, tile_height};
  small_matrix_kernel<size, weighing>
      <<<tiles.count(), dim3{tile_width, 8}, 0, stream>>>(tiles, load, weights, finish, store);
  check(cudaGetLastError());
}

template <Weighing weighing, class Load, class Storer>
void launch_large(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
                  Storer store) {
  LargeMatrix large{matrix.width, matrix.height, nullptr, matrix.height};
  std::vector<float> values(static_cast<std::size_t>(large.weights_pitch()) * matrix.height);
  for (int y = 0; y < matrix.height; ++y)
    for (int x = 0; x < matrix.width; ++x)
      values[y * large.weights_pitch() + x] =
          static_cast<float>(matrix.values[y * matrix.width + x]);
  Buffer<float> memory{values.size(), stream};
  memory.upload(values.data(), values.size());
  large.values = memory.data();
  const auto kernel = large_matrix_kernel<weighing, Load, Storer>;
  const auto bytes = [&] { return sizeof(Pixel) * large.pitch() * large.input_rows(); };
  const std::size_t max_bytes = std::min(large_bytes, allow_shared_memory(kernel));
  while (large.together > 1 && bytes() > max_bytes) --large.together;
  const Tiles tiles{area, large_width, large_height};
  kernel<<<tiles.count(), large_threads, bytes(), stream>>>(tiles, load, large, finish, store);
  check(cudaGetLastError());
}

template <Weighing weighing, class Load, class Storer>
void launch(cudaStream_t stream, Rect area, Load load, const Matrix& matrix, Finish finish,
            Storer store) {
  if (matrix.width == matrix.height && matrix.width <= max_unrolled) {
    if (matrix.width == 7)
      return launch_small<7, weighing>(stream, area, load, matrix, finish, store);
    if (matrix.width == 5)
      return launch_small<5, weighing>(stream, area, load, matrix, finish, store);
    if (matrix.width == 3)
      return launch_small<3, weighing>(stream, area, load, matrix, finish, store);
  }
  if (const auto parts = separate(matrix)) {
    const std::vector<float> across(parts->row.begin(), parts->row.end());
    const std::vector<float> down(parts->column.begin(), parts->column.end());
    return separable_sums<weighing>(stream, area, load, AxisWeights{across}, AxisWeights{down},
                                    store, finish);
  }
  launch_large<weighing>(stream, area, load, matrix, finish, store);
}

/// What a matrix of zeros leaves: alpha, and the offset as color.
struct OffsetOnly {
  float offset;
  __device__ Pixel operator()(Pixel p) const {
    return {offset * p.a, offset * p.a, offset * p.a, p.a};
  }
};

}  // namespace

void convolve(Exec& exec, const Input& in, const Output& out, const Matrix& weights, float offset) {
  if (!stored_alike(in, out))
    return exec.through_temporary(
        in, out, footprint::convolve(weights).halo,
        [&](const Input& from, const Output& to) { convolve(exec, from, to, weights, offset); });
  const bool weighted = exec.alpha() == Alpha::premultiplied;
  double sizes = 0.0;
  for (const double weight : weights.values) sizes += std::abs(weight);
  if (weighted && sizes == 0.0) return exec.map(in, out, OffsetOnly{offset});
  const double alpha_scale = std::min<double>(1.0 / sizes, largest_of(SampleType::f32));
  const Finish finish{weighted ? static_cast<float>(alpha_scale) : 1.0f, offset, weighted};
  with_both(in, out, [&](auto load, auto store) {
    if (weighted)
      launch<Weighing::matrix_and_sizes>(exec.stream(), out.area, load, weights, finish, store);
    else
      launch<Weighing::matrix>(exec.stream(), out.area, load, weights, finish, store);
  });
}

}  // namespace cuda_filters::cuda
