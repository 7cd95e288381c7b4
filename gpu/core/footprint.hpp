// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"

/// What each primitive needs, whatever the executor; the functions of gpu/algorithms say it where
/// they are declared.
namespace cuda_filters::footprint {

struct Footprint {
  Halo halo{};              ///< how far from a pixel its result looks
  double cost = 5.0;        ///< as Plan::cost
  bool by_channel = false;  ///< as Plan::by_channel
  bool costly = false;      ///< as TemporaryPlan::costly
};

inline constexpr Footprint map{};
inline constexpr Footprint stencil3{.halo = {1, 1}, .cost = 8.0};
constexpr Footprint neighborhood(Halo reach, double cost) { return {.halo = reach, .cost = cost}; }

// Of what goes through all pixels before.
inline constexpr Footprint reduce{.cost = 15.0};

}  // namespace cuda_filters::footprint
