// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Weights exp(-d²/2σ²) along both axes, in linear light.
struct GaussianBlur {
  struct Params {
    double std_dev_x, std_dev_y;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "gaussian-blur",
      .label = N_("_Gaussian Blur (CUDA)…"),
      .title = N_("Gaussian Blur"),
      .blurb = N_("Blur the picture evenly, like a lens out of focus"),
      .help = N_("Every pixel becomes the average of its surroundings, weighted by a bell curve. "
                 "The average is taken of linear light and weighted by alpha, so that "
                 "transparent edges get no fringes."),
      .category = Category::blur};

  static constexpr std::array params{
      std_dev_param<&Params::std_dev_x>(
          {.name = "std-dev-x",
           .label = N_("Size _X"),
           .blurb = N_("Standard deviation of the blur along the rows"),
           .initial = 1.5}),
      std_dev_param<&Params::std_dev_y>(
          {.name = "std-dev-y",
           .label = N_("Size _Y"),
           .blurb = N_("Standard deviation of the blur along the columns"),
           .initial = 1.5,
           .linked_to = "std-dev-x"}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = p.std_dev_x == 0.0 && p.std_dev_y == 0.0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    gaussian_blur(exec, in, out, p.std_dev_x, p.std_dev_y, p.border);
  }
};
static_assert(Filter<GaussianBlur>);

}  // namespace cuda_filters
