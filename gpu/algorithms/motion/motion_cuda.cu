// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/parts.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using motion::Line;
using motion::MotionSettings;
using motion::PathPoint;
using motion::Paths;
using motion::Place;

__device__ inline float4 pixel_at(const float4* pixel) { return __ldg(pixel); }
__device__ inline void add_to(float4& sum, float weight, float4 p) {
  sum.x = fmaf(weight, p.x, sum.x), sum.y = fmaf(weight, p.y, sum.y);
  sum.z = fmaf(weight, p.z, sum.z), sum.w = fmaf(weight, p.w, sum.w);
}

// Lines. A thread has some pixels side by side across the line: each pixel that it reads belongs to
// the lines of several of them.

constexpr int line_side = 32, line_rows = 8;
constexpr dim3 line_block{line_side, line_side / line_rows};

/// Of lines that are not steep.
__global__ void __launch_bounds__(line_side* line_side / line_rows)
    line_kernel(Plane in, Tiles tiles, const Line::Step* steps, int reach, Plane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * line_rows;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  float4 sums[line_rows]{};
  const auto* const pixels = reinterpret_cast<const float4*>(in.data);
  const auto pitch = static_cast<std::size_t>(in.area.width);
  const float4* column = pixels + (x - reach - in.area.x);
#pragma unroll 1
  for (int i = 0; i <= 2 * reach; ++i, ++column) {
    const float4 weights = __ldg(reinterpret_cast<const float4*>(steps[i].weights));
    const int first = y + __ldg(&steps[i].first) - in.area.y;
    constexpr int count = line_rows + Line::width - 1;
    float4 read[count];
#pragma unroll
    for (int k = 0; k < count; ++k)
      read[k] = pixel_at(column + min(max(first + k, 0), in.area.height - 1) * pitch);
    // What has no weight takes no part even if it is infinite.
    const float weight[Line::width]{weights.x, weights.y, weights.z, weights.w};
#pragma unroll
    for (int k = 0; k < Line::width; ++k)
      if (weight[k] != 0.0f)
#pragma unroll
        for (int row = 0; row < line_rows; ++row) add_to(sums[row], weight[k], read[row + k]);
  }
#pragma unroll
  for (int row = 0; row < line_rows; ++row)
    if (y + row < tiles.area.bottom())
      out.at(x, y + row) = {sums[row].x, sums[row].y, sums[row].z, sums[row].w};
}

constexpr int turn_side = 32, turn_rows = 8;

/// out(y, x) = in(x, y).
__global__ void __launch_bounds__(turn_side* turn_rows) turn_kernel(Plane in, Plane out) {
  __shared__ float4 pixels[turn_side][turn_side + 1];
  const Tiles tiles{in.area, turn_side, turn_side};
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  const int column = static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < turn_side; row += turn_rows)
    if (left + column < in.area.right() && top + row < in.area.bottom())
      pixels[row][column] =
          pixel_at(reinterpret_cast<const float4*>(&in.at(left + column, top + row)));
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.y); row < turn_side; row += turn_rows)
    if (left + row < in.area.right() && top + column < in.area.bottom())
      *reinterpret_cast<float4*>(&out.at(top + column, left + row)) = pixels[column][row];
}

constexpr Rect turned(Rect area) { return {area.y, area.x, area.height, area.width}; }

void turn(cudaStream_t stream, Plane in, Plane out) {
  const Tiles tiles{in.area, turn_side, turn_side};
  turn_kernel<<<tiles.count(), dim3{turn_side, turn_rows}, 0, stream>>>(in, out);
  check(cudaGetLastError());
}

void follow_line(Exec& exec, Plane in, Plane out, const Line& line) {
  const auto steps = exec.upload(line.steps);
  // An H200 takes 20 ms for as many samples.
  const double rows =
      4e10 / (static_cast<double>(line.steps.size()) * Line::width * out.area.width);
  in_parts(exec.stream(), out.area, rows, line_side, [&](Rect part) {
    const Tiles tiles{part, line_side, line_side};
    line_kernel<<<tiles.count(), line_block, 0, exec.stream()>>>(in, tiles, steps.data(),
                                                                 line.reach, out);
  });
}

void follow_any_line(Exec& exec, Plane in, Plane out, const MotionSettings& settings) {
  const Line line{settings};
  if (!line.is_steep) return follow_line(exec, in, out, line);
  const auto pixels = [](Rect area) { return static_cast<std::size_t>(area.width) * area.height; };
  const Buffer<Pixel> turned_in{pixels(in.area), exec.stream()},
      turned_out{pixels(out.area), exec.stream()};
  const Plane from{turned_in.data(), turned(in.area)}, to{turned_out.data(), turned(out.area)};
  turn(exec.stream(), in, from);
  follow_line(exec, from, to, line);
  turn(exec.stream(), to, out);
}

// Rays and arcs. A block has a tile of pixels, whose paths have points at the same shares of them.

constexpr int path_threads = motion::tile_width * motion::tile_height;

__global__ void __launch_bounds__(path_threads)
    path_kernel(Plane in, Tiles tiles, Rect area, Paths paths, Plane out) {
  __shared__ PathPoint points[path_threads];
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  const int thread =
      static_cast<int>(threadIdx.y) * motion::tile_width + static_cast<int>(threadIdx.x);
  const int x = left + static_cast<int>(threadIdx.x), y = top + static_cast<int>(threadIdx.y);
  const bool exists = x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
  const int count =
      motion::point_count(paths.length_in({left, top, motion::tile_width, motion::tile_height}));
  const auto vx = static_cast<float>(x - paths.center_x),
             vy = static_cast<float>(y - paths.center_y);
  const auto pitch = static_cast<std::ptrdiff_t>(in.area.width);
  const float4* const own =
      reinterpret_cast<const float4*>(in.data) + (y - in.area.y) * pitch + (x - in.area.x);
  float4 sum{};
  for (int begin = 0; begin < count; begin += path_threads) {
    __syncthreads();
    if (begin + thread < count) points[thread] = paths.point((begin + thread + 0.5) / count);
    __syncthreads();
    const int end = exists ? min(path_threads, count - begin) : 0;
#pragma unroll 4
    for (int k = 0; k < end; ++k) {
      const PathPoint point = points[k];
      const Place across{point.along * vx + point.across * vy},
          down{point.along * vy - point.across * vx};
      const float4* const above = own + down.before * pitch + across.before;
      const float4* const below = above + pitch;
      const float right = across.beyond, left_share = 1.0f - right;
      const float lower = down.beyond, upper = 1.0f - lower;
      add_to(sum, left_share * upper, pixel_at(above));
      add_to(sum, right * upper, pixel_at(above + 1));
      add_to(sum, left_share * lower, pixel_at(below));
      add_to(sum, right * lower, pixel_at(below + 1));
    }
  }
  const float share = 1.0f / static_cast<float>(count);
  if (exists) out.at(x, y) = {sum.x * share, sum.y * share, sum.z * share, sum.w * share};
}

void follow_paths(Exec& exec, Plane in, Plane out, const Paths& paths) {
  const Rect area = out.area;
  const int left = motion::tile_begin(area.x, motion::tile_width),
            top = motion::tile_begin(area.y, motion::tile_height);
  const Rect all{left, top, area.right() - left, area.bottom() - top};
  // An H200 takes 20 ms for as many samples.
  const double rows = 2e9 / (motion::point_count(paths.length_in(all)) * double(all.width));
  in_parts(exec.stream(), all, rows, motion::tile_height, [&](Rect part) {
    const Tiles tiles{part, motion::tile_width, motion::tile_height};
    path_kernel<<<tiles.count(), dim3{motion::tile_width, motion::tile_height}, 0, exec.stream()>>>(
        in, tiles, area, paths, out);
  });
}

}  // namespace

void motion_blur(Exec& exec, const Input& in, const Output& out, const MotionSettings& settings) {
  if (!out.is_temporary) {
    const Temporary result{exec.stream(), out.area, in};
    motion_blur(exec, in, result, settings);
    return exec.encode(result, out);
  }
  const bool is_line = settings.kind == motion::Kind::linear;
  const Paths paths{settings, in.image.size()};
  const auto follow = [&](const Input& pixels) {
    if (is_line)
      follow_any_line(exec, plane_of(pixels), plane_of(out), settings);
    else
      follow_paths(exec, plane_of(pixels), plane_of(out), paths);
  };
  if (in.is_temporary) return follow(in);
  const Temporary pixels{exec.stream(),
                         is_line ? out.area.grown(settings.reach({})) : paths.bounds(out.area), in};
  exec.decode(in, pixels);
  follow(pixels);
}

}  // namespace cuda_filters::cuda
