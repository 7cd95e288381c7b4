// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/block/block_reduce.cuh>

#include "gpu/cuda/exec.cuh"

// Statistics in one pass over the pixels. Blocks take rows in turn; the last one to end adds up
// what all of them found, in the same order in every run.

namespace cuda_filters::cuda {
namespace {

constexpr int threads = 256, at_once = 4, most_blocks = 2048;

/// What lies on the device. The statistics come first: map_by() looks for them there.
struct DeviceStatistics {
  Statistics total;
  unsigned ended;
  Statistics of_blocks[most_blocks];
};

struct Merge {
  __device__ Statistics operator()(Statistics a, const Statistics& b) const {
    a.merge(b);
    return a;
  }
};

__global__ void begin_kernel(DeviceStatistics* state) {
  state->total = Statistics{};
  state->ended = 0;
}

/// Adds up to four samples of a channel, of which those that do not count are NaN.
__device__ void add(ChannelStatistics& channel, const float (&samples)[at_once]) {
  float sum = 0.0f, squares = 0.0f;
  int count = 0;
#pragma unroll
  for (const float sample : samples) {
    const bool counts = fabsf(sample) < INFINITY;
    // The smaller and the larger of a number and NaN is the number.
    channel.min = fminf(channel.min, counts ? sample : NAN);
    channel.max = fmaxf(channel.max, counts ? sample : NAN);
    sum += counts ? sample : 0.0f;
    squares = counts ? fmaf(sample, sample, squares) : squares;
    count += counts;
  }
  channel.sum += static_cast<double>(sum);
  channel.squares += static_cast<double>(squares);
  channel.count += count;
}

template <class Load>
__global__ void __launch_bounds__(threads)
    statistics_kernel(Rect area, Load load, DeviceStatistics* state) {
  using Reduce = cub::BlockReduce<Statistics, threads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  Statistics mine;
  for (int y = static_cast<int>(blockIdx.x); y < area.height; y += static_cast<int>(gridDim.x)) {
    const std::uint8_t* selected =
        load.in.mask == nullptr ? nullptr : load.in.mask + static_cast<std::size_t>(y) * area.width;
    for (int first = thread; first < area.width; first += threads * at_once) {
      decltype(load.fetch(0, 0)) fetched[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        fetched[k] = load.fetch(area.x + min(first + k * threads, area.width - 1), area.y + y);
      float samples[4][at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int x = first + k * threads;
        const Pixel p = load.decoded(fetched[k]);
        const bool counts =
            x < area.width && p.a > 0.0f && (selected == nullptr || selected[x] >= 128);
        samples[0][k] = counts ? p.r : NAN;
        samples[1][k] = counts ? p.g : NAN;
        samples[2][k] = counts ? p.b : NAN;
        samples[3][k] = counts ? p.a : NAN;
      }
#pragma unroll
      for (int c = 0; c < 4; ++c) add(mine.channels[c], samples[c]);
    }
  }
  const Statistics of_block = Reduce{storage}.Reduce(mine, Merge{});
  if (thread == 0) {
    state->of_blocks[blockIdx.x] = of_block;
    __threadfence();
    last = atomicAdd(&state->ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Statistics all;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) all.merge(state->of_blocks[i]);
  all = Reduce{storage}.Reduce(all, Merge{});
  if (thread != 0) return;
  state->total.merge(all);
  state->ended = 0;
}

}  // namespace

void Exec::statistics(const Input& in, Rect area, StatisticsState& state) {
  if (state.on_device == nullptr) {
    auto memory = std::make_shared<Buffer<DeviceStatistics>>(1, stream_);
    begin_kernel<<<1, 1, 0, stream_>>>(memory->data());
    check(cudaGetLastError());
    state.on_device = {memory, memory->data()};
  }
  auto* const on_device = static_cast<DeviceStatistics*>(state.on_device.get());
  int gpu = 0, processors = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu));
  const int blocks = std::min({8 * processors, most_blocks, area.height});
  with_loader(in, [&](auto load) {
    statistics_kernel<<<blocks, threads, 0, stream_>>>(area, load, on_device);
    check(cudaGetLastError());
  });
}

}  // namespace cuda_filters::cuda
