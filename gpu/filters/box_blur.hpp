// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The mean of a rectangle around each pixel, in linear light.
struct BoxBlur {
  struct Params {
    int radius_x, radius_y;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "box-blur",
      .label = N_("_Box Blur (CUDA)…"),
      .title = N_("Box Blur"),
      .blurb = N_("Blur the picture by averaging rectangles"),
      .help = N_("Every pixel becomes the plain average of the rectangle around it. The average "
                 "is taken of linear light and weighted by alpha, so that transparent edges get "
                 "no fringes. The time it takes does not depend on the radius."),
      .category = Category::blur};

  static constexpr std::array params{
      param<&Params::radius_x>({.name = "radius-x",
                                .label = N_("Radius _X"),
                                .blurb = N_("How far the rectangle reaches to either side"),
                                .range = {0.0, 1000.0},
                                .slider = {0.0, 100.0},
                                .initial = 4.0,
                                .unit = Unit::pixels}),
      param<&Params::radius_y>({.name = "radius-y",
                                .label = N_("Radius _Y"),
                                .blurb = N_("How far the rectangle reaches up and down"),
                                .range = {0.0, 1000.0},
                                .slider = {0.0, 100.0},
                                .initial = 4.0,
                                .unit = Unit::pixels,
                                .linked_to = "radius-x"}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = p.radius_x == 0 && p.radius_y == 0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    box_filter(exec, in, out, p.radius_x, p.radius_y, p.border);
  }
};
static_assert(Filter<BoxBlur>);

}  // namespace cuda_filters
