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

template <bool squares>
__device__ void add(ChannelStatistics& channel, float a, float b, float c, float d) {
  channel.min = fminf(channel.min, fminf(fminf(a, b), fminf(c, d)));
  channel.max = fmaxf(channel.max, fmaxf(fmaxf(a, b), fmaxf(c, d)));
  if (squares)  // whose mean is compared with that of the samples: no sum may be rounded to float
    for (const double sample : {a, b, c, d})
      channel.sum += sample, channel.squares += sample * sample;
  else
    channel.sum += static_cast<double>((a + b) + (c + d));
}

/// Adds a sample that may not be finite.
__device__ void add(ChannelStatistics& channel, float sample) {
  if (!(fabsf(sample) < INFINITY)) return;
  channel.merge({sample, sample, sample, double{sample} * sample, 1});
}

/// Statistics of colours, or of alpha and of squares as well if `all`; a stored 1 is `one`.
template <bool all, class Load>
__global__ void __launch_bounds__(threads)
    statistics_kernel(Rect area, Load load, float one, DeviceStatistics* state) {
  using Reduce = cub::BlockReduce<Statistics, threads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ bool last;
  constexpr int channels = all ? 4 : 3;
  const int thread = static_cast<int>(threadIdx.x);
  Statistics mine;
  std::uint64_t count = 0;
  for (int y = static_cast<int>(blockIdx.x); y < area.height; y += static_cast<int>(gridDim.x)) {
    const std::uint8_t* selected =
        load.in.mask == nullptr ? nullptr : load.in.mask + static_cast<std::size_t>(y) * area.width;
    for (int first = thread; first < area.width; first += threads * at_once) {
      decltype(load.fetch(0, 0)) fetched[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        fetched[k] = load.fetch(area.x + min(first + k * threads, area.width - 1), area.y + y);
      float samples[4][at_once];
      bool counts[at_once], plain = true;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int x = first + k * threads;
        const Pixel p = load.decoded(fetched[k]);
        samples[0][k] = p.r, samples[1][k] = p.g, samples[2][k] = p.b, samples[3][k] = p.a;
        counts[k] = x < area.width && p.a > 0.0f && (selected == nullptr || selected[x] >= 128);
        plain = plain && counts[k] && fabsf((p.r + p.g) + (p.b + p.a)) < INFINITY;
      }
      if (plain) {
        count += at_once;
#pragma unroll
        for (int c = 0; c < channels; ++c)
          add<all>(mine.channels[c], samples[c][0], samples[c][1], samples[c][2], samples[c][3]);
        continue;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        for (int c = 0; counts[k] && c < channels; ++c) add(mine.channels[c], samples[c][k]);
    }
  }
#pragma unroll
  for (int c = 0; c < channels; ++c) mine.channels[c].count += count;
  const Statistics of_block = Reduce{storage}.Reduce(mine, Merge{});
  if (thread == 0) {
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
  if (thread != 0) return;
  for (ChannelStatistics& channel : total.channels) {
    channel.min /= one, channel.max /= one;
    channel.sum /= one, channel.squares /= double{one} * one;
  }
  state->total.merge(total);
  state->ended = 0;
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
  const int blocks = std::min({8 * processors, most_blocks, area.height});
  const auto launch = [&](auto load, float one) {
    const auto kernel = detail == Detail::all ? statistics_kernel<true, decltype(load)>
                                              : statistics_kernel<false, decltype(load)>;
    kernel<<<blocks, threads, 0, stream_>>>(area, load, one, on_device);
    check(cudaGetLastError());
  };
  if (is_rgba(in.format, SampleType::u8) && in.curves.values[0] == nullptr)
    return launch(LoadCodes{LoadBytes{in}}, 255.0f);
  with_quick_loader(in, [&](auto load) { launch(load, 1.0f); });
}

}  // namespace cuda_filters::cuda
