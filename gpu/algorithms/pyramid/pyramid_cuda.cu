// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/pyramid/downsample.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

constexpr int tile_width = 32, tile_height = 8, threads = tile_width * tile_height;
using pyramid::reduce_reach;

/// Reduces a tile, along rows and then along columns, in shared memory: a thread a pixel.
template <class T, class Load, class Storer>
__global__ void __launch_bounds__(threads) downsample_kernel(Tiles tiles, Load load, Storer store) {
  constexpr int fine_width = 2 * (tile_width - 1) + 2 * reduce_reach + 1;
  constexpr int fine_height = 2 * (tile_height - 1) + 2 * reduce_reach + 1;
  __shared__ T fine[fine_height][fine_width], rows[fine_height][tile_width];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x),
            thread = static_cast<int>(threadIdx.x);
  const int width = min(tile_width, tiles.area.right() - x);
  const int height = min(tile_height, tiles.area.bottom() - y);
  const int columns = 2 * (width - 1) + 2 * reduce_reach + 1;
  const int count = columns * (2 * (height - 1) + 2 * reduce_reach + 1);
  const int left = 2 * x - reduce_reach, top = 2 * y - reduce_reach;
  load_shared<threads>(
      thread, count, load,
      [&](int i) {
        return int2{left + i % columns, top + i / columns};
      },
      [&](int i) -> T& { return fine[i / columns][i % columns]; });
  __syncthreads();
  for (int i = thread; i < fine_height * tile_width; i += threads) {
    const T* const p = &fine[i / tile_width][2 * (i % tile_width)];
    rows[i / tile_width][i % tile_width] = pyramid::reduced(p[0], p[1], p[2], p[3], p[4]);
  }
  __syncthreads();
  const int column = thread % tile_width, row = thread / tile_width;
  if (column >= width || row >= height) return;
  const auto at = [&](int k) { return rows[2 * row + k][column]; };
  store(x + column, y + row, pyramid::reduced(at(0), at(1), at(2), at(3), at(4)));
}

/// Expands a pixel a thread, along columns and then along rows.
template <class Load, class Storer>
__global__ void __launch_bounds__(threads) upsample_kernel(Tiles tiles, Load load, Storer store) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x) % tile_width;
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.x) / tile_width;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int column = x >> 1, row = y >> 1;
  const auto at = [&](int i, int k) { return load.decoded(load.fetch(column + i, row + k)); };
  const auto down = [&](int i) {
    return (y & 1) != 0 ? pyramid::expanded_odd(at(i, 0), at(i, 1))
                        : pyramid::expanded_even(at(i, -1), at(i, 0), at(i, 1));
  };
  store(x, y,
        (x & 1) != 0 ? pyramid::expanded_odd(down(0), down(1))
                     : pyramid::expanded_even(down(-1), down(0), down(1)));
}

template <class T, class Load, class Storer>
void launch_downsample(cudaStream_t stream, Rect area, Load load, Storer store) {
  const Tiles tiles{area, tile_width, tile_height};
  downsample_kernel<T><<<tiles.count(), threads, 0, stream>>>(tiles, load, store);
  check(cudaGetLastError());
}

template <class Load, class Storer>
void launch_upsample(cudaStream_t stream, Rect area, Load load, Storer store) {
  const Tiles tiles{area, tile_width, tile_height};
  upsample_kernel<<<tiles.count(), threads, 0, stream>>>(tiles, load, store);
  check(cudaGetLastError());
}

}  // namespace

void downsample(Exec& exec, const Input& in, const Output& out) {
  with_loader(in, [&](auto load) {
    launch_downsample<Pixel>(exec.stream(), out.area, load, StorePlane{plane_of(out)});
  });
}

void downsample(Exec& exec, const Channel& in, const Channel& out) {
  launch_downsample<float>(exec.stream(), out.area(), LoadChannel{in.plane()},
                           StoreChannel{out.plane()});
}

void upsample(Exec& exec, const Input& in, const Output& out) {
  with_storer(out, [&](auto store) {
    launch_upsample(exec.stream(), out.area, LoadPlane{plane_of(in)}, store);
  });
}

void upsample(Exec& exec, const Channel& in, const Channel& out) {
  launch_upsample(exec.stream(), out.area(), LoadChannel{in.plane()}, StoreChannel{out.plane()});
}

}  // namespace cuda_filters::cuda
