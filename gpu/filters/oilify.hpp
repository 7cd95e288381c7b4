// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/oilify/oilify_filter.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// GEGL's Oilify: bins of luminance, or of each channel, count the pixels of a disc; each bin's
/// mean weighs as much as a power of its count, in linear light, whatever alpha is.
struct Oilify {
  struct Params {
    int mask_radius, exponent, intensities;
    bool use_inten;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "oilify",
      .label = N_("_Oilify (CUDA)…"),
      .title = N_("Oilify"),
      .blurb = N_("Make the picture look like an oil painting"),
      .help =
          N_("The pixels of the circle around each are sorted into bins by their intensity, and "
             "the colors of the bins that hold the most of them count the most. So areas of "
             "one color grow until they meet, like strokes of a brush. This is GIMP's filter "
             "of the same name: colors have values from 0 to 1 in linear light, and alpha is "
             "a channel like others."),
      .category = Category::artistic};

  static constexpr std::array params{
      param<&Params::mask_radius>({.name = "mask-radius",
                                   .label = N_("Mask ra_dius"),
                                   .blurb = N_("Radius of the circle around each pixel"),
                                   .range = {1.0, oilify::max_radius},
                                   .slider = {1.0, 25.0},
                                   .initial = 4.0,
                                   .unit = Unit::pixels}),
      param<&Params::exponent>(
          {.name = "exponent",
           .label = N_("E_xponent"),
           .blurb = N_("How much more the most frequent colors count: more makes sharper strokes"),
           .range = {1.0, 20.0},
           .initial = 8.0}),
      param<&Params::intensities>(
          {.name = "intensities",
           .label = N_("_Number of intensities"),
           .blurb = N_("How many bins there are: fewer make larger areas of one color"),
           .range = {8.0, oilify::max_intensities},
           .initial = 128.0}),
      param<&Params::use_inten>(
          {.name = "use-inten",
           .label = N_("_Intensity mode"),
           .blurb = N_("Use pixel luminance values; otherwise each channel has its own bins"),
           .initial = 1.0}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Fine strokes"), "mask-radius=3 exponent=8"},
      Preset{N_("Broad strokes"), "mask-radius=12 exponent=12 intensities=64"},
      Preset{N_("Flat areas"), "mask-radius=8 exponent=16 intensities=24"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear, .alpha = Alpha::channel, .border = p.border};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    oilify_filter(exec, in, out,
                  oilify::OilifySettings{p.mask_radius, p.exponent, p.intensities, p.use_inten});
  }
};
static_assert(Filter<Oilify>);

}  // namespace cuda_filters
