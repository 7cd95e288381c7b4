// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>

/// Non-local means (Buades, Coll and Morel 2005): Σ w·c / Σ w over a search square, with w =
/// exp(-max(0, D - 2·noise²) / strength²), where D is the mean squared difference of the squares
/// around the two pixels, their patches, over samples and colors.
namespace cuda_filters::non_local_means {

inline constexpr int max_patch_radius = 10;

struct NonLocalMeansSettings {
  int patch_radius;  ///< up to max_patch_radius
  int search_radius;
  double strength, noise;

  /// How far the result looks.
  int reach() const { return patch_radius + search_radius; }
  /// Over how many pixels the result is the mean.
  double offsets() const {
    const double side = 2.0 * search_radius + 1.0;
    return side * side;
  }
};

/// The weight as a power of 2 of the sum S of the squared differences of `colors` colors: w =
/// 2^min(0, limit + scale · S), or 0 where that is not above 2^least: of such weights all together
/// are next to nothing beside the pixel's own, which is 1.
struct Exponent {
  float scale, limit, least;

  Exponent(const NonLocalMeansSettings& settings, int colors) {
    // Where the strength is next to nothing, what differs at all weighs nothing.
    constexpr double log2_of_e = 1.4426950408889634, smallest_square = 1e-36;
    const double side = 2.0 * settings.patch_radius + 1.0;
    const double inverse =
        log2_of_e / std::max(settings.strength * settings.strength, smallest_square);
    scale = static_cast<float>(-inverse / (side * side * colors));
    limit = static_cast<float>(inverse * 2.0 * settings.noise * settings.noise);
    constexpr double all_left_out = 1e-7;
    least = static_cast<float>(std::log2(all_left_out / settings.offsets()));
  }
};

}  // namespace cuda_filters::non_local_means
