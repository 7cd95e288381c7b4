// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Perona and Malik's diffusion (1990), explicit: u ← u + step · Σ g(‖∇‖) · ∇ over the four
/// neighbors, and nothing flows through the border of the image. What flows over an edge between
/// two pixels leaves the one and enters the other, so that the mean stays.
namespace cuda_filters::diffusion {

enum class Conductance { constant, exponential, rational, tukey };

struct DiffusionSettings {
  Conductance conductance;
  bool coupled;  ///< one g for all channels, from the colors' Euclidean distance
  int iterations;
  float step;
  float inverse;  ///< 1/K², K in the units of the pixels

  /// `edge_threshold` is K in units of 1/255.
  DiffusionSettings(Conductance c, int count, double step_size, double edge_threshold,
                    bool one_for_all)
      : conductance{c},
        coupled{one_for_all},
        iterations{count},
        step{static_cast<float>(step_size)},
        inverse{static_cast<float>((255.0 / edge_threshold) * (255.0 / edge_threshold))} {}
};

inline constexpr float log2_of_e = 1.44269504f;

/// g of a squared distance times 1/K².
template <Conductance conductance>
HOST_DEVICE static inline float flow(float squared) {
  if constexpr (conductance == Conductance::exponential) return power_of_2(-log2_of_e * squared);
  if constexpr (conductance == Conductance::rational) return 1.0f / (1.0f + squared);
  if constexpr (conductance == Conductance::tukey) {
    const float rest = 1.0f - squared;
    return rest > 0.0f ? rest * rest : 0.0f;
  }
  return 1.0f;
}

}  // namespace cuda_filters::diffusion
