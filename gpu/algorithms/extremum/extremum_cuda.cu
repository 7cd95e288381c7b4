// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using extremum::better;

constexpr int threads = 256, row_width = 1024;

/// Along the rows: of windows of 1, 2, 4 … numbers, up to `half`, and then of two such. The numbers
/// of a tile and of what is around it lie in shared memory, twice.
template <Extremum kind>
__global__ void __launch_bounds__(threads)
    rows_kernel(Tiles tiles, ChannelPlane in, int radius, int window, int half, ChannelPlane out) {
  extern __shared__ float numbers[];
  const int x0 = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int count = min(row_width, tiles.area.right() - x0);
  int known = count + window - 1;
  float *here = numbers, *next = numbers + known;
  for (int i = static_cast<int>(threadIdx.x); i < known; i += threads)
    here[i] = better<kind>(extremum::neutral<kind>, __ldg(&in.at(x0 - radius + i, y)));
  __syncthreads();
  for (int length = 1; length < half; length *= 2) {
    known -= length;
    for (int i = static_cast<int>(threadIdx.x); i < known; i += threads)
      next[i] = better<kind>(here[i], here[i + length]);
    __syncthreads();
    float* const was = here;
    here = next, next = was;
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
    out.at(x0 + i, y) = better<kind>(here[i], here[i + window - half]);
}

/// Along the columns, by van Herk and by Gil and Werman: a thread has as many windows one below the
/// other as these are high. All of them begin in the first window and end in the second one: the
/// extremes from each row to the first one's end wait in `out` for those of the second one up to
/// each row.
template <Extremum kind>
__global__ void __launch_bounds__(threads)
    columns_kernel(Tiles tiles, ChannelPlane in, int radius, ChannelPlane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int top = tiles.y(blockIdx.x), window = 2 * radius + 1;
  if (x >= tiles.area.right()) return;
  const int end = min(top + window, tiles.area.bottom());
  float extreme = extremum::neutral<kind>;
#pragma unroll 4
  for (int y = top + 2 * radius; y >= top; --y) {
    extreme = better<kind>(extreme, __ldg(&in.at(x, y - radius)));
    if (y < end) out.at(x, y) = extreme;
  }
  extreme = extremum::neutral<kind>;
#pragma unroll 4
  for (int y = top + 1; y < end; ++y) {
    extreme = better<kind>(extreme, __ldg(&in.at(x, y + radius)));
    out.at(x, y) = better<kind>(out.at(x, y), extreme);
  }
}

template <Extremum kind>
void along_rows(cudaStream_t stream, ChannelPlane in, Rect area, int radius, ChannelPlane out) {
  const Tiles tiles{area, row_width, 1};
  const int window = 2 * radius + 1, half = extremum::half_cover(window);
  const std::size_t shared = 2 * sizeof(float) * (row_width + window - 1);
  allow_shared_memory(rows_kernel<kind>);
  rows_kernel<kind>
      <<<tiles.count(), threads, shared, stream>>>(tiles, in, radius, window, half, out);
  check(cudaGetLastError());
}

}  // namespace

void extremum_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind) {
  const Rect tall = out.area().grown(0, radius_y);
  const Channel middle{exec.stream(), tall};
  extremum::with_kind(kind, [&]<Extremum wanted>() {
    along_rows<wanted>(exec.stream(), in.plane(), tall, radius_x, middle.plane());
    const Tiles tiles{out.area(), threads, 2 * radius_y + 1};
    columns_kernel<wanted><<<tiles.count(), threads, 0, exec.stream()>>>(tiles, middle.plane(),
                                                                         radius_y, out.plane());
    check(cudaGetLastError());
  });
}

}  // namespace cuda_filters::cuda
