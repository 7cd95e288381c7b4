// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// A value is subtracted from every color.
struct Subtract {
  struct Params {
    double value;
    bool clamp;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "subtract",
      .label = N_("S_ubtract a Value (CUDA)…"),
      .title = N_("Subtract a Value"),
      .blurb = N_("Make the picture darker by the same amount everywhere"),
      .help =
          N_("The value is subtracted from red, green and blue of every pixel. What gets darker "
             "than black becomes black unless that is switched off. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::value>(
          {.name = "value",
           .label = N_("_Amount"),
           .blurb = N_("What is subtracted: 1 is the difference between black and white"),
           .range = {-100.0, 100.0},
           .slider = {-1.0, 1.0},
           .digits = 3}),
      param<&Params::clamp>({.name = "clamp",
                             .label = N_("Cu_t off"),
                             .blurb = N_("Make black of what gets darker than black"),
                             .initial = 1.0}),
      linear_light_param<&Params::light>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light),
            .alpha = Alpha::passthrough,
            .identity = p.value == 0.0 && !p.clamp};
  }

  struct Shift {
    float value;
    bool clamp;
    HOST_DEVICE float operator()(float c) const {
      const float shifted = c - value;
      return clamp && shifted < 0.0f ? 0.0f : shifted;
    }
  };

  static auto function(const Params& p) {
    return PerColor{Shift{static_cast<float>(p.value), p.clamp}};
  }
};
static_assert(Filter<Subtract>);

}  // namespace cuda_filters
