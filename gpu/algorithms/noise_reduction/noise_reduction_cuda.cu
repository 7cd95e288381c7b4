// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/noise_reduction/reduce_noise.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cuda/exec.cuh"

// A block has one channel of a tile, and a thread one row of it, which it goes along two columns
// behind the row above, with some iterations at a time, each four columns behind the one before.
// What a row is smoothed from is in registers, but for what the rows above and below have found one
// step earlier.

namespace cuda_filters::cuda {
namespace {

using noise_reduction::Tile;

constexpr int lag = 4;      ///< of an iteration behind the one before, in steps
constexpr int row_lag = 2;  ///< of a row behind the one above

/// Planes of single channels, behind each other, and the part of the picture that they hold.
struct Planes {
  float* floats;
  Rect area;
  int stride;  ///< floats from one row to the next

  __host__ __device__ std::size_t plane() const {
    return static_cast<std::size_t>(area.height) * stride;
  }
  /// The start of a row.
  __device__ float* row(int channel, int y) const {
    return floats + channel * plane() + static_cast<std::size_t>(y - area.y) * stride;
  }
};

/// sum / count, rounded as a division is, of a count from 1 to 9.
__device__ float mean(float sum, float count) {
  float inverse = reciprocal(count);
  inverse = fmaf(fmaf(-count, inverse, 1.0f), inverse, inverse);
  const float near = sum * inverse;
  const float result = fmaf(fmaf(-count, near, sum), inverse, near);
  return fabsf(result) < INFINITY ? result : near;
}

/// A pixel smoothed by those around it, row by row.
__device__ float smoothed(float center, const float (&around)[8]) {
  const float twice = center + center;
  float limits[4];
#pragma unroll
  for (int axis = 0; axis < 4; ++axis)
    limits[axis] =
        fabsf(exact::difference(exact::difference(twice, around[axis]), around[7 - axis]));
  float sum = center, count = 1.0f;
#pragma unroll
  for (int direction = 0; direction < 8; ++direction) {
    const float both = exact::sum(around[direction], center);
    // No branches: in most warps some lanes would take each of them.
    bool counts = true;
#pragma unroll
    for (int axis = 0; axis < 4; ++axis)
      counts &= fabsf(exact::difference(exact::difference(both, around[axis]), around[7 - axis])) <=
                limits[axis];
    // Half of a float is exact.
    sum = counts ? fmaf(0.5f, both, sum) : sum;
    count = counts ? count + 1.0f : count;
  }
  return mean(sum, count);
}

/// Reads a row of a plane, a float a step, and asks for them early.
class RowFeed {
 public:
  /// `position`: of the float before the first one, counted from the start of the row, or before.
  __device__ RowFeed(const float* row, int stride, int position)
      : fours_{reinterpret_cast<const float4*>(row)}, last_{stride / 4 - 1}, position_{position} {
    now_ = four(position_ >> 2);
    next_ = four((position_ >> 2) + 1);
  }
  __device__ float next() {
    const int part = ++position_ & 3;
    if (part == 0) {
      now_ = next_;
      next_ = four((position_ >> 2) + 1);
    }
    return part & 2 ? (part & 1 ? now_.w : now_.z) : (part & 1 ? now_.y : now_.x);
  }

 private:
  __device__ float4 four(int i) const { return __ldg(fours_ + min(max(i, 0), last_)); }
  const float4* fours_;
  int last_, position_;
  float4 now_, next_;
};

/// What a thread keeps of one iteration: the pixels around the one that is next.
struct Stage {
  float center, above, above_left, below, below_left;
  int end;  ///< columns from 1 to below it change
};

/// Tiles of `tiles`, counted in tiles; `wanted` is what there shall be of them in the end.
/// blockDim: rows, and groups of `stages` iterations.
/// With `several` groups, the last one may have fewer.
template <int stages, bool several>
__global__ void __launch_bounds__(!several      ? 128
                                  : stages == 4 ? 640
                                                : 768,
                                  several ? 1 : 6)
    smooth_kernel(Planes in, Planes out, int channels, Size image, int iterations, Rect tiles,
                  Rect wanted) {
  extern __shared__ float found[];  // [step % 2][iterations done][row]
  const int number = static_cast<int>(blockIdx.x) / channels,
            channel = static_cast<int>(blockIdx.x) % channels;
  const Tile tile{image, iterations, tiles.x + number % tiles.width,
                  tiles.y + number / tiles.width};
  const int bottom = min(tile.inner.bottom(), wanted.bottom());
  const int height = bottom + iterations - tile.area.y;
  const int row = threadIdx.x, rows = blockDim.x,
            first = several ? static_cast<int>(threadIdx.y) * stages : 0;
  const int y = tile.area.y + row;

  Stage stage[stages]{};
  float before[stages + 1][3]{};  // what the iteration before each gave in this row, the last first
#pragma unroll
  for (int k = 0; k < stages; ++k)
    stage[k].end = row >= 1 && row < tile.rows(first + k) ? tile.columns(first + k) : 0;

  const int stop = max(tile.area.width, tile.inner.right() + 3 - tile.area.x) +
                   row_lag * (height - 1) + lag * (iterations - 1) + 1;
  // A warp has nothing to do before its first row begins, and after its last one has ended.
  const int warp_row = row & ~(warp::size - 1);
  const int begins = row_lag * warp_row + lag * (first - 1) - 1;
  const int ends = warp_row < height
                       ? stop - row_lag * (height - 1) + row_lag * (warp_row + warp::size - 1)
                       : begins;
  RowFeed feed{in.row(channel, min(y, tile.area.y + height - 1)), in.stride,
               tile.area.x - in.area.x + begins + lag - row_lag * row - 1};
  const bool writes = y >= max(tile.inner.y, wanted.y) && y < bottom;
  float* const to = out.row(channel, writes ? y : out.area.y);
  const int from_tile = tile.area.x - tile.inner.x;

  for (int step = -lag - 1; step < stop; ++step) {
    if (step >= begins && step < ends) {
      const float* const last = found + (step & 1) * (iterations + 1) * rows + row;
      float* const now = found + (~step & 1) * (iterations + 1) * rows + row;
      if (first == 0) now[0] = feed.next();
      before[0][2] = before[0][1], before[0][1] = before[0][0], before[0][0] = last[first * rows];
#pragma unroll
      for (int k = stages - 1; k >= 0; --k) {
        const int i = first + k;
        if (several && i >= iterations) continue;
        Stage& s = stage[k];
        const int x = step - row_lag * row - lag * i;
        const float right = before[k][2], above_right = last[(i + 1) * rows - 1],
                    below_right = last[i * rows + 1];
        const float around[8]{s.above_left, s.above,      above_right, before[k + 1][0],
                              right,        s.below_left, s.below,     below_right};
        float result = smoothed(s.center, around);
        if (x < 1 || x >= s.end) result = s.center;
        now[(i + 1) * rows] = result;
        if (several ? i == iterations - 1 : k == stages - 1) {
          const int column = x + from_tile;
          if (writes && (column & 3) == 3 && column > 0 && column < tile.inner.width + 3)
            *reinterpret_cast<float4*>(to + (tile.inner.x - out.area.x) + column - 3) = {
                before[k + 1][2], before[k + 1][1], before[k + 1][0], result};
        }
        before[k + 1][2] = before[k + 1][1], before[k + 1][1] = before[k + 1][0];
        before[k + 1][0] = result;
        s.above_left = s.above, s.above = above_right;
        s.below_left = s.below, s.below = below_right;
        s.center = right;
      }
    }
    __syncthreads();
  }
}

/// The colors of a picture, and 0 where there is none.
template <class Load>
__global__ void take_apart_kernel(Load load, Rect image, int channels, Planes out) {
  const int x = out.area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= out.area.right()) return;
  for (int y = out.area.y + static_cast<int>(blockIdx.y); y < out.area.bottom(); y += gridDim.y) {
    const bool inside = x >= image.x && x < image.right() && y >= image.y && y < image.bottom();
    const Pixel p = inside ? load(x, y) : Pixel{};
    const float colors[3]{p.r, p.g, p.b};
    for (int c = 0; c < channels; ++c) out.row(c, y)[x - out.area.x] = colors[c];
  }
}

/// The colors of planes, and alpha from `load` where the storer does not keep it itself.
template <class Load, class Store>
__global__ void put_together_kernel(Rect area, Planes in, int channels, Load load, bool with_alpha,
                                    Store store) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= area.right()) return;
  for (int y = area.y + static_cast<int>(blockIdx.y); y < area.bottom(); y += gridDim.y) {
    const auto color = [&](int c) { return in.row(channels == 1 ? 0 : c, y)[x - in.area.x]; };
    const float alpha = with_alpha ? load(x, y).a : 1.0f;
    store(x, y, Pixel{color(0), color(1), color(2), alpha});
  }
}

dim3 grid_of(Rect area) {
  return {divide_up(area.width, 128), static_cast<unsigned>(std::min(area.height, 65535))};
}

struct Smoothing {
  Planes in, out;
  int channels;
  Size image;
  int iterations;
  Rect wanted;

  template <int stages, bool several = false>
  void launch(cudaStream_t stream, Rect tiles) const {
    const int rows = noise_reduction::tile_height + noise_reduction::before_tile + 2 * iterations;
    const dim3 block{divide_up(rows, warp::size) * warp::size, divide_up(iterations, stages)};
    const int bytes = 2 * (iterations + 1) * static_cast<int>(block.x * sizeof(float));
    const auto kernel = smooth_kernel<stages, several>;
    allow_shared_memory(kernel);
    const int blocks = tiles.width * tiles.height * channels;
    kernel<<<blocks, block, bytes, stream>>>(in, out, channels, image, iterations, tiles, wanted);
    check(cudaGetLastError());
  }
  void run(cudaStream_t stream, Rect tiles) const {
    if (iterations == 1) return launch<1>(stream, tiles);
    if (iterations == 2) return launch<2>(stream, tiles);
    if (iterations == 3) return launch<3>(stream, tiles);
    if (iterations == 4) return launch<4>(stream, tiles);
    if (iterations <= 16) return launch<4, true>(stream, tiles);
    launch<8, true>(stream, tiles);
  }
};

}  // namespace

void reduce_noise(Exec& exec, const Input& in, const Output& out, int iterations) {
  const Rect wanted = out.area, tiles = noise_reduction::tiles_of(wanted);
  const Size image = in.image.size();
  const Tile first{image, iterations, tiles.x, tiles.y},
      last{image, iterations, tiles.right() - 1, tiles.bottom() - 1};
  const int channels = in.format.colors();
  const auto planes = [](int x, int y, int right, int bottom) {
    return Planes{nullptr, {x, y, right - x, bottom - y}, channel_stride(right - x)};
  };
  const int bottom = std::min(last.inner.bottom(), wanted.bottom());
  Planes from = planes(first.area.x, first.area.y, last.area.right(), bottom + iterations),
         to = planes(first.inner.x, wanted.y, last.inner.right(), bottom);
  const Buffer<float> before{channels * from.plane(), exec.stream()},
      after{channels * to.plane(), exec.stream()};
  from.floats = before.data(), to.floats = after.data();
  with_loader(in, [&](auto load) {
    take_apart_kernel<<<grid_of(from.area), 128, 0, exec.stream()>>>(load, in.image, channels,
                                                                     from);
    check(cudaGetLastError());
  });
  const Smoothing smoothing{from, to, channels, image, iterations, wanted};
  // In parts of whole rows of tiles, between which a run can be cancelled.
  constexpr double part_cost = 1e9;  // pixels times iterations, about 40 ms of an H200's time
  const double cost =
      static_cast<double>(to.area.width) * noise_reduction::tile_height * iterations;
  const int part = static_cast<int>(std::clamp(part_cost / cost, 1.0, 1e6));
  PacedLaunches launches{exec.stream(), 2};
  for (int y = 0; y < tiles.height; y += part) {
    const int rows = std::min(part, tiles.height - y);
    launches.begin();
    smoothing.run(exec.stream(), {tiles.x, tiles.y + y, tiles.width, rows});
    launches.end();
    set_band_progress(static_cast<double>(y + rows) / tiles.height);
  }
  with_loader(in, [&](auto load) {
    with_storer(out, [&](auto store) {
      put_together_kernel<<<grid_of(wanted), 128, 0, exec.stream()>>>(wanted, to, channels, load,
                                                                      out.is_temporary, store);
      check(cudaGetLastError());
    });
  });
}

}  // namespace cuda_filters::cuda
