// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/weighted_mean.cuh"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using aperture::Weights;

/// A block has a tile; each thread two columns of it, with a sum in registers for each pixel.
constexpr int threads = 128, columns = 2, tile_width = columns * threads, tile_height = 8;

/// A term, with the place in shared memory of its pixels for column 0.
struct SharedTap {
  int place;
  float weight;
};

struct DeviceWeights {
  const SharedTap* taps;
  const int* first;
  Halo reach;
  int planes, step;
  int stride;  ///< pixels from one plane of sums in shared memory to the next
  float scale;
};

/// Adds what a row gives; a compensated sum keeps what rounding lost in `lost` (Kahan, 1965).
template <bool compensated>
__device__ void add_row(Pixel& sum, Pixel& lost, const Pixel& row) {
  if constexpr (compensated) {
    const Pixel value = row - lost, next = sum + value;
    lost = (next - sum) - value;
    sum = next;
  } else {
    sum = sum + row;
  }
}

/// Rows of the input come to shared memory one after the other, with the sums of what lies side by
/// side in them, and are added to all rows of the tile that they are part of.
template <bool compensated, class Load, class Storer>
__global__ void __launch_bounds__(threads)
    aperture_kernel(Tiles tiles, Load load, DeviceWeights weights, Storer store) {
  extern __shared__ Pixel shared[];
  const int x0 = tiles.x(blockIdx.x), y0 = tiles.y(blockIdx.x);
  const int width = min(tile_width, tiles.area.right() - x0);
  const int height = min(tile_height, tiles.area.bottom() - y0);
  const int thread = static_cast<int>(threadIdx.x), reach = weights.reach.y;
  const int count = width + 2 * weights.reach.x;
  Pixel sums[tile_height][columns] = {}, lost[tile_height][columns] = {};
  for (int y = y0 - reach; y < y0 + height + reach; ++y) {
    __syncthreads();  // the row before is done with
    for (int i = thread; i < count; i += threads) shared[i] = load(x0 - weights.reach.x + i, y);
    int length = 1;
    for (int k = 1; k < weights.planes; ++k) {
      __syncthreads();
      const Pixel* const from = shared + (k - 1) * weights.stride;
      Pixel* const to = shared + k * weights.stride;
      const int whole = count - (length << weights.step) + 1;
      for (int i = thread; i < whole; i += threads) {
        Pixel sum = from[i];
        for (int j = 1; j < 1 << weights.step; ++j) sum = sum + from[i + j * length];
        to[i] = sum;
      }
      length <<= weights.step;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < tile_height; ++j) {
      const int row = y - y0 - j + reach;
      if (row < 0 || row > 2 * reach) continue;
      Pixel of_row[columns] = {};
      const int end = __ldg(weights.first + row + 1);
#pragma unroll 4
      for (int t = __ldg(weights.first + row); t < end; ++t) {
        const int2 bits = __ldg(reinterpret_cast<const int2*>(weights.taps) + t);
        const float weight = __int_as_float(bits.y);
#pragma unroll
        for (int c = 0; c < columns; ++c)
          add(of_row[c], shared[bits.x + thread + c * threads], weight, weight);
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) add_row<compensated>(sums[j][c], lost[j][c], of_row[c]);
    }
  }
#pragma unroll
  for (int j = 0; j < tile_height; ++j)
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const int x = thread + c * threads;
      if (x < width && j < height) store(x0 + x, y0 + j, sums[j][c] * weights.scale);
    }
}

/// What a block may have of shared memory, at most.
int max_shared_bytes() {
  int gpu = 0, bytes = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  return bytes;
}

/// How many times longer each sum than the one before, as a power of 2, so that two blocks have
/// room for all of them beside each other.
int step_that_fits(int reach, std::size_t of_plane) {
  const auto room = static_cast<std::size_t>(max_shared_bytes()) / 2 / of_plane;
  int doublings = 0;
  while (2 << doublings <= 2 * reach + 1) ++doublings;
  int step = 1;
  while (step<doublings&& static_cast<std::size_t>(doublings / step) + 1> room) ++step;
  return step;
}

/// The mean by the weights that make_weights(step) gives, of pictures that are stored alike.
template <class MakeWeights>
void mean(Exec& exec, const Input& in, const Output& out, Halo reach, MakeWeights make_weights) {
  const int stride = tile_width + 2 * reach.x;
  const std::size_t of_plane = sizeof(Pixel) * static_cast<std::size_t>(stride);
  const Weights weights = make_weights(step_that_fits(reach.x, of_plane));
  std::vector<SharedTap> taps;
  for (const aperture::Tap& tap : weights.taps)
    taps.push_back({tap.plane * stride + reach.x + tap.dx, tap.weight});
  const auto device_taps = exec.upload(taps);
  const auto first = exec.upload(weights.first);
  const int planes = static_cast<int>(weights.lengths.size());
  const DeviceWeights device{device_taps.data(), first.data(), weights.reach,  planes,
                             weights.step,       stride,       weights.scale()};
  const std::size_t bytes = of_plane * weights.lengths.size();
  const Tiles tiles{out.area, tile_width, tile_height};
  // So many rows that rounding their sum would show.
  const bool compensated = reach.y > 100;
  with_both(in, out, [&](auto load, auto store) {
    const auto kernel = compensated ? aperture_kernel<true, decltype(load), decltype(store)>
                                    : aperture_kernel<false, decltype(load), decltype(store)>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
    kernel<<<tiles.count(), threads, bytes, exec.stream()>>>(tiles, load, device, store);
    check(cudaGetLastError());
  });
}

}  // namespace

void aperture_mean(Exec& exec, const Input& in, const Output& out,
                   const aperture::Aperture& aperture) {
  if (out.area.empty()) return;
  if (!stored_alike(in, out))
    return exec.through_temporary(
        in, out, footprint::aperture_mean(aperture).halo,
        [&](const Input& from, const Output& to) { aperture_mean(exec, from, to, aperture); });
  const int reach = aperture.reach();
  mean(exec, in, out, {reach, reach},
       [&](int step) { return aperture::weights_of(aperture, step); });
}

void weighted_mean(Exec& exec, const Input& in, const Output& out, const Matrix& weights) {
  const Halo reach{weights.radius_x(), weights.radius_y()};
  const double largest = *std::ranges::max_element(weights.values);
  mean(exec, in, out, reach, [&](int step) {
    return Weights::of(reach, step, [&](int dx, int dy) {
      return weights.at(dx + reach.x, dy + reach.y) / largest;
    });
  });
}

}  // namespace cuda_filters::cuda
