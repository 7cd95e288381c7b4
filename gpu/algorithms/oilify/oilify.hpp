// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/core/luminance.hpp"
#include "gpu/device.hpp"

/// GEGL's Oilify: each pixel becomes a mean of the disc around it, in which the values that are
/// most frequent count the most. The arithmetic is the same on every executor, and so are the bits.
namespace cuda_filters::oilify {

inline constexpr int max_radius = 100, max_intensities = 256;
/// Of discs whose sums fit into 31 bits.
inline constexpr int max_narrow_radius = 25;

struct OilifySettings {
  int radius;         ///< 1 to max_radius
  int exponent;       ///< of a bin's count, which is its weight: 1 to 20
  int intensities;    ///< how many bins there are from 0 to 1: 8 to max_intensities
  bool by_luminance;  ///< one histogram, of luminance; or one of each channel
};

/// The pixels (dx, dy) with dx² + dy² ≤ radius².
struct Disc {
  int radius;
  int count;                                 ///< of its pixels
  std::uint8_t reach[2 * max_radius + 1]{};  ///< [radius + dy]: of |dx|, and the same of columns

  explicit Disc(int radius);
};

/// What sums of colors count: whole numbers, so many for 1, which have the same sum in any order.
struct Units {
  static constexpr int max_bits = 23;  ///< so that a float has room for half a unit

  float per_one;
  bool narrow;  ///< whether sums have 31 bits

  explicit Units(const Disc& disc);
};

/// What a pixel of a bin weighs, by how many there are in the bin: proportional to
/// count^(exponent - 1), so that the bin weighs count^exponent; 0 of none. All that makes a
/// difference to 1e-7 is a normal float.
std::vector<float> weights_of(const OilifySettings& settings, int count);

/// From 0 to 1; NaN is 0.
HOST_DEVICE static inline float clamped(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

HOST_DEVICE static inline int bin_of(float value, int intensities) {
  return static_cast<int>(exact::product(clamped(value), static_cast<float>(intensities - 1)));
}

/// The bin of a pixel's luminance, with the shares that babl has of sRGB's colors, adapted to D50.
/// What is infinite is a large number, so that no differences are NaN.
HOST_DEVICE static inline int luminance_bin(const Pixel& p, int intensities) {
  constexpr float red = 0.22248840f, blue = 0.06060791f, large = 0x1p60f;
  const auto finite = [](float value) {
    return value > -large ? (value < large ? value : large) : -large;
  };
  return bin_of(exact::luminance(finite(p.r), finite(p.g), finite(p.b), red, blue), intensities);
}

/// A value in units, rounded to the nearest.
HOST_DEVICE static inline int units_of(float value, float per_one) {
  return static_cast<int>(exact::sum(exact::product(clamped(value), per_one), 0.5f));
}

/// Sums over bins have four parts, of every fourth bin.
HOST_DEVICE static inline float total_of(float a, float b, float c, float d) {
  return exact::sum(exact::sum(a, b), exact::sum(c, d));
}

}  // namespace cuda_filters::oilify
