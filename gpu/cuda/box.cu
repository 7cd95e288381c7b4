// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/box.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/separable.cuh"

namespace cuda_filters::cuda {
namespace {

using box::block;

constexpr int across_groups = 128, across_pixels = across_groups * block,
              across_threads = 2 * across_groups;

/// Where pixel i lies in shared memory, so that neighbouring groups lie in different banks.
__device__ int padded(int i) { return i + i / block; }

/// Half of a pixel: more threads find work so.
struct Half {
  float first, second;
};
__device__ Half operator+(Half a, Half b) { return {a.first + b.first, a.second + b.second}; }
__device__ Half operator*(Half a, float scale) { return {a.first * scale, a.second * scale}; }

/// What a block of threads keeps: pixels, the sums of blocks, and those of eight blocks from each
/// one on.
struct AcrossLayout {
  int margin, blocks;  ///< blocks beyond either end; and all of them

  explicit AcrossLayout(int radius)
      : margin{box::reach(radius) + 2}, blocks{across_groups + 2 * margin} {}
  std::size_t bytes() const { return sizeof(Pixel) * (blocks * (block + 1) + 2 * blocks); }
};

/// Sums of windows along the rows, a group of 16 by each two threads. The tiles begin at the
/// multiples of 16.
template <class Load>
__global__ void __launch_bounds__(across_threads)
    across_kernel(Tiles tiles, Load load, AcrossLayout layout, int radius, float scale, Plane out) {
  extern __shared__ Pixel shared[];
  Half* const halves = reinterpret_cast<Half*>(shared);
  Half* const sums = halves + 2 * layout.blocks * (block + 1);
  Half* const eights = sums + 2 * layout.blocks;
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x), thread = threadIdx.x;
  const int origin = x - block * layout.margin;
  const int begin = max(x, out.area.x), end = min(x + across_pixels, out.area.right());
#pragma unroll 4
  for (int i = begin - radius - origin + thread; i < end + radius - origin; i += across_threads)
    shared[padded(i)] = load(origin + i, y);
  __syncthreads();
  const int side = thread % 2;
  const auto pixel = [&](int i) -> Half& { return halves[2 * padded(i) + side]; };
  for (int k = thread / 2; k < layout.blocks; k += across_groups) {
    Half sum{};
#pragma unroll
    for (int i = 0; i < block; ++i) sum = sum + pixel(block * k + i);
    sums[2 * k + side] = sum;
  }
  __syncthreads();
  const int reach = box::reach(radius), middles = 2 * reach + 1;
  if (middles >= box::together) {
    for (int k = thread / 2; k + box::together <= layout.blocks; k += across_groups) {
      Half sum{};
#pragma unroll
      for (int i = 0; i < box::together; ++i) sum = sum + sums[2 * (k + i) + side];
      eights[2 * k + side] = sum;
    }
    __syncthreads();
  }
  const int group = layout.margin + thread / 2, first = group - reach, head = box::head(radius);
  Half middle{};
  int k = 0;
  for (; k + box::together <= middles; k += box::together)
    middle = middle + eights[2 * (first + k) + side];
  for (; k < middles; ++k) middle = middle + sums[2 * (first + k) + side];
  const int left = block * group - radius, right = block * group + radius;
  Half result[block], sum{};
  for (int i = block - 2 + head; i >= block - 1; --i) sum = sum + pixel(left + i);
  result[block - 1] = sum;
#pragma unroll
  for (int i = block - 2; i >= 0; --i) result[i] = sum = sum + pixel(left + i);
  sum = {};
  for (int i = 1 - head; i <= 0; ++i) sum = sum + pixel(right + i);
  result[0] = (result[0] + middle + sum) * scale;
#pragma unroll
  for (int i = 1; i < block; ++i) {
    sum = sum + pixel(right + i);
    result[i] = (result[i] + middle + sum) * scale;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < block; ++i) pixel(block * (thread / 2) + i) = result[i];
  __syncthreads();
  for (int i = begin - x + thread; i < end - x; i += across_threads)
    out.at(x + i, y) = shared[padded(i)];
}

/// Sums of blocks along the columns.
template <class Load>
__global__ void __launch_bounds__(128) block_kernel(Tiles tiles, Load load, Plane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int k = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= tiles.area.right() || k >= tiles.area.bottom()) return;
  Pixel pixels[block], sum{};
#pragma unroll
  for (int i = 0; i < block; ++i) pixels[i] = load(x, block * k + i);
#pragma unroll
  for (int i = 0; i < block; ++i) sum = sum + pixels[i];
  out.at(x, k) = sum;
}

constexpr int down_width = 32, down_groups = 4, strip_tiles = 8;

/// Tiles of 32 columns and four groups, in strips of 256 columns from top to bottom: the rows at
/// the other end of a window are still in the cache then, however high it is.
struct StripTiles {
  Rect groups;

  __host__ __device__ int across() const { return (groups.width + down_width - 1) / down_width; }
  __host__ __device__ int down() const { return (groups.height + down_groups - 1) / down_groups; }
  __host__ __device__ unsigned count() const {
    return static_cast<unsigned>(across()) * static_cast<unsigned>(down());
  }
  __device__ Rect at(unsigned tile) const {
    const unsigned strip_size = static_cast<unsigned>(strip_tiles * down());
    const int first = static_cast<int>(tile / strip_size) * strip_tiles;
    const int inside = static_cast<int>(tile % strip_size);
    const int columns = min(strip_tiles, across() - first);
    return {groups.x + (first + inside % columns) * down_width,
            groups.y + inside / columns * down_groups, down_width, down_groups};
  }
};

/// Sums of windows along the columns, a group of 16 by each thread.
template <class Load, class Store>
__global__ void __launch_bounds__(128, 3)
    down_kernel(StripTiles tiles, Rect wanted, Load load, LoadPlane middles, int radius,
                float scale, Store store) {
  const Rect tile = tiles.at(blockIdx.x);
  const int x = tile.x + static_cast<int>(threadIdx.x);
  const int group = tile.y + static_cast<int>(threadIdx.y);
  if (x >= tiles.groups.right() || group >= tiles.groups.bottom()) return;
  const int y = block * group, head = box::head(radius);
  // Rows beyond these take part in sums only that nobody wants.
  const int first = wanted.y - radius, last = wanted.bottom() - 1 + radius;
  Pixel above[block], below[block];
#pragma unroll
  for (int i = 0; i < block - 1; ++i) above[i] = load(x, max(y - radius + i, first));
  above[block - 1] = {};
  for (int i = block - 2 + head; i >= block - 1; --i)
    above[block - 1] = above[block - 1] + load(x, y - radius + i);
#pragma unroll
  for (int i = block - 2; i >= 0; --i) above[i] = above[i + 1] + above[i];
#pragma unroll
  for (int i = 1; i < block; ++i) below[i] = load(x, min(y + radius + i, last));
  below[0] = {};
  for (int i = 1 - head; i <= 0; ++i) below[0] = below[0] + load(x, y + radius + i);
  const Pixel middle = middles(x, group);
#pragma unroll
  for (int i = 0; i < block; ++i) {
    if (i > 0) below[i] = below[i - 1] + below[i];
    if (y + i >= wanted.y && y + i < wanted.bottom())
      store(x, y + i, (above[i] + middle + below[i]) * scale);
  }
}

std::vector<float> ones(int radius, float weight) {
  return std::vector<float>(2 * radius + 1, weight);
}

float mean_weight(int radius) { return 1.0f / static_cast<float>(2 * radius + 1); }

template <class Load>
void across(cudaStream_t stream, Load load, int radius, Plane out) {
  if (!box::uses_blocks(radius))
    return sum_rows<Weighing::blur>(stream, load, AxisWeights{ones(radius, mean_weight(radius))},
                                    out);
  Rect aligned = out.area;
  aligned.x = block * box::block_of(out.area.x), aligned.width = out.area.right() - aligned.x;
  const Tiles tiles{aligned, across_pixels, 1};
  const AcrossLayout layout{radius};
  const auto kernel = across_kernel<Load>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(layout.bytes())));
  kernel<<<tiles.count(), across_threads, layout.bytes(), stream>>>(tiles, load, layout, radius,
                                                                    mean_weight(radius), out);
  check(cudaGetLastError());
}

template <class Load, class Store>
void down(cudaStream_t stream, Load load, Rect area, int radius, Store store) {
  const auto [first, count] = box::blocks_of(area.y, area.bottom());
  const Rect groups{area.x, first, area.width, count};
  const Rect blocks = groups.grown(0, box::reach(radius));
  const dim3 threads{32, 4};
  Buffer<Pixel> sums{static_cast<std::size_t>(blocks.width) * blocks.height, stream};
  const Plane sums_plane{sums.data(), blocks};
  const Tiles block_tiles{blocks, 32, 4};
  block_kernel<<<block_tiles.count(), threads, 0, stream>>>(block_tiles, load, sums_plane);
  check(cudaGetLastError());
  Buffer<Pixel> middles{static_cast<std::size_t>(groups.width) * groups.height, stream};
  const Plane middles_plane{middles.data(), groups};
  sum_columns<Weighing::blur>(stream, groups, LoadPlane{sums_plane},
                              AxisWeights{ones(box::reach(radius), 1.0f)}, Finish{},
                              StorePlane{middles_plane});
  const StripTiles tiles{groups};
  down_kernel<<<tiles.count(), threads, 0, stream>>>(tiles, area, load, LoadPlane{middles_plane},
                                                     radius, mean_weight(radius), store);
  check(cudaGetLastError());
}

template <class Load, class Store>
void mean(cudaStream_t stream, Load load, Rect area, int radius_x, int radius_y, Store store) {
  Rect tall = area.grown(0, radius_y);
  // Where the border repeats rows, each is summed once.
  const bool repeats = box::uses_blocks(radius_y) && load.in.slots < tall.height;
  if (repeats) tall.y = 0, tall.height = load.in.slots;
  const Buffer<Pixel> memory{static_cast<std::size_t>(tall.width) * tall.height, stream};
  const Plane plane{memory.data(), tall};
  if (repeats) {
    across(stream, LoadSlots<Load>{load}, radius_x, plane);
    return down(stream, LoadRows{{plane}, load.in.rows, load.in.area.y}, area, radius_y, store);
  }
  across(stream, load, radius_x, plane);
  if (box::uses_blocks(radius_y)) return down(stream, LoadPlane{plane}, area, radius_y, store);
  sum_columns<Weighing::blur>(stream, area, LoadPlane{plane},
                              AxisWeights{ones(radius_y, mean_weight(radius_y))}, Finish{}, store);
}

}  // namespace

void Exec::box(const Input& in, const Output& out, int radius_x, int radius_y) {
  with_both(in, out, [&](auto load, auto store) {
    mean(stream_, load, out.area, radius_x, radius_y, store);
  });
}

}  // namespace cuda_filters::cuda
