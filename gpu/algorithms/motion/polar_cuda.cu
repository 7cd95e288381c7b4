// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/algorithms/motion/interpolation.cuh"
#include "gpu/algorithms/motion/polar.cuh"

namespace cuda_filters::cuda {
namespace {

using motion::PathEnd;
using motion::Place;
using motion::PolarBlock;
using motion::PolarGrid;
using motion::PolarRing;
using motion::Vector;

// Each lane of a warp goes along a line, from the boundary on, so that what they read lies side by
// side. Sums before some points are kept, for the pixels whose paths end among these.

constexpr int warps = 4;  // of a block
static_assert(PolarGrid::lines == warp::size);

/// Sums of a warp, and where its points are from the first one on.
struct LineSums {
  float4 before[PolarGrid::depth][warp::size];
  Vector shifts[PolarGrid::depth];
  int2 pixels[2 * warp::size];  ///< of a patch, whose paths may end among the points
};

/// A picture that has its outermost pixels beside it, too. Places in memory are counted by Index:
/// 32 bits, if that is enough, are faster.
template <class Index>
struct Samples {
  const float4* pixels;
  Rect area;

  __device__ explicit Samples(Plane in)
      : pixels{reinterpret_cast<const float4*>(in.data)}, area{in.area} {}

  /// Adds what is there, from a pixel on.
  __device__ void add(float4& sum, int x, int y, Vector from) const {
    const Place across{from.x}, down{from.y};
    const int column = min(max(across.before + (x - area.x), 0), area.width - 2);
    const int row = min(max(down.before + (y - area.y), 0), area.height - 2);
    const Index pitch = area.width, above = row * pitch + column;
    add_interpolated(sum, pixels + above, pixels + (above + pitch), across.beyond, down.beyond);
  }
};

__device__ inline float4 mix(float4 a, float4 b, float share) {
  float4 sum{};
  add_to(sum, 1.0f - share, a);
  add_to(sum, share, b);
  return sum;
}

/// Adds the next points of a lane's line, and keeps what was the sum before each.
template <class Index>
__device__ void sum_points(const Samples<Index>& samples, const PolarGrid& grid,
                           const PolarBlock& block, PathEnd end, int chunk, Vector direction,
                           float4& sum, LineSums& sums) {
  const auto lane = static_cast<int>(threadIdx.x);
  const auto line = static_cast<float>(block.first_line + lane);
  const auto steps = static_cast<float>(chunk * PolarGrid::depth);
  const Vector first = grid.distance(block, line, end, steps) * direction;
  const Vector unit = grid.turns ? first : direction;
  const double x = grid.center_x + first.x, y = grid.center_y + first.y;
  const double left = floor(x), top = floor(y);
  const auto column = static_cast<int>(left), row = static_cast<int>(top);
  const Vector beyond{static_cast<float>(x - left), static_cast<float>(y - top)};
#pragma unroll 4
  for (int i = 0; i < PolarGrid::depth; ++i) {
    const Vector shift = sums.shifts[i];
    sums.before[i][lane] = sum;
    samples.add(
        sum, column, row,
        beyond + Vector{shift.x * unit.x - shift.y * unit.y, shift.x * unit.y + shift.y * unit.x});
  }
}

/// What lies between the boundary and that end of the path of a pixel, if it ends there.
template <class Index>
__device__ void store_end(const Samples<Index>& samples, const PolarGrid& grid,
                          const PolarBlock& block, PathEnd end, int chunk, int x, int y,
                          const LineSums& sums, Plane out) {
  const Vector v = grid.from_center(x, y);
  const float distance = PolarGrid::distance(v);
  if (!(distance >= block.ring.inner && distance < block.ring.outer) || !grid.has(v, distance))
    return;
  const motion::PolarEnd at = grid.end(block, v, distance, end, chunk);
  if (!at.is_here) return;
  const float4* const row = sums.before[at.step];
  const float4 whole = mix(row[at.line], row[at.line + 1], at.beyond_line);
  float4 rest{};
  samples.add(rest, x, y, grid.in_rest(block.ring, v, distance, end, at.rest));
  const float share = grid.share(block.ring, distance);
  Pixel& result = out.at(x, y);
  float4 total = end == PathEnd::far ? float4{} : float4{result.r, result.g, result.b, result.a};
  add_to(total, share, whole);
  add_to(total, share * at.rest, rest);
  result = {total.x, total.y, total.z, total.w};
}

__device__ inline bool contains(Rect area, int x, int y) {
  return x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
}

/// How many times a warp has to add points, for the pixels of an area.
__device__ int needed_chunks(const PolarGrid& grid, const PolarBlock& block, PathEnd end,
                             Rect area) {
  const auto lane = static_cast<int>(threadIdx.x);
  const int all = grid.chunks(block.ring, end);
  for (int begin = (all - 1) / warp::size * warp::size; begin >= 0; begin -= warp::size) {
    const int chunk = begin + lane;
    const unsigned needed = warp::ballot(chunk < all && grid.patch(block, end, chunk).meets(area));
    if (needed != 0) return begin + warp::size - __clz(static_cast<int>(needed));
  }
  return 0;
}

/// The patch that a lane has.
__device__ inline motion::Patch shuffled(const motion::Patch& own, int lane) {
  static_assert(std::is_trivially_copyable_v<motion::Patch> &&
                sizeof(motion::Patch) % sizeof(int) == 0);
  int words[sizeof(own) / sizeof(int)];
  memcpy(words, &own, sizeof(own));
#pragma unroll
  for (int& word : words) word = warp::from_lane(word, lane);
  motion::Patch patch;
  memcpy(&patch, words, sizeof(patch));
  return patch;
}

/// The pixels of a patch whose paths end among the points.
template <class Index>
__device__ void store_ends(const Samples<Index>& samples, const PolarGrid& grid,
                           const PolarBlock& block, PathEnd end, int chunk,
                           const motion::Patch& patch, LineSums& sums, Plane out) {
  // Lanes look at so many pixels across. Those that are near are few, and take long: as many at a
  // time as there are lanes.
  constexpr int across_at_once = 8, along_at_once = warp::size / across_at_once;
  const auto lane = static_cast<int>(threadIdx.x);
  const int own_along = lane / across_at_once, own_across = lane % across_at_once;
  int count = 0;
  for (int along = 0, across = 0; along < patch.count || count > 0;) {
    const int i = along + own_along, k = across + own_across;
    const int place = patch.first + i, beside = patch.across_at(i) + k;
    const int x = patch.is_steep ? beside : place, y = patch.is_steep ? place : beside;
    const bool is_near = i < patch.count && k < patch.width && contains(out.area, x, y) &&
                         patch.is_near(grid.from_center(x, y));
    const unsigned near = warp::ballot(is_near);
    if (is_near) sums.pixels[count + __popc(near & ((1u << lane) - 1u))] = {x, y};
    count += __popc(near);
    across += across_at_once;
    if (across >= patch.width) across = 0, along += along_at_once;
    warp::sync();
    if (count < warp::size && along < patch.count) continue;
    // In one place: rounded in two ways, place() could put a pixel into one section for its far end
    // and into another one for its near one.
    if (lane < count)
      store_end(samples, grid, block, end, chunk, sums.pixels[lane].x, sums.pixels[lane].y, sums,
                out);
    const int2 next = sums.pixels[lane + warp::size];
    warp::sync();
    sums.pixels[lane] = next;
    count = max(count - warp::size, 0);
    warp::sync();
  }
}

/// One end of the paths of all pixels between the lines of a warp.
template <class Index>
__device__ void sum_ends(const Samples<Index>& samples, const PolarGrid& grid,
                         const PolarBlock& block, PathEnd end, LineSums& sums, Plane out) {
  const auto lane = static_cast<int>(threadIdx.x);
  if (grid.is_at_boundary(end)) return;
  const int chunks = needed_chunks(grid, block, end, out.area);
  if (chunks == 0) return;
  warp::sync();
  if (lane < PolarGrid::depth)
    sums.shifts[lane] = grid.shift(block.ring, end, static_cast<float>(lane) + 0.5f);
  warp::sync();
  const auto line = static_cast<float>(block.first_line + lane);
  Vector direction = grid.direction(block, line, end, 0.0f);
  float4 sum{};
  motion::Patch patches{};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    // Those of the next chunks, one a lane.
    if (chunk % warp::size == 0) patches = grid.patch(block, end, chunk + lane);
    if (grid.turns && chunk > 0)
      direction = grid.direction(block, line, end, static_cast<float>(chunk * PolarGrid::depth));
    sum_points(samples, grid, block, end, chunk, direction, sum, sums);
    warp::sync();
    const motion::Patch patch = shuffled(patches, chunk % warp::size);
    if (patch.meets(out.area)) store_ends(samples, grid, block, end, chunk, patch, sums, out);
    warp::sync();
  }
}

// With six blocks on a multiprocessor registers would be spilled.
template <class Index>
__global__ void __launch_bounds__(warps* warp::size, 5)
    line_sums_kernel(Plane in, PolarGrid grid, const PolarRing* rings, int first_block,
                     int end_block, Plane out) {
  __shared__ LineSums sums[warps];
  const int number =
      first_block + static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.y);
  if (number >= end_block) return;
  const PolarBlock block = grid.block(rings, number);
  if (!grid.meets(block, out.area)) return;
  const Samples<Index> samples{in};
  // Compiled once for both ends: see store_ends().
#pragma unroll 1
  for (int side = 0; side < 2; ++side)
    sum_ends(samples, grid, block, side == 0 ? PathEnd::far : PathEnd::near, sums[threadIdx.y],
             out);
}

}  // namespace

void sum_lines(Exec& exec, Plane in, Plane out, const motion::PolarRings& polar) {
  const PolarGrid& grid = polar.grid;
  if (grid.ring_count == 0) return;
  const auto rings = exec.upload(polar.rings);
  // An H200 takes 25 ms for as many samples, or as long as the longest lines take.
  constexpr double fewest = 132 * 5 * warps;
  const double samples_of_block =
      2.0 * warp::size * PolarGrid::depth * grid.chunks(polar.rings.front(), PathEnd::far);
  const int at_once = static_cast<int>(std::clamp(4e9 / samples_of_block, fewest, 1e6));
  const bool is_small = static_cast<double>(in.area.width) * in.area.height <= 0x1p31;
  PacedLaunches launches{exec.stream(), 2};
  for (int first = 0; first < grid.block_count; first += at_once) {
    const int end = std::min(grid.block_count, first + at_once);
    launches.begin();
    const auto kernel = is_small ? line_sums_kernel<std::uint32_t> : line_sums_kernel<std::size_t>;
    kernel<<<(end - first + warps - 1) / warps, dim3{warp::size, warps}, 0, exec.stream()>>>(
        in, grid, rings.data(), first, end, out);
    check(cudaGetLastError());
    launches.end();
  }
}

}  // namespace cuda_filters::cuda
