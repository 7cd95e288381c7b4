// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/separable/covering.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/store.cuh"
#include "gpu/cuda/tiles.cuh"

// Sums of all pixels of a row or of a column: covering.hpp.

namespace cuda_filters::cuda {

constexpr int covering_threads = 128;

/// Sums along the axis that `along_rows` says, for every pixel of `area`; of weights[k · size + i]
/// is that of pixel k in sum i, so that threads beside each other read neighbors.
template <bool along_rows, class Load, class Storer>
__global__ void __launch_bounds__(covering_threads)
    covering_kernel(Tiles tiles, Load load, const float* weights, int size, Storer store) {
  const int i = static_cast<int>(threadIdx.x);
  const int x = tiles.x(blockIdx.x) + i % tiles.width, y = tiles.y(blockIdx.x) + i / tiles.width;
  if (i >= tiles.width * tiles.height || x >= tiles.area.right() || y >= tiles.area.bottom())
    return;
  Pixel sum{};
#pragma unroll 4
  for (int k = 0; k < size; ++k) {
    const float weight = __ldg(weights + static_cast<std::size_t>(k) * size + (along_rows ? x : y));
    add(sum, along_rows ? load(k, y) : load(x, k), weight, weight);
  }
  if constexpr (requires { store.fetch(x, y); })
    store(x, y, sum, store.fetch(x, y));
  else
    store(x, y, sum);
}

template <bool along_rows, class Load, class Storer>
void covering_sums(cudaStream_t stream, Load load, Rect area, const covering::Axis& axis,
                   Storer store) {
  const std::size_t size = axis.size;
  std::vector<float> turned(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < size; ++k) turned[k * size + i] = axis.weights[i * size + k];
  Buffer<float> weights{turned.size(), stream};
  weights.upload(turned.data(), turned.size());
  const int width = area.width < covering_threads ? area.width : covering_threads;
  const Tiles tiles{area, width, covering_threads / width};
  covering_kernel<along_rows><<<tiles.count(), covering_threads, 0, stream>>>(
      tiles, load, weights.data(), axis.size, store);
  check(cudaGetLastError());
}

/// Sums along the axes that have weights, and along the others by sum(load, area, store), which
/// looks at `halo_y` rows above and below.
template <class Load, class Storer, class Sum>
void with_covering(cudaStream_t stream, Load load, Rect area, int halo_y,
                   const covering::Axis& across, const covering::Axis& down, Storer store,
                   Sum sum) {
  if (!across && !down) return sum(load, area, store);
  const Rect middle = down ? Rect{area.x, 0, area.width, down.size} : area.grown(0, halo_y);
  const Buffer<Pixel> memory{static_cast<std::size_t>(middle.width) * middle.height, stream};
  const Plane plane{memory.data(), middle};
  if (across)
    covering_sums<true>(stream, load, middle, across, StorePlane{plane});
  else
    sum(load, middle, StorePlane{plane});
  if (down)
    covering_sums<false>(stream, LoadPlane{plane}, area, down, store);
  else
    sum(LoadPlane{plane}, area, store);
}

}  // namespace cuda_filters::cuda
