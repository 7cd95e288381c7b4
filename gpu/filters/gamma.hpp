// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// The sign of every color times its size to the power of 1 / gamma.
struct Gamma {
  struct Params {
    double gamma;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "gamma",
      .label = N_("_Gamma (CUDA)…"),
      .title = N_("Gamma"),
      .blurb = N_("Make the middle tones brighter or darker; black and white stay"),
      .help = N_("Red, green and blue of every pixel are raised to the power of 1 / gamma; "
                 "negative values keep their sign. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::gamma>({.name = "gamma",
                             .label = N_("_Gamma"),
                             .blurb = N_("Above 1 brightens, below 1 darkens"),
                             .range = {0.01, 100.0},
                             .slider = {0.1, 5.0},
                             .initial = 1.0}),
      linear_light_param<&Params::light>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light), .alpha = Alpha::passthrough, .identity = p.gamma == 1.0};
  }

  struct Power {
    float exponent;
    HOST_DEVICE float operator()(float c) const {
      return std::copysign(power(std::fabs(c), exponent), c);
    }
  };

  static auto function(const Params& p) {
    return PerColor{Power{static_cast<float>(1.0 / p.gamma)}};
  }
};
static_assert(Filter<Gamma>);

}  // namespace cuda_filters
