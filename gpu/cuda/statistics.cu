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

/// Whether the pixel of a stored alpha counts.
__device__ bool counts_at(const std::uint8_t* selected, int x, bool visible) {
  return visible && (selected == nullptr || selected[x] >= 128);
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

/// Of colours, or of alpha and of squares as well if `all`.
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
        counts[k] = x < area.width && counts_at(selected, x, p.a > 0.0f);
      }
#pragma unroll
      for (int c = 0; c < (all ? 4 : 3); ++c) add(mine.channels[c], samples[c], counts, all);
    }
  }
  add_up(mine, state);
}

/// Of the colours of 8-bit RGBA without a curve, as whole numbers.
__global__ void __launch_bounds__(threads)
    byte_statistics_kernel(Rect area, Input in, DeviceStatistics* state) {
  unsigned sums[3] = {}, count = 0;
  // Two samples of 16 bits each: red and blue, green and alpha.
  unsigned low_rb = ~0u, low_ga = ~0u, high_rb = 0, high_ga = 0;
  const auto add = [&](unsigned pixel, bool counted) {
    const unsigned mask = counted ? ~0u : 0u, taken = pixel & mask;
    sums[0] = __dp4a(taken, 0x00000001u, sums[0]);
    sums[1] = __dp4a(taken, 0x00000100u, sums[1]);
    sums[2] = __dp4a(taken, 0x00010000u, sums[2]);
    count += counted;
    const unsigned rb = taken & 0x00ff00ffu, ga = taken >> 8 & 0x00ff00ffu;
    high_rb = __vmaxu2(high_rb, rb), high_ga = __vmaxu2(high_ga, ga);
    low_rb = __vminu2(low_rb, rb | ~mask), low_ga = __vminu2(low_ga, ga | ~mask);
  };
  for (int y = static_cast<int>(blockIdx.x); y < area.height; y += static_cast<int>(gridDim.x)) {
    const std::uint8_t* selected =
        in.mask == nullptr ? nullptr : in.mask + static_cast<std::size_t>(y) * area.width;
    const auto* row =
        reinterpret_cast<const unsigned*>(in.at(area.x, area.y + y, sizeof(unsigned)));
    // Up to here pixel by pixel, so that the rest lies at multiples of 16 bytes.
    const int aligned = min(
        static_cast<int>((16 - reinterpret_cast<std::uintptr_t>(row) % 16) % 16 / 4), area.width);
    const auto* const groups = reinterpret_cast<const uint4*>(row + aligned);
    const int group_count = (area.width - aligned) / 4, rest = aligned + 4 * group_count;
    const auto add_at = [&](int x) {
      const unsigned pixel = __ldg(row + x);
      add(pixel, counts_at(selected, x, pixel >> 24 != 0));
    };
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < aligned) add_at(thread);
    if (rest + thread < area.width) add_at(rest + thread);
    for (int first = thread; first < group_count; first += at_once * threads) {
      uint4 fetched[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        fetched[k] = __ldg(groups + min(first + k * threads, group_count - 1));
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned pixels[4] = {fetched[k].x, fetched[k].y, fetched[k].z, fetched[k].w};
        const int group = first + k * threads, x = aligned + 4 * group;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          add(pixels[i], group < group_count && counts_at(selected, x + i, pixels[i] >> 24 != 0));
      }
    }
  }
  Statistics mine;
  const unsigned lows[3] = {low_rb & 0xffffu, low_ga & 0xffffu, low_rb >> 16};
  const unsigned highs[3] = {high_rb & 0xffffu, high_ga & 0xffffu, high_rb >> 16};
#pragma unroll
  for (int c = 0; c < 3; ++c)
    if (count > 0)
      mine.channels[c] = {share_of(static_cast<int>(lows[c]), 255.0f),
                          share_of(static_cast<int>(highs[c]), 255.0f), sums[c] / 255.0, 0.0,
                          count};
  add_up(mine, state);
}

}  // namespace

void Exec::statistics(const Input& in, Rect area, StatisticsState& state, Detail detail) {
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
  int blocks = std::min({8 * processors, most_blocks, area.height});
  if (detail == Detail::colors && is_rgba(in.format, SampleType::u8) &&
      in.curves.values[0] == nullptr) {
    blocks = std::min(blocks, 4 * processors);  // the fewer, the less to add up
    byte_statistics_kernel<<<blocks, threads, 0, stream_>>>(area, in, on_device);
  } else {
    with_quick_loader(in, [&](auto load) {
      const auto kernel = detail == Detail::all ? statistics_kernel<true, decltype(load)>
                                                : statistics_kernel<false, decltype(load)>;
      kernel<<<blocks, threads, 0, stream_>>>(area, load, on_device);
    });
  }
  check(cudaGetLastError());
}

}  // namespace cuda_filters::cuda
