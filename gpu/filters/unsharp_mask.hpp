// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/gaussian/sharpen.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Sharpens by what a Gaussian blur takes away, in linear light.
struct UnsharpMask {
  struct Params {
    double std_dev, scale, threshold;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "unsharp-mask",
      .label = N_("_Unsharp Mask (CUDA)…"),
      .title = N_("Unsharp Mask"),
      .blurb = N_("Sharpen the picture by strengthening what a blur takes away"),
      .help = N_("The picture is blurred, and every color moves away from its blurred one by the "
                 "amount times their difference, unless that is at most the threshold. Alpha "
                 "stays as it is, and transparent surroundings do not count."),
      .category = Category::enhance};

  static constexpr std::array params{
      std_dev_param<&Params::std_dev>(
          {.name = "std-dev",
           .label = N_("Siz_e"),
           .blurb = N_("Standard deviation of the blur: the size of the details "
                       "that are strengthened"),
           .initial = 3.0}),
      param<&Params::scale>({.name = "scale",
                             .label = N_("_Amount"),
                             .blurb = N_("How much of the difference is added"),
                             .range = {0.0, 300.0},
                             .slider = {0.0, 10.0},
                             .initial = 0.5}),
      param<&Params::threshold>({.name = "threshold",
                                 .label = N_("_Threshold"),
                                 .blurb = N_("Differences up to this one, such as noise, stay"),
                                 .range = {0.0, 1.0},
                                 .digits = 3}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Portrait"), "std-dev=1.5 scale=0.6 threshold=0.02"},
      Preset{N_("Landscape"), "std-dev=1 scale=1.2"},
      Preset{N_("Small picture for the web"), "std-dev=0.5 scale=0.8"},
      Preset{N_("Local contrast"), "std-dev=50 scale=0.2"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = p.std_dev == 0.0 || p.scale == 0.0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    unsharp(exec, in, out, p.std_dev,
            Sharpen{static_cast<float>(p.scale), static_cast<float>(p.threshold)}, p.border);
  }
};
static_assert(Filter<UnsharpMask>);

}  // namespace cuda_filters
