// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

constexpr int tile_width = 32, tile_height = 8;

__device__ void add_weighted(Pixel& sum, Pixel p, float weight) { add(sum, p, weight, weight); }
__device__ void add_weighted(float& sum, float value, float weight) {
  sum = fmaf(weight, value, sum);
}

/// The sum of five samples along an axis, for every pixel of the tiles' area.
template <bool along_rows, class Value, class Load, class Storer>
__global__ void __launch_bounds__(tile_width* tile_height)
    spline_kernel(Tiles tiles, Load load, int spacing, Storer store) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  constexpr float weights[atrous::taps] = {atrous::weights[0], atrous::weights[1],
                                           atrous::weights[2], atrous::weights[3],
                                           atrous::weights[4]};
  decltype(load.fetch(x, y)) fetched[atrous::taps];
#pragma unroll
  for (int t = 0; t < atrous::taps; ++t) {
    const int offset = (t - atrous::reach) * spacing;
    fetched[t] = along_rows ? load.fetch(x + offset, y) : load.fetch(x, y + offset);
  }
  Value sum{};
#pragma unroll
  for (int t = 0; t < atrous::taps; ++t) add_weighted(sum, load.decoded(fetched[t]), weights[t]);
  if constexpr (requires { store.fetch(x, y); })
    store(x, y, sum, store.fetch(x, y));
  else
    store(x, y, sum);
}

template <bool along_rows, class Value, class Load, class Storer>
void sum_axis(cudaStream_t stream, Rect area, Load load, int level, Storer store) {
  const Tiles tiles{area, tile_width, tile_height};
  spline_kernel<along_rows, Value><<<tiles.count(), dim3{tile_width, tile_height}, 0, stream>>>(
      tiles, load, atrous::spacing(level), store);
  check(cudaGetLastError());
}

}  // namespace

void atrous_smooth(Exec& exec, const Input& in, const Output& out, int level) {
  if (!stored_alike(in, out))
    return exec.through_temporary(
        in, out, footprint::atrous_smooth(level).halo,
        [&](const Input& from, const Output& to) { atrous_smooth(exec, from, to, level); });
  const Rect wide = out.area.grown(atrous::halo(level), 0);
  const Buffer<Pixel> memory{static_cast<std::size_t>(wide.width) * wide.height, exec.stream()};
  const Plane plane{memory.data(), wide};
  with_both(in, out, [&](auto load, auto store) {
    sum_axis<false, Pixel>(exec.stream(), wide, load, level, StorePlane{plane});
    sum_axis<true, Pixel>(exec.stream(), out.area, LoadPlane{plane}, level, store);
  });
}

void atrous_smooth(Exec& exec, const Channel& in, const Channel& out, int level) {
  const Rect wide = out.area().grown(atrous::halo(level), 0);
  const int stride = channel_stride(wide.width);
  const Buffer<float> memory{static_cast<std::size_t>(stride) * wide.height, exec.stream()};
  const ChannelPlane plane{memory.data(), wide, stride};
  sum_axis<false, float>(exec.stream(), wide, LoadChannel{in.plane()}, level, StoreChannel{plane});
  sum_axis<true, float>(exec.stream(), out.area(), LoadChannel{plane}, level,
                        StoreChannel{out.plane()});
}

}  // namespace cuda_filters::cuda
