// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// The weighted sum of the colors in all three of them.
struct Monochrome {
  struct Params {
    double red, green, blue;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "monochrome",
      .label = N_("Mo_nochrome (CUDA)…"),
      .title = N_("Monochrome"),
      .blurb = N_("Make a black and white picture, with a filter of any color before the lens"),
      .help = N_("Every pixel becomes the sum of its red, green and blue, each times its amount. "
                 "With amounts that add up to 1 white stays white. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::red>({.name = "red",
                           .label = N_("Re_d"),
                           .blurb = N_("How much of red is taken"),
                           .range = {-2.0, 2.0},
                           .initial = 0.3}),
      param<&Params::green>({.name = "green",
                             .label = N_("_Green"),
                             .blurb = N_("How much of green is taken"),
                             .range = {-2.0, 2.0},
                             .initial = 0.59}),
      param<&Params::blue>({.name = "blue",
                            .label = N_("_Blue"),
                            .blurb = N_("How much of blue is taken"),
                            .range = {-2.0, 2.0},
                            .initial = 0.11}),
      linear_light_param<&Params::light>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light), .alpha = Alpha::passthrough};
  }

  struct WeightedSum {
    float red, green, blue;
    HOST_DEVICE float operator()(Pixel p) const { return red * p.r + green * p.g + blue * p.b; }
  };

  static auto function(const Params& p) {
    return ToGray{WeightedSum{static_cast<float>(p.red), static_cast<float>(p.green),
                              static_cast<float>(p.blue)}};
  }
};
static_assert(Filter<Monochrome>);

}  // namespace cuda_filters
