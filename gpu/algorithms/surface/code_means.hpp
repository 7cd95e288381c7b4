// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu/device.hpp"

/// Surface blur of bytes in whole numbers: the same codes, however a window was counted.
namespace cuda_filters::surface {

/// The weight of a code that is |d| from a pixel's own is limit - |d| codes, in 1024ths.
struct CodeWeights {
  static constexpr int unit = 1024;

  std::uint32_t limit;  ///< in 1024ths of a code, above 0
  int reach;            ///< the largest |d| that has a weight, at most 255

  /// `limit`: as SurfaceSettings has it, where 1 are 255 codes.
  static CodeWeights of(float limit) {
    const double units = std::max(1.0, std::round(255.0 * unit * static_cast<double>(limit)));
    const auto whole = static_cast<std::uint32_t>(units);
    return {whole, static_cast<int>(std::min<std::uint32_t>(255, (whole - 1) / unit))};
  }
};

/// What is known of a window's codes that have a weight, for one pixel; each counts as often as it
/// says, or as its alpha is.
struct CodeSums {
  std::uint64_t count = 0;
  std::uint64_t below = 0,
                above = 0;   ///< Σ |d| of those below the pixel's code, and of those above
  std::int64_t squares = 0;  ///< Σ d · |d|

  /// The mean of the window by its weights, rounded to the nearest code, halves up; `center` if
  /// nothing has a weight.
  HOST_DEVICE int mean(int center, const CodeWeights& by) const {
    constexpr std::int64_t unit = CodeWeights::unit;
    const auto limit = static_cast<std::int64_t>(by.limit);
    const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    const std::int64_t weights = limit * number(count) - unit * number(below + above);
    if (weights <= 0) return center;
    const std::int64_t differences = limit * (number(above) - number(below)) - unit * squares;
    // The quotient in floats is at most 0.001 off.
    const float quotient = static_cast<float>(differences) / static_cast<float>(weights);
    int moved = static_cast<int>(std::floor(quotient + 0.5f));
    const std::int64_t rest = 2 * differences + weights - 2 * weights * moved;
    if (rest < 0)
      --moved;
    else if (rest >= 2 * weights)
      ++moved;
    return center + moved;
  }
};

}  // namespace cuda_filters::surface
