// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/algorithms/oilify/oilify.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// What the disc around a pixel holds, by bins of luminance. `Sum` is a whole number or, of sums
/// beyond 31 bits, double, which is exact up to 53.
template <class Sum>
struct alignas(64) LuminanceBins {
  Sum sums[oilify::max_intensities][4];
  std::uint16_t counts[oilify::max_intensities];
};
/// How many values of each channel the disc holds.
struct alignas(64) ChannelBins {
  std::uint16_t counts[4][oilify::max_intensities];
};

/// A picture in units and bins. By luminance a pixel has four units and one bin, else four bins.
struct OilifyPixels {
  const std::int32_t* units;
  const std::uint8_t* bins;
};

/// The pixels of a disc that a step changes, by how many pixels they are behind its middle.
struct OilifyChanges {
  const int *entering, *leaving;
  int count;
};

/// Some pixels of a row.
struct OilifyRow {
  OilifyPixels first;  ///< the first one that is computed
  int count;
  int step;  ///< 1, or -1 from right to left
  OilifyChanges changes;
  const float* weights;  ///< oilify::weights_of()
  int intensities;
  float per_one;  ///< oilify::Units
  float* out;     ///< of the first one, four floats a pixel
};

/// The inner loops of oilify_filter(), compiled for each level as Kernels are.
struct OilifyKernels {
  /// The units and the bins of pixels; without `units`, the bins of all channels.
  void (*convert)(const Pixel* pixels, int count, int intensities, float per_one,
                  std::int32_t* units, std::uint8_t* bins);
  /// Compute a row with the bins of its first pixel, which become those of the last one.
  void (*narrow_row)(const OilifyRow& row, LuminanceBins<std::int32_t>& bins);
  void (*wide_row)(const OilifyRow& row, LuminanceBins<double>& bins);
  /// The same of the channels whose bit is set in `channels`: without green, pixels are gray, and
  /// without alpha, it is 1.
  void (*channel_row)(const OilifyRow& row, ChannelBins& bins, unsigned channels);
};

// What is compiled for each level may have no external linkage.

/// The pixel so many pixels behind one.
static inline OilifyPixels moved(const OilifyPixels& from, std::ptrdiff_t by,
                                 const LuminanceBins<std::int32_t>*) {
  return {from.units + 4 * by, from.bins + by};
}
static inline OilifyPixels moved(const OilifyPixels& from, std::ptrdiff_t by,
                                 const LuminanceBins<double>*) {
  return {from.units + 4 * by, from.bins + by};
}
static inline OilifyPixels moved(const OilifyPixels& from, std::ptrdiff_t by, const ChannelBins*) {
  return {nullptr, from.bins + 4 * by};
}

/// Adds a pixel to the bins; `times` is 1, or -1 to take it away.
template <class Sum>
static inline void count(LuminanceBins<Sum>& bins, const OilifyPixels& pixel, int times) {
  typedef std::int32_t Four __attribute__((vector_size(16), aligned(4), may_alias));
  typedef Sum Sums __attribute__((vector_size(4 * sizeof(Sum)), aligned(16), may_alias));
  const int bin = *pixel.bins;
  bins.counts[bin] = static_cast<std::uint16_t>(bins.counts[bin] + times);
  const Four units = *reinterpret_cast<const Four*>(pixel.units);
  auto& sums = *reinterpret_cast<Sums*>(bins.sums[bin]);
  const Sums change = __builtin_convertvector(units, Sums);
  sums = times > 0 ? sums + change : sums - change;
}
static inline void count(ChannelBins& bins, const OilifyPixels& pixel, int times) {
  for (int c = 0; c < 4; ++c) {
    std::uint16_t& number = bins.counts[c][pixel.bins[c]];
    number = static_cast<std::uint16_t>(number + times);
  }
}

/// A step of the disc around `middle`.
template <class Bins>
static inline void change(Bins& bins, const OilifyPixels& middle, const OilifyChanges& changes) {
  const Bins* const kind = nullptr;
  for (int i = 0; i < changes.count; ++i) {
    count(bins, moved(middle, changes.entering[i], kind), 1);
    count(bins, moved(middle, changes.leaving[i], kind), -1);
  }
}

}  // namespace cuda_filters::cpu
