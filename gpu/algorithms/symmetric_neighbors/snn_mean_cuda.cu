// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "gpu/algorithms/symmetric_neighbors/snn_mean.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/parts.cuh"
#include "gpu/cuda/tiles.cuh"

// A thread computes some pixels side by side. What lies dx + 1 to the right of one of them lies dx
// to the right of the next: of each row, the pixels that the thread's look at in a step are a
// window in its registers, which gets one new pixel with each step along the row.

namespace cuda_filters::cuda {
namespace {

using symmetric_neighbors::SnnSettings;
using symmetric_neighbors::sum_of_nearest;

/// How many pixels a thread computes: their windows and sums need 128 registers.
constexpr int columns = 4;
constexpr int max_threads = 256, blocks_wanted = 2;

/// The rows that a block has in shared memory. Each is cut into as many parts as a thread has
/// columns, with every `columns`-th pixel: neighboring threads read neighboring pixels, wherever
/// their windows begin, and so each from a bank of its own.
struct Layout {
  int reach;         ///< how far rows go beyond the block's pixels: the radius, rounded up
  int width;         ///< of a row, in pixels
  int part;          ///< pixels from one part to the next
  int rows_at_once;  ///< how many rows above a pixel, and below it, are there at a time

  /// For a block of that many threads side by side.
  Layout(int across, int radius, int rows)
      : reach{(radius + columns - 1) / columns * columns},
        width{across * columns + 2 * reach},
        // So that threads that load a row write to different banks.
        part{width / columns | 2},
        rows_at_once{rows} {}

  __host__ __device__ int pitch() const { return columns * part; }
  __device__ int place(int column) const { return column % columns * part + column / columns; }
  /// Whether all of a tile's surroundings are there at once, as one rectangle.
  __host__ __device__ bool holds_all(int radius) const { return rows_at_once >= radius; }
  /// How many rows a block of so many rows of pixels has.
  int rows(int height, int radius) const {
    return holds_all(radius) ? height + 2 * radius : 2 * (height + rows_at_once - 1);
  }
};

__device__ inline bool is_near_zero(const Pixel& p) {
  using symmetric_neighbors::near_zero;
  return fabsf(p.r) <= near_zero && fabsf(p.g) <= near_zero && fabsf(p.b) <= near_zero;
}

/// Loads rows of a tile, from row y and from column x of the picture on, and says whether all
/// pixels that this thread loaded are near 0. What the picture does not have is not written: only
/// results that are not stored depend on it.
__device__ bool load_rows(const Plane& in, int x, int y, int rows, const Layout& layout,
                          Pixel* to) {
  bool all_near = true;
  for (int row = static_cast<int>(threadIdx.y); row < rows; row += static_cast<int>(blockDim.y)) {
    const bool exists = y + row < in.area.bottom();
    for (int column = static_cast<int>(threadIdx.x); column < layout.width;
         column += static_cast<int>(blockDim.x)) {
      const int from = x + column;
      if (!exists || from < in.area.x || from >= in.area.right()) continue;
      const Pixel pixel = in.at(from, y + row);
      all_near = all_near && is_near_zero(pixel);
      to[row * layout.pitch() + layout.place(column)] = pixel;
    }
  }
  return all_near;
}

/// The pixels of a thread, and what is summed up of each.
template <int pairs>
struct Centers {
  Pixel own[columns];
  Pixel sums[columns];

  /// Adds what counts of a row above and of one below. `above`, `below`: what lies in these rows
  /// beside the first of the thread's pixels.
  template <bool all_near>
  __device__ void add_rows(const Pixel* above, const Pixel* below, int part, int radius) {
    // Of the pixels that are dx to the left of the thread's, and of those to the right, the one in
    // column c is number c modulo `columns`.
    Pixel above_left[columns], above_right[columns], below_left[columns], below_right[columns];
#pragma unroll
    for (int k = 0; k < columns; ++k) {
      above_left[k] = above_right[k] = above[k * part];
      below_left[k] = below_right[k] = below[k * part];
    }
    Pixel of_row[columns]{};
    const Pixel *left_above = above, *right_above = above, *left_below = below,
                *right_below = below;
#pragma unroll 1
    for (int first = 0; first < radius; first += columns) {
      --left_above, ++right_above, --left_below, ++right_below;
#pragma unroll
      for (int step = 1; step <= columns; ++step) {
        if (first + step > radius) break;
        const int left = columns - step, right = step - 1;
        above_left[left] = left_above[left * part];
        above_right[right] = right_above[right * part];
        below_left[left] = left_below[left * part];
        below_right[right] = right_below[right * part];
#pragma unroll
        for (int k = 0; k < columns; ++k) {
          const int to_left = (k + columns - step) % columns, to_right = (k + step) % columns;
          of_row[k] = of_row[k] + sum_of_nearest<pairs, all_near>(
                                      own[k], above_left[to_left], below_right[to_right],
                                      above_right[to_right], below_left[to_left]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < columns; ++k) sums[k] = sums[k] + of_row[k];
  }
};

/// Grid: one block a tile, which is as many pixels high as the block has rows of threads, and
/// `columns` times as wide as it has columns of them.
/// `in` reaches as far as the radius beyond them.
template <int pairs>
__global__ void __launch_bounds__(max_threads, blocks_wanted)
    snn_mean_kernel(Plane in, Tiles tiles, Layout layout, int radius, float own_count, float share,
                    Plane out) {
  extern __shared__ float4 memory[];
  Pixel* const rows = reinterpret_cast<Pixel*>(memory);
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  const int thread_x = static_cast<int>(threadIdx.x), thread_y = static_cast<int>(threadIdx.y);
  const int height = static_cast<int>(blockDim.y);
  const int x = left + thread_x * columns, y = top + thread_y;
  const bool computes = x < tiles.area.right() && y < tiles.area.bottom();
  Centers<pairs> centers;
  bool own_near = true;
#pragma unroll
  for (int k = 0; k < columns; ++k) {
    centers.own[k] = computes ? in.at(min(x + k, tiles.area.right() - 1), y) : Pixel{};
    const Pixel& own = centers.own[k];
    own_near = own_near && is_near_zero(own);
    centers.sums[k] = {exact::product(own.r, own_count), exact::product(own.g, own_count),
                       exact::product(own.b, own_count), exact::product(own.a, own_count)};
  }
  const bool holds_all = layout.holds_all(radius);
  const int pitch = layout.pitch(), x_of_rows = left - layout.reach;
  const Pixel* const beside = rows + layout.reach / columns + thread_x;
#pragma unroll 1
  for (int first = 1; first <= radius; first += layout.rows_at_once) {
    const int last = min(first + layout.rows_at_once - 1, radius);
    // In shared memory, row `above` - dy lies dy above the first row of the tile, and row `below` +
    // dy lies dy below it.
    int above = radius, below = radius;
    bool all_near = own_near;
    if (holds_all) {
      all_near &= load_rows(in, x_of_rows, top - radius, height + 2 * radius, layout, rows);
    } else {
      const int count = height + last - first;
      above = last, below = count - first;
      if (first > 1) __syncthreads();
      all_near &= load_rows(in, x_of_rows, top - last, count, layout, rows);
      all_near &= load_rows(in, x_of_rows, top + first, count, layout, rows + count * pitch);
    }
    all_near = __syncthreads_and(all_near);
    if (!computes) continue;
    const auto add_rows = [&](auto near) {
#pragma unroll 1
      for (int dy = first; dy <= last; ++dy)
        centers.template add_rows<decltype(near)::value>(beside + (above + thread_y - dy) * pitch,
                                                         beside + (below + thread_y + dy) * pitch,
                                                         layout.part, radius);
    };
    if (all_near)
      add_rows(std::true_type{});
    else
      add_rows(std::false_type{});
  }
  if (!computes) return;
#pragma unroll
  for (int k = 0; k < columns; ++k)
    if (x + k < tiles.area.right()) out.at(x + k, y) = centers.sums[k] * share;
}

/// The threads of a block, and its rows in shared memory.
struct Shape {
  dim3 threads;
  Layout layout;
  std::size_t bytes;

  /// With as many rows at a time as there is room for, or without any.
  Shape(unsigned across, unsigned down, int radius, std::size_t room)
      : threads{across, down}, layout{static_cast<int>(across), radius, radius}, bytes{0} {
    const std::size_t of_row = layout.pitch() * sizeof(Pixel);
    const int height = static_cast<int>(down), rows = static_cast<int>(room / of_row);
    if (layout.rows(height, radius) > rows)
      layout.rows_at_once = std::max(0, std::min(radius - 1, rows / 2 - (height - 1)));
    bytes = layout.rows(height, radius) * of_row;
  }
  bool fits() const { return layout.rows_at_once > 0; }
};

/// The largest block of which a multiprocessor has room for two, or else a small one. The larger
/// the radius, the better are wide ones.
Shape shape_for(int radius) {
  const std::size_t half = shared_memory_limit(2);
  for (const auto& [across, down] : {std::pair{16u, 16u}, {32u, 8u}, {32u, 4u}})
    if (const Shape shape{across, down, radius, half}; shape.fits()) return shape;
  // 41 KB for a radius of 100, which every GPU has.
  return {32, 4, radius, shared_memory_limit()};
}

template <int pairs>
void launch(cudaStream_t stream, Plane in, Plane out, const SnnSettings& settings) {
  const auto kernel = snn_mean_kernel<pairs>;
  const Shape shape = shape_for(settings.radius);
  allow_shared_memory(kernel);
  prefer_shared_memory(kernel);
  constexpr double part_cost = 2e10;  // 20 ms of an H200
  const double rows_at_once = part_cost / footprint::snn_mean(settings).cost / out.area.width;
  const int width = static_cast<int>(shape.threads.x) * columns,
            height = static_cast<int>(shape.threads.y);
  in_parts(stream, out.area, rows_at_once, height, [&](Rect part) {
    const Tiles tiles{part, width, height};
    kernel<<<tiles.count(), shape.threads, shape.bytes, stream>>>(
        in, tiles, shape.layout, settings.radius, static_cast<float>(settings.own_count()),
        1.0f / static_cast<float>(settings.count()), out);
  });
}

}  // namespace

void snn_mean(Exec& exec, const Input& in, const Output& out, const SnnSettings& settings) {
  exec.through_temporary(in, out, settings.halo(), [&](const Input& from, const Output& to) {
    if (settings.pairs == 1)
      launch<1>(exec.stream(), plane_of(from), plane_of(to), settings);
    else
      launch<2>(exec.stream(), plane_of(from), plane_of(to), settings);
  });
}

}  // namespace cuda_filters::cuda
