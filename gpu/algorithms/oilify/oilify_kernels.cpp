// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/oilify/oilify_kernels.hpp"

#include <cstring>

// Compiled once for each level: see DEFINE_KERNELS. Without -ffp-contract=off bits would differ
// between levels.

namespace cuda_filters::cpu {
namespace {

typedef float Four __attribute__((vector_size(16)));

/// How many bins are looked at together. What is empty is left out, which changes no sum.
constexpr int group = 4;

inline bool is_empty(const std::uint16_t* counts) {
  std::uint64_t all;
  static_assert(sizeof(all) == group * sizeof(*counts));
  std::memcpy(&all, counts, sizeof(all));
  return all == 0;
}

inline Four splat(float value) { return Four{value, value, value, value}; }
inline float total(Four v) { return oilify::total_of(v[0], v[1], v[2], v[3]); }

template <class Sum>
inline void mean(const OilifyRow& row, const LuminanceBins<Sum>& bins, float* out) {
  typedef Sum Sums __attribute__((vector_size(4 * sizeof(Sum)), aligned(16), may_alias));
  Four colors[group]{}, weight{};
  for (int i = 0; i < row.intensities; i += group) {
    const std::uint16_t* const n = bins.counts + i;
    if (is_empty(n)) continue;
    const Four numbers{float(n[0]), float(n[1]), float(n[2]), float(n[3])};
    const Four weights{row.weights[n[0]], row.weights[n[1]], row.weights[n[2]], row.weights[n[3]]};
    weight += weights * numbers;
#pragma GCC unroll 4
    for (int k = 0; k < group; ++k) {
      const auto& sums = *reinterpret_cast<const Sums*>(bins.sums[i + k]);
      colors[k] += splat(weights[k]) * __builtin_convertvector(sums, Four);
    }
  }
  const Four all = (colors[0] + colors[1]) + (colors[2] + colors[3]);
  const Four result = all / splat(total(weight)) * splat(1.0f / row.per_one);
  std::memcpy(out, &result, sizeof(result));
}

template <class Sum>
void luminance_row(const OilifyRow& row, LuminanceBins<Sum>& bins) {
  for (int i = 0; i < row.count; ++i) {
    const int x = i * row.step;
    if (i > 0) change(bins, moved(row.first, x - row.step, &bins), row.changes);
    mean(row, bins, row.out + 4 * std::ptrdiff_t{x});
  }
}

inline float channel_mean(const OilifyRow& row, const std::uint16_t* counts) {
  Four sum{}, weight{};
  Four place{0.0f, 1.0f, 2.0f, 3.0f};
  for (int i = 0; i < row.intensities; i += group, place += splat(group)) {
    const std::uint16_t* const n = counts + i;
    if (is_empty(n)) continue;
    const Four numbers{float(n[0]), float(n[1]), float(n[2]), float(n[3])};
    const Four weights{row.weights[n[0]], row.weights[n[1]], row.weights[n[2]], row.weights[n[3]]};
    const Four of_bins = weights * numbers;
    weight += of_bins;
    sum += of_bins * place;
  }
  return total(sum) / (total(weight) * static_cast<float>(row.intensities - 1));
}

void channel_row(const OilifyRow& row, ChannelBins& bins, unsigned channels) {
  for (int i = 0; i < row.count; ++i) {
    const int x = i * row.step;
    if (i > 0) change(bins, moved(row.first, x - row.step, &bins), row.changes);
    float* const out = row.out + 4 * std::ptrdiff_t{x};
    for (int c = 0; c < 4; ++c)
      if ((channels >> c & 1) != 0) out[c] = channel_mean(row, bins.counts[c]);
    if ((channels >> 1 & 1) == 0) out[1] = out[2] = out[0];
    if ((channels >> 3 & 1) == 0) out[3] = 1.0f;
  }
}

void convert(const Pixel* pixels, int count, int intensities, float per_one, std::int32_t* units,
             std::uint8_t* bins) {
  const float* const values = &pixels->r;
  if (units == nullptr) {
    for (int i = 0; i < 4 * count; ++i)
      bins[i] = static_cast<std::uint8_t>(oilify::bin_of(values[i], intensities));
    return;
  }
  for (int i = 0; i < 4 * count; ++i) units[i] = oilify::units_of(values[i], per_one);
  for (int i = 0; i < count; ++i)
    bins[i] = static_cast<std::uint8_t>(oilify::luminance_bin(pixels[i], intensities));
}

}  // namespace

DEFINE_KERNELS(OilifyKernels, oilify_kernels){convert, luminance_row<std::int32_t>,
                                              luminance_row<double>, channel_row};

}  // namespace cuda_filters::cpu
