// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/core/canny.hpp"
#include "gpu/core/diffusion.hpp"
#include "gpu/core/gaussian.hpp"
#include "gpu/core/matrix.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/core/rank.hpp"

/// What each primitive needs, whatever the executor: stated here and nowhere else.
namespace cuda_filters::footprint {

struct Footprint {
  Halo halo{};              ///< how far from a pixel its result looks
  double cost = 5.0;        ///< as Plan::cost
  bool by_channel = false;  ///< as Plan::by_channel
};

inline constexpr Footprint map{};
inline constexpr Footprint stencil3{.halo = {1, 1}, .cost = 8.0};

inline Footprint gaussian(double sigma_x, double sigma_y) {
  return {{gaussian::Axis{sigma_x}.halo(), gaussian::Axis{sigma_y}.halo()}, 15.0, true};
}
inline Footprint unsharp(double sigma) {
  const int halo = gaussian::Axis{sigma}.halo();
  return {{halo, halo}, 20.0, true};
}
inline Footprint box(int radius_x, int radius_y) { return {{radius_x, radius_y}, 10.0, true}; }
inline Footprint convolve(const Matrix& weights) {
  return {
      {weights.radius_x(), weights.radius_y()}, 5.0 + 0.1 * weights.width * weights.height, true};
}
inline Footprint rank(const rank::Window& window, const rank::Percentiles& percentiles,
                      Border border) {
  const int radius = window.radius;
  const bool network =
      rank::is_small_median(window.shape, radius, percentiles) && border != Border::transparent;
  return {{radius, radius}, network ? 2.0 + 1.1 * radius * radius : 100.0 + 8.0 * radius};
}
inline Footprint diffusion(const diffusion::DiffusionSettings& settings) {
  const int halo = settings.iterations;
  return {{halo, halo}, 5.0 + 3.0 * settings.iterations};
}
inline Footprint canny(const canny::CannySettings& settings) {
  const int halo = settings.radius() + canny::reach;
  return {{halo, halo}, 15.0};
}
inline constexpr Footprint resample{.cost = 15.0};

// Of what goes through all pixels before, in all of its passes.
inline constexpr Footprint statistics{.cost = 0.0};  // hidden behind the memory's time
inline constexpr Footprint quantiles{.cost = 5.0};
inline constexpr Footprint reduce{.cost = 15.0};
inline constexpr Footprint histogram{.cost = 5.0};
inline constexpr Footprint plates{.cost = 15.0};

}  // namespace cuda_filters::footprint
