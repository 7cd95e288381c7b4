// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// Every color times a value.
struct Multiply {
  struct Params {
    double value;
    bool clamp;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "multiply",
      .label = N_("_Multiply by a Value (CUDA)…"),
      .title = N_("Multiply by a Value"),
      .blurb = N_("Make the picture brighter or darker, as a longer or shorter exposure would"),
      .help = N_("Red, green and blue of every pixel are multiplied by the value; in linear light, "
                 "2 is one stop more. On request, what leaves the range from black to white is cut "
                 "off. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::value>({.name = "value",
                             .label = N_("_Factor"),
                             .blurb = N_("What colors are multiplied by"),
                             .range = {0.0, 1000.0},
                             .slider = {0.0, 4.0},
                             .initial = 1.0,
                             .digits = 3}),
      param<&Params::clamp>({.name = "clamp",
                             .label = N_("Cu_t off"),
                             .blurb = N_("Keep the results between black and white")}),
      linear_light_param<&Params::light>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light),
            .alpha = Alpha::passthrough,
            .identity = p.value == 1.0 && !p.clamp};
  }

  struct Product {
    float value;
    bool clamp;
    HOST_DEVICE float operator()(float c) const {
      const float product = c * value;
      return !clamp ? product : product < 0.0f ? 0.0f : product > 1.0f ? 1.0f : product;
    }
  };

  static auto function(const Params& p) {
    return PerColor{Product{static_cast<float>(p.value), p.clamp}};
  }
};
static_assert(Filter<Multiply>);

}  // namespace cuda_filters
