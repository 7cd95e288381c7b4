// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/bilateral/bilateral.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/cuda/images.cuh"
#include "gpu/cuda/tiles.cuh"

// The kernels of bilateral_blur() by a grid.

namespace cuda_filters::cuda {
namespace {

using bilateral::bin_count, bilateral::first_bin, bilateral::mixed_nodes, bilateral::no_bin,
    bilateral::nodes_at_once;
using bilateral::Grid, bilateral::Window;

/// Planes of floats of some cells, one after the other.
struct Cells {
  float* data;
  Rect area;
  __host__ __device__ std::size_t plane() const {
    return static_cast<std::size_t>(area.width) * area.height;
  }
  __device__ float* at(int plane_number, int x, int y) const {
    return data + plane_number * plane() + static_cast<std::size_t>(y - area.y) * area.width +
           (x - area.x);
  }
};

/// The mean of a disc, or, as far as that is trusted, the grid's.
__device__ float blended(float disc, float mean, float trust) {
  return trust > 0.0f ? disc + trust * (mean - disc) : disc;
}

/// All channels weigh by the same difference: the sums of the colors, of alpha, and of all weights.
struct Together {
  static constexpr int count = 5;
  static constexpr bool is_first = true;
  __device__ void values(Pixel p, float (&v)[count]) const {
    v[0] = p.r * p.a, v[1] = p.g * p.a, v[2] = p.b * p.a, v[3] = p.a, v[4] = 1.0f;
  }
  /// Divides, and says how far the means are to be trusted.
  __device__ float mean(const Grid& grid, const float (&sums)[count], const Pixel& own,
                        Pixel& to) const {
    to = own;
    const float trust = grid.trust(sums[4]), of_colors = grid.trust(sums[3]);
    to.a = quotient(sums[3], sums[4]);
    if (sums[3] == 0.0f) return trust;  // no color that counts lies near
    const float scale = quotient(1.0f, sums[3]);
    to.r = sums[0] * scale, to.g = sums[1] * scale, to.b = sums[2] * scale;
    return of_colors < trust ? of_colors : trust;
  }
  __device__ void blend(const float (&sums)[count], const Pixel& own, float trust,
                        Pixel& mean) const {
    Pixel disc = own;
    if (sums[3] > bilateral::least_weight) {
      const float scale = quotient(1.0f, sums[3]);
      disc.r = sums[0] * scale, disc.g = sums[1] * scale, disc.b = sums[2] * scale;
    }
    if (sums[4] > 0.0f) disc.a = quotient(sums[3], sums[4]);
    mean = {blended(disc.r, mean.r, trust), blended(disc.g, mean.g, trust),
            blended(disc.b, mean.b, trust), blended(disc.a, mean.a, trust)};
  }
};

/// One channel, with the difference of its own.
struct Alone {
  static constexpr int count = 2;
  int channel;
  bool is_first = channel == 0;  ///< of those that the result is put together of

  __device__ float& of(Pixel& p) const {
    return channel == 0 ? p.r : channel == 1 ? p.g : channel == 2 ? p.b : p.a;
  }
  __device__ void values(Pixel p, float (&v)[count]) const {
    const float value = of(p);
    const float weight = channel == 3 ? 1.0f : p.a;
    v[0] = value * weight, v[1] = weight;
  }
  __device__ float mean(const Grid& grid, const float (&sums)[count], const Pixel& own,
                        Pixel& to) const {
    Pixel p = own;
    const bool stays = sums[1] == 0.0f && channel != 3;
    of(to) = stays ? of(p) : quotient(sums[0], sums[1]);
    return stays ? 1.0f : grid.trust(sums[1]);
  }
  __device__ void blend(const float (&sums)[count], Pixel own, float trust, Pixel& mean) const {
    const bool counts = sums[1] > (channel == 3 ? 0.0f : bilateral::least_weight);
    of(mean) = blended(counts ? quotient(sums[0], sums[1]) : of(own), of(mean), trust);
  }
};

/// The value that the pixels are compared by.
struct Compared {
  int channel;  ///< or -1: the luminance
  HOST_DEVICE float operator()(Pixel p) const {
    return channel < 0    ? luminance(p)
           : channel == 0 ? p.r
           : channel == 1 ? p.g
           : channel == 2 ? p.b
                          : p.a;
  }
};

constexpr int column_threads = 32, row_threads = 8;

/// Notes which bins have values.
__global__ void find_bins_kernel(Rect area, Grid grid, ChannelPlane guide, std::uint8_t* found) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= area.right()) return;
  int last = no_bin;
  for (int y = area.y + static_cast<int>(blockIdx.y); y < area.bottom();
       y += static_cast<int>(gridDim.y)) {
    const int bin = Grid::bin(grid.place(guide.at(x, y)));
    if (bin != no_bin && bin != last) found[bin - first_bin] = 1;
    last = bin;
  }
}

constexpr int splat_warps = 4, splat_nodes = 4;

/// Sums up the pixels of a cell and its neighbors for some nodes: a warp for each cell.
template <class Values>
__global__ void __launch_bounds__(32 * splat_warps)
    splat_kernel(Grid grid, Plane picture, ChannelPlane guide, Values values, const int* nodes,
                 int node_count, Cells cells) {
  const int lane = static_cast<int>(threadIdx.x),
            cell = static_cast<int>(blockIdx.x) * splat_warps + static_cast<int>(threadIdx.y);
  if (cell >= static_cast<int>(cells.plane())) return;
  const int column = cells.area.x + cell % cells.area.width,
            row = cells.area.y + cell / cells.area.width;
  const int first_node = static_cast<int>(blockIdx.y) * splat_nodes;
  float node[splat_nodes], sums[splat_nodes][Values::count] = {};
#pragma unroll
  for (int n = 0; n < splat_nodes; ++n)
    node[n] = grid.node(nodes[min(first_node + n, node_count - 1)]);
  const int width = 3 * grid.step, left = (column - 1) * grid.step, top = (row - 1) * grid.step;
  // Lanes go along the rows, and those that are over begin the next ones.
  int x = lane % width, y = lane / width;
  const int over = 32 % width, whole = 32 / width;
  while (y < width) {
    float v[Values::count];
    values.values(picture.at(left + x, top + y), v);
    const float value = guide.at(left + x, top + y);
    const float spline = grid.spline[x] * grid.spline[y];
#pragma unroll
    for (int n = 0; n < splat_nodes; ++n) {
      const float difference = value - node[n];
      const float weight = spline * power_of_2(-grid.range * (difference * difference));
#pragma unroll
      for (int k = 0; k < Values::count; ++k) sums[n][k] = fmaf(weight, v[k], sums[n][k]);
    }
    x += over, y += whole;
    if (x >= width) x -= width, ++y;
  }
#pragma unroll
  for (int n = 0; n < splat_nodes; ++n)
#pragma unroll
    for (int k = 0; k < Values::count; ++k) {
      float sum = sums[n][k];
      for (int mask = 16; mask > 0; mask /= 2) sum += warp::from_lane_xor(sum, mask);
      if (lane == 0 && first_node + n < node_count)
        *cells.at((first_node + n) * Values::count + k, column, row) = sum;
    }
}

constexpr int tile_columns = 32, cells_down = 8, tile_rows = row_threads * cells_down;

/// Convolves a tile of a plane of cells: each thread some cells below each other, in which it adds
/// up the kernel's columns.
__global__ void __launch_bounds__(tile_columns* row_threads)
    convolve_kernel(Grid grid, Cells in, Cells out) {
  extern __shared__ float shared[];
  const int reach = grid.reach, width = tile_columns + 2 * reach, height = tile_rows + 2 * reach,
            kernel_width = 2 * reach + 1;
  float* const kernel = shared + width * height;
  const int across = (out.area.width + tile_columns - 1) / tile_columns;
  const int left = static_cast<int>(blockIdx.x) % across * tile_columns,
            top = static_cast<int>(blockIdx.x) / across * tile_rows;
  const int plane = static_cast<int>(blockIdx.y);
  const int column = static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y),
            thread = first * tile_columns + column;
  constexpr int threads = tile_columns * row_threads;
  for (int i = thread; i < (reach + 1) * kernel_width; i += threads) kernel[i] = grid.kernel[i];
  const float* const cells = in.data + plane * in.plane();
  for (int i = thread; i < width * height; i += threads) {
    const int x = min(left + i % width, in.area.width - 1),
              y = min(top + i / width, in.area.height - 1);
    shared[i] = cells[static_cast<std::size_t>(y) * in.area.width + x];
  }
  __syncthreads();
  float sums[cells_down] = {};
  for (int dx = -reach; dx <= reach; ++dx) {
    const int end = grid.ends[dx < 0 ? -dx : dx];
    const float* weight = kernel + (dx < 0 ? -dx : dx) * kernel_width + reach - end;
    const float* from = shared + (first * cells_down + reach - end) * width + column + reach + dx;
    // The cells that a row of the kernel meets, one of which is new in each: none is moved.
    float met[cells_down];
#pragma unroll
    for (int k = 0; k < cells_down - 1; ++k) met[k] = from[k * width];
    for (int dy = -end; dy <= end; dy += cells_down) {
#pragma unroll
      for (int i = 0; i < cells_down; ++i) {
        if (dy + i > end) break;
        met[(i + cells_down - 1) % cells_down] = from[(i + cells_down - 1) * width];
#pragma unroll
        for (int k = 0; k < cells_down; ++k)
          sums[k] = fmaf(weight[i], met[(i + k) % cells_down], sums[k]);
      }
      from += cells_down * width, weight += cells_down;
    }
  }
  const int x = out.area.x + left + column, y = out.area.y + top + first * cells_down;
  if (x >= out.area.right()) return;
#pragma unroll
  for (int k = 0; k < cells_down; ++k)
    if (y + k < out.area.bottom()) *out.at(plane, x, y + k) = sums[k];
}

/// Adds what some nodes give to the sums of the pixels.
template <class Values>
__global__ void __launch_bounds__(column_threads* row_threads)
    mix_kernel(Tiles tiles, Grid grid, ChannelPlane guide, const int* first_of_bin, int first_node,
               int node_count, Cells cells, float* sums) {
  const Rect area = tiles.area;
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x),
            y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= area.right() || y >= area.bottom()) return;
  const float place = grid.place(guide.at(x, y));
  const int bin = Grid::bin(place);
  if (bin == no_bin) return;
  const int first = first_of_bin[bin - first_bin] - first_node;
  if (first >= node_count || first + mixed_nodes <= 0) return;
  const Grid::Mixing mixing = grid.mixing_at(place, bin);
  const float *const across = grid.spline_at(x), *const down = grid.spline_at(y);
  float weights[3][3];
#pragma unroll
  for (int i = 0; i < 9; ++i)
    weights[i / 3][i % 3] = down[(2 - i / 3) * grid.step] * across[(2 - i % 3) * grid.step];
  const std::size_t plane = static_cast<std::size_t>(area.width) * area.height;
  float* const to = sums + static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
  float mixed[Values::count];
#pragma unroll
  for (int k = 0; k < Values::count; ++k) mixed[k] = to[k * plane];
  const float* const corner = cells.at(0, grid.cell(x) - 1, grid.cell(y) - 1);
#pragma unroll
  for (int n = 0; n < mixed_nodes; ++n) {
    if (first + n < 0 || first + n >= node_count) continue;
    const float weight = mixing[n];
#pragma unroll
    for (int k = 0; k < Values::count; ++k) {
      const float* const from =
          corner + static_cast<std::size_t>((first + n) * Values::count + k) * cells.plane();
      float sum = 0.0f;
#pragma unroll
      for (int i = 0; i < 9; ++i)
        sum = fmaf(weights[i / 3][i % 3], from[i / 3 * cells.area.width + i % 3], sum);
      mixed[k] = fmaf(weight, sum, mixed[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < Values::count; ++k) to[k * plane] = mixed[k];
}

/// A pixel whose disc is summed up.
struct Unsure {
  int x, y;
  float trust;
};

/// Divides the sums, and lists where there is too little to divide by.
template <class Values>
__global__ void __launch_bounds__(column_threads* row_threads)
    divide_kernel(Tiles tiles, Grid grid, Plane picture, ChannelPlane guide, Values values,
                  const float* sums, Plane result, Unsure* unsure, unsigned* count) {
  const Rect area = tiles.area;
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x),
            y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= area.right() || y >= area.bottom()) return;
  const std::size_t plane = static_cast<std::size_t>(area.width) * area.height;
  const float* const from = sums + static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
  float of_pixel[Values::count];
#pragma unroll
  for (int k = 0; k < Values::count; ++k) of_pixel[k] = from[k * plane];
  Pixel mean = values.is_first ? picture.at(x, y) : result.at(x, y);
  float trust = values.mean(grid, of_pixel, picture.at(x, y), mean);
  if (Grid::bin(grid.place(guide.at(x, y))) == no_bin) trust = 0.0f;
  result.at(x, y) = mean;
  if (trust < 1.0f) unsure[atomicAdd(count, 1u)] = {x, y, trust};
}

constexpr int disc_threads = 128;

/// Sums up the disc of a pixel: a block for each.
template <class Values>
__global__ void __launch_bounds__(disc_threads)
    disc_kernel(Window window, Plane picture, ChannelPlane guide, Values values,
                const Unsure* unsure, Plane result) {
  __shared__ float of_warps[disc_threads / 32][Values::count];
  const Unsure pixel = unsure[blockIdx.x];
  const float own = guide.at(pixel.x, pixel.y);
  const int lane = static_cast<int>(threadIdx.x) % 32, number = static_cast<int>(threadIdx.x) / 32;
  float sums[Values::count] = {};
  for (int dy = number - window.radius; dy <= window.radius; dy += disc_threads / 32) {
    const int distance = dy < 0 ? -dy : dy, end = window.ends[distance];
    const float of_row = window.exponents[distance];
    for (int dx = lane - end; dx <= end; dx += 32) {
      const float difference = guide.at(pixel.x + dx, pixel.y + dy) - own;
      const float weight = power_of_2(of_row + window.exponents[dx < 0 ? -dx : dx] -
                                      window.range * (difference * difference));
      float v[Values::count];
      values.values(picture.at(pixel.x + dx, pixel.y + dy), v);
#pragma unroll
      for (int k = 0; k < Values::count; ++k) sums[k] = fmaf(weight, v[k], sums[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < Values::count; ++k) {
    for (int mask = 16; mask > 0; mask /= 2) sums[k] += warp::from_lane_xor(sums[k], mask);
    if (lane == 0) of_warps[number][k] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int k = 0; k < Values::count; ++k) {
    sums[k] = 0.0f;
    for (int i = 0; i < disc_threads / 32; ++i) sums[k] += of_warps[i][k];
  }
  values.blend(sums, picture.at(pixel.x, pixel.y), pixel.trust, result.at(pixel.x, pixel.y));
}

}  // namespace
}  // namespace cuda_filters::cuda
