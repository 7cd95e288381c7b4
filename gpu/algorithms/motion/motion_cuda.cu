// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <vector>

#include "gpu/algorithms/motion/interpolation.cuh"
#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/algorithms/motion/polar.cuh"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/parts.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using motion::MotionSettings;
using motion::PathPoint;
using motion::Paths;
using motion::Place;
using motion::Repetition;
using motion::Segment;

// Lines. A thread has some pixels side by side across the line: each pixel that it reads belongs to
// the lines of several of them. Steep lines are those of the picture that is turned by its
// diagonal.

constexpr int line_side = 32, line_rows = 8;
constexpr dim3 line_block{line_side, line_side / line_rows};

constexpr Rect turned(Rect area) { return {area.y, area.x, area.height, area.width}; }

/// A segment, where a kernel reads it.
template <int lines>
struct Steps {
  int begin = 0, count = 0;
  const int* first = nullptr;
  const float4* weights[lines]{};
};

/// What a thread sums up: for each line its pixels, one below the other.
template <int lines>
struct LineSums {
  float4 of[lines][line_rows]{};

  __device__ void add(Plane in, int x, int y, const Steps<lines>& steps) {
    const auto* const pixels = reinterpret_cast<const float4*>(in.data);
    const auto pitch = static_cast<std::size_t>(in.area.width);
    const float4* column = pixels + (x + steps.begin - in.area.x);
#pragma unroll 1
    for (int i = 0; i < steps.count; ++i, ++column) {
      const int first = y + __ldg(steps.first + i) - in.area.y;
      constexpr int count = line_rows + Segment::width - 1;
      float4 read[count];
#pragma unroll
      for (int k = 0; k < count; ++k)
        read[k] = pixel_at(column + min(max(first + k, 0), in.area.height - 1) * pitch);
#pragma unroll
      for (int line = 0; line < lines; ++line) {
        const float4 weights = __ldg(steps.weights[line] + i);
        // What has no weight takes no part even if it is infinite.
        const float weight[Segment::width]{weights.x, weights.y, weights.z, weights.w};
#pragma unroll
        for (int k = 0; k < Segment::width; ++k)
          if (weight[k] != 0.0f)
#pragma unroll
            for (int row = 0; row < line_rows; ++row)
              add_to(of[line][row], weight[k], read[row + k]);
      }
    }
  }
};

/// Stores what a block has summed up from (left, top) on, turned back if the line is steep. All of
/// its threads call it.
__device__ void store_sums(const float4 (&sums)[line_rows], int left, int top, bool is_steep,
                           Plane out) {
  __shared__ float4 tile[line_side][line_side + 1];
  const int column = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y) * line_rows;
  if (is_steep) {
    __syncthreads();  // until what was stored before is read
#pragma unroll
    for (int row = 0; row < line_rows; ++row) tile[first + row][column] = sums[row];
    __syncthreads();
  }
#pragma unroll
  for (int row = 0; row < line_rows; ++row) {
    const int x = (is_steep ? top : left) + column, y = (is_steep ? left : top) + first + row;
    if (x < out.area.right() && y < out.area.bottom())
      *reinterpret_cast<float4*>(&out.at(x, y)) = is_steep ? tile[column][first + row] : sums[row];
  }
}

template <int lines>
struct LineResults {
  Plane part;  ///< of the last line
  Plane wholes[lines];
};

/// A part of lines and the rest of them; `in` and `tiles` are turned for a steep line.
template <int lines>
__global__ void __launch_bounds__(line_side* line_side / line_rows)
    line_kernel(Plane in, Tiles tiles, bool is_steep, Steps<lines> part, Steps<lines> rest,
                LineResults<lines> out) {
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  // Threads beyond the area sum up what belongs to its last column, and store nothing.
  const int x = min(left + static_cast<int>(threadIdx.x), tiles.area.right() - 1);
  const int y = top + static_cast<int>(threadIdx.y) * line_rows;
  LineSums<lines> sums;
  if (part.count > 0) {
    sums.add(in, x, y, part);
    store_sums(sums.of[lines - 1], left, top, is_steep, out.part);
  }
  sums.add(in, x, y, rest);
#pragma unroll
  for (int line = 0; line < lines; ++line)
    store_sums(sums.of[line], left, top, is_steep, out.wholes[line]);
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

void turn(cudaStream_t stream, Plane in, Plane out) {
  const Tiles tiles{in.area, turn_side, turn_side};
  turn_kernel<<<tiles.count(), dim3{turn_side, turn_rows}, 0, stream>>>(in, out);
  check(cudaGetLastError());
}

/// A segment in the memory of a GPU.
template <int lines>
class UploadedSegment {
 public:
  UploadedSegment(Exec& exec, const Segment& segment)
      : steps_{segment.begin, segment.count()}, first_{exec.upload(segment.first)} {
    steps_.first = first_.data();
    for (int line = 0; line < lines; ++line) {
      weights_[line] = exec.upload(segment.lines[line]);
      steps_.weights[line] = reinterpret_cast<const float4*>(weights_[line].data());
    }
  }
  Steps<lines> steps() const { return steps_; }

 private:
  Steps<lines> steps_;
  Buffer<int> first_;
  Buffer<Segment::Weights> weights_[lines];
};

/// `part`: null where that is nothing. `area`: of all results.
template <int lines>
void follow_lines(Exec& exec, Plane in, Rect area, const Segment* part, const Segment& rest,
                  const LineResults<lines>& out) {
  const bool is_steep = rest.is_steep;
  Buffer<Pixel> turned_pixels;
  if (is_steep) {
    turned_pixels = {static_cast<std::size_t>(in.area.width) * in.area.height, exec.stream()};
    const Plane to{turned_pixels.data(), turned(in.area)};
    turn(exec.stream(), in, to);
    in = to, area = turned(area);
  }
  std::optional<UploadedSegment<lines>> beginning;
  if (part != nullptr) beginning.emplace(exec, *part);
  const UploadedSegment<lines> end{exec, rest};
  const Steps<lines> first = beginning ? beginning->steps() : Steps<lines>{};
  // An H200 takes 20 ms for as many samples.
  const int count = lines * (first.count + rest.count());
  const double rows = 4e10 / (static_cast<double>(count) * Segment::width * area.width);
  in_parts(exec.stream(), area, rows, line_side, [&](Rect some) {
    const Tiles tiles{some, line_side, line_side};
    line_kernel<lines><<<tiles.count(), line_block, 0, exec.stream()>>>(in, tiles, is_steep, first,
                                                                        end.steps(), out);
  });
}

// Rays and arcs. A block has a tile of pixels, whose paths have points at the same shares of them.

constexpr int path_threads = motion::tile_width * motion::tile_height;

__global__ void __launch_bounds__(path_threads)
    path_kernel(Plane in, Tiles tiles, Rect area, Paths paths, motion::PolarGrid grid, Plane out) {
  __shared__ PathPoint points[path_threads];
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  const int thread =
      static_cast<int>(threadIdx.y) * motion::tile_width + static_cast<int>(threadIdx.x);
  const int x = left + static_cast<int>(threadIdx.x), y = top + static_cast<int>(threadIdx.y);
  // Other paths are summed up by lines.
  const bool exists = x >= area.x && x < area.right() && y >= area.y && y < area.bottom() &&
                      !grid.has(grid.from_center(x, y));
  if (!__syncthreads_or(exists)) return;
  const int count =
      motion::point_count(paths.length_in({left, top, motion::tile_width, motion::tile_height}));
  const auto [vx, vy] = grid.from_center(x, y);
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
      add_interpolated(sum, above, above + pitch, across.beyond, down.beyond);
    }
  }
  const float share = 1.0f / static_cast<float>(count);
  if (exists) out.at(x, y) = {sum.x * share, sum.y * share, sum.z * share, sum.w * share};
}

void follow_paths(Exec& exec, Plane in, Plane out, const Paths& paths,
                  const motion::PolarGrid& grid) {
  const Rect area = out.area;
  const int left = motion::tile_begin(area.x, motion::tile_width),
            top = motion::tile_begin(area.y, motion::tile_height);
  const Rect all{left, top, area.right() - left, area.bottom() - top};
  // An H200 takes 20 ms for as many samples.
  const double rows = 2e9 / (motion::point_count(paths.length_in(all)) * double(all.width));
  in_parts(exec.stream(), all, rows, motion::tile_height, [&](Rect part) {
    const Tiles tiles{part, motion::tile_width, motion::tile_height};
    path_kernel<<<tiles.count(), dim3{motion::tile_width, motion::tile_height}, 0, exec.stream()>>>(
        in, tiles, area, paths, grid, out);
  });
}

}  // namespace

void mean_of_paths(Exec& exec, const Input& in, const Output& out, const MotionSettings& settings) {
  if (settings.kind == motion::Kind::linear)
    return exec.through_temporary(
        in, out, settings.reach({}), [&](const Input& from, const Output& to) {
          const Segment line{motion::Direction{settings}};
          follow_lines<1>(exec, plane_of(from), to.area, nullptr, line, {{}, {plane_of(to)}});
        });
  const Paths paths{settings, in.image.size()};
  const motion::PolarRings polar{paths, in.image.size()};
  const Rect needed = paths.bounds(out.area);
  exec.through_temporary_of(needed, in, out, [&](const Input& from, const Output& to) {
    sum_lines(exec, plane_of(from), plane_of(to), polar);
    follow_paths(exec, plane_of(from), plane_of(to), paths, polar.grid);
  });
}

bool goes_by_pieces(const Input& in, const Repetition& repetition) {
  // As a processor does, whose bits are nearly the same then, even if it takes a little longer.
  return repetition.pays_on_processors() || repetition.pays(in.image.size());
}

void pieces_of_lines(Exec& exec, const Input& in, const Output& part,
                     const std::vector<Output>& wholes, const Repetition& repetition) {
  const Segment of_part = repetition.part(), rest = repetition.rest();
  std::optional<Temporary> decoded;
  const Rect needed = part.area.grown(repetition.reach_of_piece());
  const Plane pixels = plane_of(exec.working_pixels(in, needed, decoded));
  if (wholes.size() == 1)
    follow_lines<1>(exec, pixels, part.area, &of_part, rest,
                    {plane_of(part), {plane_of(wholes[0])}});
  else
    follow_lines<2>(exec, pixels, part.area, &of_part, rest,
                    {plane_of(part), {plane_of(wholes[0]), plane_of(wholes[1])}});
}

}  // namespace cuda_filters::cuda
