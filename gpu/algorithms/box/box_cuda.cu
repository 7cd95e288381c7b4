// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/separable/channel.cuh"

namespace cuda_filters::cuda {
namespace {

using box::block;
using box::mean_weight;

constexpr int across_groups = 128, across_pixels = across_groups * block,
              across_threads = 2 * across_groups;

/// Where pixel i lies in shared memory, so that neighboring groups lie in different banks.
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
  const int first_pixel = begin - radius - origin;
  load_shared<across_threads, 5>(
      thread, end - begin + 2 * radius, load,
      [&](int i) {
        return int2{begin - radius + i, y};
      },
      [&](int i) -> Pixel& { return shared[padded(first_pixel + i)]; });
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

/// Sums along the columns: of blocks, and of the `head` first and last pixels of each, which are
/// all that a group has of the blocks beyond its middle ones.
struct BlockSums {
  Plane whole, first, last;
};

template <class Load>
__global__ void __launch_bounds__(128)
    block_kernel(Tiles tiles, IndexRange rows, Load load, int head, BlockSums out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int k = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= tiles.area.right() || k >= tiles.area.bottom()) return;
  // Rows that are not there take part in sums only that nobody wants.
  const auto row = [&](int i) { return min(max(block * k + i, rows.begin), rows.end - 1); };
  Pixel pixels[block], sum{}, first{}, last{};
#pragma unroll
  for (int i = 0; i < block; ++i) pixels[i] = load(x, row(i));
#pragma unroll
  for (int i = 0; i < block; ++i) {
    sum = sum + pixels[i];
    if (i < head) first = sum;
    if (i >= block - head) last = last + pixels[i];
  }
  out.whole.at(x, k) = sum;
  if (head == 0) return;
  out.first.at(x, k) = first;
  out.last.at(x, k) = last;
}

/// Adds to the middle blocks of a group what lies beyond them in all of its windows.
struct StoreMiddle {
  BlockSums sums;
  int head, reach;
  Plane out;
  __device__ void operator()(int x, int k, Pixel p) const {
    if (head > 0) p = sums.last.at(x, k - reach - 1) + p + sums.first.at(x, k + reach + 1);
    out.at(x, k) = p;
  }
};

constexpr int down_width = 16, down_groups = 4, strip_tiles = 16;

/// Tiles of 16 columns and four groups, in strips of 256 columns from top to bottom: the rows at
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

__device__ Half half_of(const LoadPlane& load, int x, int y, int side) {
  const float2 half = __ldg(reinterpret_cast<const float2*>(&load.plane.at(x, y)) + side);
  return {half.x, half.y};
}
__device__ Half half_of(const LoadRows& load, int x, int y, int side) {
  const int slot = load.rows[y - load.first];
  return slot < 0 ? Half{} : half_of(load.load, x, slot, side);
}

/// Sums of windows along the columns, a group of 16 by each two threads.
template <class Load, class Storer>
__global__ void __launch_bounds__(32 * down_groups)
    down_kernel(StripTiles tiles, Rect wanted, IndexRange rows, Load load, LoadPlane middles,
                int radius, float scale, Storer store) {
  const Rect tile = tiles.at(blockIdx.x);
  const int side = static_cast<int>(threadIdx.x) % 2;
  const int my_x = tile.x + static_cast<int>(threadIdx.x) / 2;
  const int group = tile.y + static_cast<int>(threadIdx.y);
  if (group >= tiles.groups.bottom()) return;  // a warp has one group
  const bool writes = my_x < tiles.groups.right();
  const int x = min(my_x, tiles.groups.right() - 1);
  const int y = block * group;
  Half above[block], below[block];
  above[block - 1] = half_of(middles, x, group, side);
#pragma unroll
  for (int i = 0; i < block - 1; ++i)
    above[i] = half_of(load, x, max(y - radius + i, rows.begin), side);
#pragma unroll
  for (int i = 1; i < block; ++i)
    below[i] = half_of(load, x, min(y + radius + i, rows.end - 1), side);
#pragma unroll
  for (int i = block - 2; i >= 0; --i) above[i] = above[i + 1] + above[i];
  below[0] = {};
#pragma unroll
  for (int i = 1; i < block; ++i) below[i] = below[i - 1] + below[i];
    // Of each two rows, a thread gives half of the one for the other half of the other.
#pragma unroll
  for (int i = 0; i < block; i += 2) {
    const Half even = (above[i] + below[i]) * scale, odd = (above[i + 1] + below[i + 1]) * scale;
    const Half mine = side == 0 ? even : odd, given = side == 0 ? odd : even;
    const Half taken{warp::from_lane_xor(given.first, 1), warp::from_lane_xor(given.second, 1)};
    const Half left = side == 0 ? mine : taken, right = side == 0 ? taken : mine;
    const int row = y + i + side;
    if (writes && row >= wanted.y && row < wanted.bottom())
      store(x, row, {left.first, left.second, right.first, right.second});
  }
}

std::vector<float> ones(int radius, float weight) {
  return std::vector<float>(2 * radius + 1, weight);
}

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
  allow_shared_memory(kernel);
  kernel<<<tiles.count(), across_threads, layout.bytes(), stream>>>(tiles, load, layout, radius,
                                                                    mean_weight(radius), out);
  check(cudaGetLastError());
}

template <class Load, class Storer>
void down(cudaStream_t stream, Load load, Rect area, int radius, Storer store) {
  const int head = box::head(radius), reach = box::reach(radius);
  const auto [first, count] = box::blocks_of(area.y, area.bottom());
  const Rect groups{area.x, first, area.width, count};
  const Rect blocks = groups.grown(0, reach + (head > 0 ? 1 : 0));
  const Buffer<Pixel> whole = summed_memory(blocks, stream);
  const std::size_t parts = head > 0 ? whole.count() : 0;
  const Buffer<Pixel> first_pixels{parts, stream}, last_pixels{parts, stream};
  const IndexRange rows{area.y - radius, area.bottom() + radius};
  const BlockSums sums{
      {whole.data(), blocks}, {first_pixels.data(), blocks}, {last_pixels.data(), blocks}};
  const Tiles block_tiles{blocks, 32, 4};
  block_kernel<<<block_tiles.count(), dim3{32, 4}, 0, stream>>>(block_tiles, rows, load, head,
                                                                sums);
  check(cudaGetLastError());
  const Buffer<Pixel> middles{static_cast<std::size_t>(groups.width) * groups.height, stream};
  const Plane middles_plane{middles.data(), groups};
  sum_columns<Weighing::blur>(stream, groups, sums.whole, AxisWeights{ones(reach, 1.0f)},
                              StoreMiddle{sums, head, reach, middles_plane});
  const StripTiles tiles{groups};
  down_kernel<<<tiles.count(), dim3{32, down_groups}, 0, stream>>>(
      tiles, area, rows, load, LoadPlane{middles_plane}, radius, mean_weight(radius), store);
  check(cudaGetLastError());
}

template <class Load, class Storer>
void mean(cudaStream_t stream, Load load, Rect area, int radius_x, int radius_y, Storer store) {
  Rect tall = area.grown(0, radius_y);
  // Where the border repeats rows, each is summed once.
  const bool repeats = box::uses_blocks(radius_y) && load.in.slots < tall.height;
  if (repeats) tall.y = 0, tall.height = load.in.slots;
  const Buffer<Pixel> memory = summed_memory(tall, stream);
  const Plane plane{memory.data(), tall};
  if (repeats) {
    across(stream, LoadSlots<Load>{load}, radius_x, plane);
    return down(stream, LoadRows{{plane}, load.in.rows, load.in.area.y}, area, radius_y, store);
  }
  across(stream, load, radius_x, plane);
  if (box::uses_blocks(radius_y)) return down(stream, LoadPlane{plane}, area, radius_y, store);
  sum_columns<Weighing::blur>(stream, area, plane,
                              AxisWeights{ones(radius_y, mean_weight(radius_y))}, store);
}

}  // namespace

void box_filter(Exec& exec, const Input& in, const Output& out, int radius_x, int radius_y,
                Border border) {
  if (!stored_alike(in, out))
    return exec.through_temporary(in, out, footprint::box_filter(radius_x, radius_y).halo,
                                  [&](const Input& from, const Output& to) {
                                    box_filter(exec, from, to, radius_x, radius_y, border);
                                  });
  with_both(in, out, [&](auto load, auto store) {
    mean(exec.stream(), load, out.area, radius_x, radius_y, store);
  });
}

void box_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x, int radius_y,
                Border) {
  const cudaStream_t stream = exec.stream();
  sum_channel(
      stream, in, out, radius_y,
      [&](auto load, Rect area, auto store) {
        const Buffer<Pixel> memory = summed_memory(area, stream);
        const Plane plane{memory.data(), area};
        across(stream, load, radius_x, plane);
        sum_columns<Weighing::blur>(stream, area, plane, AxisWeights{{1.0f}}, store);
      },
      [&](Plane plane, Rect area, auto store) {
        if (box::uses_blocks(radius_y))
          return down(stream, LoadPlane{plane}, area, radius_y, store);
        sum_columns<Weighing::blur>(stream, area, plane,
                                    AxisWeights{ones(radius_y, mean_weight(radius_y))}, store);
      });
}

}  // namespace cuda_filters::cuda
