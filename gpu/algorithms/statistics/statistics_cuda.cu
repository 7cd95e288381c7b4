// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/block/block_reduce.cuh>

#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/cuda/exec.cuh"

// Statistics in one pass over the pixels. The last block to end adds up what all of them found, in
// the same order in every run; whole numbers, whose order does not matter, add themselves up.

namespace cuda_filters::cuda {
namespace {

constexpr int threads = 256, at_once = 4, max_blocks = 2048;

using Count = unsigned long long;

/// The sums, minima and maxima of red, green and blue, as codes of 8 bits, and how many there are.
struct ByteTotals {
  Count sums[3], count;
  unsigned low[3], high[3];
};

/// What lies on the device. The statistics come first: map_with_statistics() looks for them there.
struct DeviceStatistics {
  Statistics total;
  unsigned ended;
  ByteTotals bytes;
  Statistics of_blocks[max_blocks];
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
  state->bytes = {{0, 0, 0}, 0, {~0u, ~0u, ~0u}, {0, 0, 0}};
}

/// Adds those finite samples that count. For a minimum or maximum of CUDA, NaN is no number at all.
__device__ void add(ChannelStatistics& channel, const float (&samples)[at_once],
                    const bool (&counts)[at_once], bool squares) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < at_once; ++k) {
    const bool counted = counts[k] && fabsf(samples[k]) < INFINITY;
    const float limited = counted ? samples[k] : NAN;
    channel.min = fminf(channel.min, limited);
    channel.max = fmaxf(channel.max, limited);
    const float added = counted ? samples[k] : 0.0f;
    sum += added;
    if (squares) channel.squares += static_cast<double>(added) * added;
    channel.count += counted;
  }
  // The mean is compared with that of the squares: then no sum may be rounded to float.
  if (!squares && fabsf(sum) < INFINITY) {
    channel.sum += static_cast<double>(sum);
    return;
  }
  for (int k = 0; k < at_once; ++k)
    if (counts[k] && fabsf(samples[k]) < INFINITY) channel.sum += static_cast<double>(samples[k]);
}

/// Adds what each thread of a block has found to the total. The last block to come here does that,
/// in the same order in every run.
__device__ void add_up(const Statistics& mine, DeviceStatistics* state) {
  using Reduce = cub::BlockReduce<Statistics, threads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ bool last;
  const Statistics of_block = Reduce{storage}.Reduce(mine, Merge{});
  if (threadIdx.x == 0) {
    state->of_blocks[blockIdx.x] = of_block;
    __threadfence();
    last = atomicAdd(&state->ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Statistics total;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) total.merge(state->of_blocks[i]);
  total = Reduce{storage}.Reduce(total, Merge{});
  if (threadIdx.x != 0) return;
  state->total.merge(total);
  state->ended = 0;
}

/// Of colors, or of alpha and of squares as well if `all`.
template <bool all, class Load>
__global__ void __launch_bounds__(threads)
    statistics_kernel(Rect area, Load load, DeviceStatistics* state) {
  Statistics mine;
  for (int y = static_cast<int>(blockIdx.x); y < area.height; y += static_cast<int>(gridDim.x)) {
    const std::uint8_t* selected =
        load.in.mask == nullptr ? nullptr : load.in.mask + static_cast<std::size_t>(y) * area.width;
    for (int first = static_cast<int>(threadIdx.x); first < area.width;
         first += threads * at_once) {
      decltype(load.fetch(0, 0)) fetched[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        fetched[k] = load.fetch(area.x + min(first + k * threads, area.width - 1), area.y + y);
      float samples[4][at_once];
      bool counts[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int x = first + k * threads;
        const Pixel p = load.decoded(fetched[k]);
        samples[0][k] = p.r, samples[1][k] = p.g, samples[2][k] = p.b, samples[3][k] = p.a;
        counts[k] = is_counted(x < area.width && p.a > 0.0f, selected, x);
      }
#pragma unroll
      for (int c = 0; c < (all ? 4 : 3); ++c) add(mine.channels[c], samples[c], counts, all);
    }
  }
  add_up(mine, state);
}

/// Of the colors of 8-bit RGBA without a curve, as whole numbers.
__global__ void __launch_bounds__(threads)
    byte_statistics_kernel(Rect area, Input in, DeviceStatistics* state) {
  unsigned sums[3] = {}, count = 0;
  // Two samples of 16 bits each: red and blue, green and alpha.
  unsigned low_rb = ~0u, low_ga = ~0u, high_rb = 0, high_ga = 0;
  for_selected_bytes<threads>(area, in, [&](unsigned pixel, bool counts) {
    const unsigned mask = counts ? ~0u : 0u, taken = pixel & mask;
    sums[0] = __dp4a(taken, 0x00000001u, sums[0]);
    sums[1] = __dp4a(taken, 0x00000100u, sums[1]);
    sums[2] = __dp4a(taken, 0x00010000u, sums[2]);
    count += counts;
    const unsigned rb = taken & 0x00ff00ffu, ga = taken >> 8 & 0x00ff00ffu;
    high_rb = __vmaxu2(high_rb, rb), high_ga = __vmaxu2(high_ga, ga);
    low_rb = __vminu2(low_rb, rb | ~mask), low_ga = __vminu2(low_ga, ga | ~mask);
  });
  const unsigned lows[3] = {low_rb & 0xffffu, low_ga & 0xffffu, low_rb >> 16};
  const unsigned highs[3] = {high_rb & 0xffffu, high_ga & 0xffffu, high_rb >> 16};

  __shared__ ByteTotals of_warps[threads / 32];
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  ByteTotals warp;
  warp.count = across_warp(count, Sum{});
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    warp.sums[c] = across_warp(sums[c], Sum{});
    warp.low[c] = across_warp(lows[c], Least{});
    warp.high[c] = across_warp(highs[c], Greatest{});
  }
  if (thread % 32 == 0) of_warps[thread / 32] = warp;
  __syncthreads();
  ByteTotals& total = state->bytes;
  if (thread < 3) {
    Count sum = 0;
    unsigned low = ~0u, high = 0;
    for (const ByteTotals& each : of_warps) {
      sum += each.sums[thread];
      low = min(low, each.low[thread]), high = max(high, each.high[thread]);
    }
    atomicAdd(&total.sums[thread], sum);
    atomicMin(&total.low[thread], low);
    atomicMax(&total.high[thread], high);
  } else if (thread == 3) {
    Count of_block = 0;
    for (const ByteTotals& each : of_warps) of_block += each.count;
    atomicAdd(&total.count, of_block);
  }
  __threadfence();
  __syncthreads();
  if (thread == 0) last = atomicAdd(&state->ended, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last || thread >= 3) return;
  // An exchange sees what the other blocks added, and makes room for the next band.
  __threadfence();
  const Count found = __ldcg(&total.count);
  ChannelStatistics channel;
  const Count sum = atomicExch(&total.sums[thread], Count{0});
  const unsigned low = atomicExch(&total.low[thread], ~0u);
  const unsigned high = atomicExch(&total.high[thread], 0u);
  if (found > 0)
    channel = {decode_code(low, 255.0f, nullptr), decode_code(high, 255.0f, nullptr),
               static_cast<double>(sum) / 255.0, 0.0, found};
  state->total.channels[thread].merge(channel);
  __syncwarp(0x7u);
  if (thread == 0) total.count = 0, state->ended = 0;
}

}  // namespace

void collect_statistics(Exec& exec, const Input& in, Rect area, StatisticsState& state,
                        Detail detail) {
  if (state.on_device == nullptr) {
    auto memory = std::make_shared<Buffer<DeviceStatistics>>(1, exec.stream());
    begin_kernel<<<1, 1, 0, exec.stream()>>>(memory->data());
    check(cudaGetLastError());
    state.on_device = {memory, memory->data()};
  }
  auto* const on_device = static_cast<DeviceStatistics*>(state.on_device.get());
  if (detail == Detail::colors && is_rgba(in.format, SampleType::u8) &&
      in.curves.values[0] == nullptr) {
    byte_statistics_kernel<<<blocks_at_once(byte_statistics_kernel, threads, 0), threads, 0,
                             exec.stream()>>>(area, in, on_device);
  } else {
    with_quick_loader(in, [&](auto load) {
      const auto kernel = detail == Detail::all ? statistics_kernel<true, decltype(load)>
                                                : statistics_kernel<false, decltype(load)>;
      const unsigned blocks = std::min<unsigned>(blocks_at_once(kernel, threads, 0), max_blocks);
      kernel<<<blocks, threads, 0, exec.stream()>>>(area, load, on_device);
    });
  }
  check(cudaGetLastError());
}

}  // namespace cuda_filters::cuda
