// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/cuda/exec.cuh"

// Every block counts in shared memory, in several copies that its lanes take in turns. A thread
// goes down a column and adds equal neighbors together: flat pictures, too, count quickly. Codes
// of 8 bits have so few bins that there is a copy for every lane or for two, and need no more.

namespace cuda_filters::cuda {
namespace {

constexpr int threads = 512, settling_threads = 256;
constexpr std::size_t max_shared = 64 * 1024;  // what every GPU has

using Count = unsigned long long;

/// What lies on the device. What was found comes first: map_with_statistics() looks for it there.
struct DeviceQuantiles {
  Quantiles found;
  unsigned least[4], greatest[4];  ///< keys
  RankSearch searches[max_passes + 1][4];
  Count counts[max_passes][4][2][max_bins];
};

__global__ void begin_kernel(DeviceQuantiles* state) {
  state->found = Quantiles{};
  for (int list = 0; list < 4; ++list) state->least[list] = 0xffffffffu;
}

/// The parameters of counting, beside the pixels.
struct Counting {
  KeyRules rules;
  Digit digit;
  int pass;
  int copy_bits;  ///< there are 1 << copy_bits copies of each counter
};

/// 8-bit RGBA without a curve, as it is stored.
struct StoredBytes {
  Input in;
};

/// Number `n` of a stored pixel, as find_key() gives it.
template <Lists lists>
__device__ unsigned key_of_bytes(unsigned pixel, int n) {
  if constexpr (lists == Lists::luminance)
    return (2125 * (pixel & 255) + 7154 * (pixel >> 8 & 255) + 721 * (pixel >> 16 & 255) + 5000) /
           10000;
  return pixel >> 8 * n & 255;
}

/// Calls f(number, key) for the finite numbers of all pixels that count.
template <Lists lists, bool codes, class Load, class F>
__device__ void for_numbers(Rect area, const Load& load, const KeyRules& rules, F f) {
  if constexpr (std::is_same_v<Load, StoredBytes>)
    for_selected_bytes<threads>(area, load.in, [&](unsigned pixel, bool counts) {
      if (!counts) return;
#pragma unroll
      for (int n = 0; n < number_count(lists); ++n) f(n, key_of_bytes<lists>(pixel, n));
    });
  else
    for_selected<threads>(area, load, [&](const Pixel& p) {
#pragma unroll
      for (int n = 0; n < number_count(lists); ++n) {
        std::uint32_t key = 0;
        if (find_key<lists, codes>(p, n, rules, key)) f(n, key);
      }
    });
}

/// Counts a digit; `first`: that of all keys.
template <Lists lists, bool codes, bool first, class Load>
__global__ void __launch_bounds__(threads, 2)
    count_kernel(Rect area, Load load, Counting c, DeviceQuantiles* state) {
  extern __shared__ unsigned counters[];  // [list][histogram][bin][copy]
  constexpr int histograms = first ? 1 : 2;
  const int thread = static_cast<int>(threadIdx.x);
  const int bins = list_count(lists) * histograms << c.digit.bits;
  for (int i = thread; i < bins << c.copy_bits; i += threads) counters[i] = 0;
  RankSearch searches[list_count(lists)];
  if constexpr (!first)
#pragma unroll
    for (int list = 0; list < list_count(lists); ++list)
      searches[list] = state->searches[c.pass][list];
  __syncthreads();

  const int copies = 1 << c.copy_bits, copy = thread & (copies - 1);
  // Of each number, the bin that came last and how often in a row.
  constexpr int runs = number_count(lists) * histograms;
  int last[runs]{};
  unsigned length[runs]{};
  const auto end_run = [&](int run) {
    if (length[run] > 0) atomicAdd(&counters[(last[run] << c.copy_bits) + copy], length[run]);
  };
  for_numbers<lists, codes>(area, load, c.rules, [&](int n, std::uint32_t key) {
    const int list = list_of(lists, n);
    const int bin = static_cast<int>(c.digit.of(key));
#pragma unroll
    for (int h = 0; h < histograms; ++h) {
      if constexpr (!first) {
        const RankSearch& search = searches[list];
        if (h >= search.histograms() || c.digit.prefix(key) != search.prefix[h]) continue;
      }
      const int run = n * histograms + h;
      const int found = ((list * histograms + h) << c.digit.bits) + bin;
      if constexpr (std::is_same_v<Load, StoredBytes>) {
        atomicAdd(&counters[(found << c.copy_bits) + copy], 1u);
        continue;
      }
      if (found != last[run]) {
        end_run(run);
        last[run] = found, length[run] = 0;
      }
      ++length[run];
    }
  });
#pragma unroll
  for (int run = 0; run < runs; ++run) end_run(run);
  __syncthreads();

  for (int i = thread; i < bins; i += threads) {
    Count sum = 0;
    for (int k = 0; k < copies; ++k)  // each lane from another bank
      sum += counters[(i << c.copy_bits) + ((k + thread) & (copies - 1))];
    if (sum == 0) continue;
    const int histogram = i >> c.digit.bits, bin = i & ((1 << c.digit.bits) - 1);
    atomicAdd(&state->counts[c.pass][histogram / histograms][histogram % histograms][bin], sum);
  }
}

/// One digit more of both keys of a list, a block each: what the bands so far say. The last band
/// says it all.
__global__ void __launch_bounds__(settling_threads)
    settle_digit_kernel(Wanted wanted, Counting c, bool last, DeviceQuantiles* state) {
  using Scan = cub::BlockScan<Count, settling_threads>;
  __shared__ typename Scan::TempStorage storage;
  constexpr int each = max_bins / settling_threads;
  const int list = static_cast<int>(blockIdx.x);
  const int first_bin = static_cast<int>(threadIdx.x) * each;
  const RankSearch before = state->searches[c.pass][list];
  RankSearch& after = state->searches[c.pass + 1][list];
  for (int w = 0; w < 2; ++w) {
    const Count* histogram = state->counts[c.pass][list][before.histograms() == 2 ? w : 0];
    Count counts[each], sum = 0, start = 0, total = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      counts[k] = first_bin + k < 1 << c.digit.bits ? histogram[first_bin + k] : 0;
      sum += counts[k];
    }
    Scan{storage}.ExclusiveSum(sum, start, total);
    __syncthreads();  // the storage serves again
    RankSearch search = before;
    if (c.pass == 0 && total > 0) begin_search(search, wanted, total);
    Count rank = search.rank[w];
    if (rank < start || rank >= start + sum) continue;
    rank -= start;
    int bin = first_bin;
    bool is_found = false;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      is_found = is_found || rank < counts[k];
      if (!is_found) rank -= counts[k], ++bin;
    }
    const std::uint32_t key = before.prefix[w] << c.digit.bits | static_cast<std::uint32_t>(bin);
    after.prefix[w] = key;
    after.rank[w] = rank;
    if (!last) continue;
    Quantile& found = state->found.lists[list];
    (w == 0 ? found.low : found.high) = number_of(key, c.rules.codes);
  }
}

template <Lists lists, bool codes, class Load>
__global__ void __launch_bounds__(threads)
    extremes_kernel(Rect area, Load load, KeyRules rules, DeviceQuantiles* state) {
  __shared__ unsigned least_of_block[4], greatest_of_block[4];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 4) least_of_block[thread] = 0xffffffffu, greatest_of_block[thread] = 0;
  __syncthreads();
  constexpr int count = list_count(lists);
  unsigned least[count], greatest[count]{};
#pragma unroll
  for (int list = 0; list < count; ++list) least[list] = 0xffffffffu;
  for_numbers<lists, codes>(area, load, rules, [&](int n, std::uint32_t key) {
    const int list = list_of(lists, n);
    least[list] = min(least[list], key), greatest[list] = max(greatest[list], key);
  });
#pragma unroll
  for (int list = 0; list < count; ++list) {
    const unsigned least_of_warp = across_warp(least[list], Least{});
    const unsigned greatest_of_warp = across_warp(greatest[list], Greatest{});
    if (thread % 32 != 0) continue;
    atomicMin(&least_of_block[list], least_of_warp);
    atomicMax(&greatest_of_block[list], greatest_of_warp);
  }
  __syncthreads();
  if (thread >= count) return;
  atomicMin(&state->least[thread], least_of_block[thread]);
  atomicMax(&state->greatest[thread], greatest_of_block[thread]);
}

__global__ void settle_extremes_kernel(int lists, bool codes, DeviceQuantiles* state) {
  for (int list = 0; list < lists; ++list)
    if (state->least[list] <= state->greatest[list])
      state->found.lists[list] = {number_of(state->least[list], codes),
                                  number_of(state->greatest[list], codes)};
}

/// Calls f with the loader for what `in` stores.
template <bool codes, class F>
void with_number_loader(const Input& in, F f) {
  if constexpr (codes) {
    if (is_rgba(in.format, SampleType::u8) && in.curves.values[0] == nullptr)
      return f(StoredBytes{in});
  } else {
    if (is_plain_rgba(in, SampleType::f32)) return f(LoadFloats{in});
    if (is_plain_rgba(in, SampleType::f16)) return f(LoadShorts<SampleType::f16>{in});
    if (is_rgba(in.format, SampleType::u16)) return f(LoadShorts<SampleType::u16>{in});
  }
  f(LoadAny{in});
}

/// Room on the device, with no counts and nothing found.
std::shared_ptr<Buffer<DeviceQuantiles>> begin_counts(cudaStream_t stream) {
  auto memory = std::make_shared<Buffer<DeviceQuantiles>>(1, stream);
  check(cudaMemsetAsync(memory->data(), 0, sizeof(DeviceQuantiles), stream));
  begin_kernel<<<1, 1, 0, stream>>>(memory->data());
  check(cudaGetLastError());
  return memory;
}

/// Launches a count_kernel() whose blocks have `histograms` of the bins of a digit.
template <class Kernel, class Load>
void launch_count(Kernel kernel, Rect area, const Load& load, Counting c, int histograms,
                  DeviceQuantiles* state, cudaStream_t stream) {
  const std::size_t bytes = sizeof(unsigned) * histograms << c.digit.bits;
  while (c.copy_bits < 5 && bytes << (c.copy_bits + 1) <= max_shared) ++c.copy_bits;
  const std::size_t shared = bytes << c.copy_bits;
  allow_shared_memory(kernel);
  kernel<<<blocks_at_once(kernel, threads, shared), threads, shared, stream>>>(area, load, c,
                                                                               state);
  check(cudaGetLastError());
}

}  // namespace

void collect_quantiles(Exec& exec, const Input& in, Rect area, QuantileState& state,
                       const Wanted& wanted) {
  if (state.on_device == nullptr) {
    auto memory = begin_counts(exec.stream());
    state.on_device = {memory, memory->data()};
  }
  auto* const on_device = static_cast<DeviceQuantiles*>(state.on_device.get());
  const KeyRules rules = key_rules(in.format, in.curves.values[0] != nullptr);
  state.passes = pass_count(wanted, rules.codes);
  const int lists_here = list_count(wanted.lists);
  const Counting c{rules, digit_of(rules.codes, state.pass), state.pass, 0};
  with_lists(wanted.lists, rules.codes, [&]<Lists lists, bool codes>() {
    with_number_loader<codes>(in, [&](auto load) {
      using Load = decltype(load);
      if (wanted.extremes()) {
        const auto kernel = extremes_kernel<lists, codes, Load>;
        kernel<<<blocks_at_once(kernel, threads, 0), threads, 0, exec.stream()>>>(
            area, load, c.rules, on_device);
        return check(cudaGetLastError());
      }
      if (state.pass == 0)
        return launch_count(count_kernel<lists, codes, true, Load>, area, load, c, lists_here,
                            on_device, exec.stream());
      if constexpr (!codes)
        launch_count(count_kernel<lists, codes, false, Load>, area, load, c, 2 * lists_here,
                     on_device, exec.stream());
    });
  });
  if (wanted.extremes())
    settle_extremes_kernel<<<1, 1, 0, exec.stream()>>>(lists_here, rules.codes, on_device);
  else
    settle_digit_kernel<<<static_cast<unsigned>(lists_here), settling_threads, 0, exec.stream()>>>(
        wanted, c, state.pass + 1 == state.passes, on_device);
  check(cudaGetLastError());
}

void collect_histograms(Exec& exec, const Input& in, Rect area, Histograms& histograms) {
  histograms.begin(in.format);
  const auto memory = begin_counts(exec.stream());
  const auto count = [&](const auto& load) {
    using Load = std::decay_t<decltype(load)>;
    const Counting c{histograms.rules(), {0, histograms.bits}, 0, 0};
    launch_count(count_kernel<Lists::colors, true, true, Load>, area, load, c, 3, memory->data(),
                 exec.stream());
  };
  if (is_plain_rgba(in, SampleType::f32))
    count(LoadFloats{in});
  else
    with_number_loader<true>(in, count);
  std::vector<Count> counts[3];
  for (int c = 0; c < 3; ++c) {
    counts[c].resize(histograms.levels());
    check(cudaMemcpyAsync(counts[c].data(), memory->data()->counts[0][c][0],
                          counts[c].size() * sizeof(Count), cudaMemcpyDeviceToHost, exec.stream()));
  }
  check(cudaStreamSynchronize(exec.stream()));
  for (int c = 0; c < 3; ++c)
    for (std::size_t level = 0; level < counts[c].size(); ++level)
      histograms.counts[c][level] += counts[c][level];
}

}  // namespace cuda_filters::cuda
