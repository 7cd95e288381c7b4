// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// The larger of every sample and its channel's limit.
struct LowerClamp {
  struct Params {
    double red, green, blue, alpha;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "lower-clamp",
      .label = N_("_Lower Clamp (CUDA)…"),
      .title = N_("Lower Clamp"),
      .blurb = N_("Lift everything that is darker than a limit up to it"),
      .help = N_("Red, green, blue and alpha of every pixel, each by itself, are at least their "
                 "limit: with limits of 0, floating-point pictures lose their negative values."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::red>({.name = "red",
                           .label = N_("Re_d"),
                           .blurb = N_("The least that red may be"),
                           .range = {-1.0, 1.0},
                           .digits = 3}),
      param<&Params::green>({.name = "green",
                             .label = N_("_Green"),
                             .blurb = N_("The least that green may be"),
                             .range = {-1.0, 1.0},
                             .digits = 3}),
      param<&Params::blue>({.name = "blue",
                            .label = N_("_Blue"),
                            .blurb = N_("The least that blue may be"),
                            .range = {-1.0, 1.0},
                            .digits = 3}),
      param<&Params::alpha>({.name = "alpha",
                             .label = N_("_Alpha"),
                             .blurb = N_("The least that alpha may be"),
                             .range = {-1.0, 1.0},
                             .digits = 3,
                             .applies_if = has_alpha_channel}),
      linear_light_param<&Params::light>(),
  };

  static Plan plan(const Params& p) { return {.trc = trc_of(p.light), .alpha = Alpha::channel}; }

  struct Raise {
    float least[4];
    HOST_DEVICE float operator()(float value, int c) const {
      return value < least[c] ? least[c] : value;
    }
  };

  static auto function(const Params& p) {
    return PerChannel{Raise{{static_cast<float>(p.red), static_cast<float>(p.green),
                             static_cast<float>(p.blue), static_cast<float>(p.alpha)}}};
  }
};
static_assert(Filter<LowerClamp>);

}  // namespace cuda_filters
