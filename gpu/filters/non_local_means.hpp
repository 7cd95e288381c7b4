// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>

#include "gpu/algorithms/non_local_means/nl_means.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/luminance.hpp"

namespace cuda_filters {

/// Non-local means (Buades, Coll and Morel 2005), of encoded values.
struct NonLocalMeans {
  struct Params {
    double strength, noise;
    int patch_radius, search_radius;
    double luma, chroma;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "non-local-means",
      .label = N_("_Non-Local Means (CUDA)…"),
      .title = N_("Non-Local Means"),
      .blurb = N_("Take noise away by the mean of places that look alike"),
      .help = N_("Every pixel becomes a mean of those in the square around it, and each of these "
                 "counts the more, the more alike its surroundings are to the pixel's own. So "
                 "noise goes, and edges and repeated structures stay. Described by Buades, Coll "
                 "and Morel, 2005."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::strength>({.name = "strength",
                                .label = N_("S_trength"),
                                .blurb = N_("By how much surroundings may differ and still count"),
                                .range = {0.0, 1.0},
                                .slider = {0.0, 0.3},
                                .initial = 0.08,
                                .digits = 3}),
      param<&Params::noise>(
          {.name = "noise",
           .label = N_("_Noise"),
           .blurb = N_("The noise's standard deviation, if it is known: that much difference "
                       "counts as none"),
           .range = {0.0, 1.0},
           .slider = {0.0, 0.2},
           .digits = 3}),
      param<&Params::patch_radius>(
          {.name = "patch-radius",
           .label = N_("Patch radi_us"),
           .blurb = N_("How far the surroundings reach that are compared, the patches"),
           .range = {0.0, non_local_means::max_patch_radius},
           .slider = {0.0, 5.0},
           .initial = 2.0,
           .unit = Unit::pixels}),
      param<&Params::search_radius>({.name = "search-radius",
                                     .label = N_("Search ra_dius"),
                                     .blurb = N_("How far from each pixel others are looked for"),
                                     .range = {0.0, 50.0},
                                     .slider = {0.0, 25.0},
                                     .initial = 10.0,
                                     .unit = Unit::pixels}),
      param<&Params::luma>({.name = "luma",
                            .label = N_("Bri_ghtness"),
                            .blurb = N_("How much of the noise in the brightness is taken away"),
                            .initial = 1.0}),
      param<&Params::chroma>({.name = "chroma",
                              .label = N_("Color noise (chro_ma)"),
                              .blurb = N_("How much of the noise in the colors is taken away"),
                              .initial = 1.0}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Photo"), "strength=0.06"},
      Preset{N_("High ISO"), "strength=0.1 patch-radius=3 search-radius=12"},
      Preset{N_("Color noise alone"), "strength=0.15 luma=0"},
      Preset{N_("Scan of a print"), "strength=0.1 patch-radius=3 search-radius=20"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = p.border,
            .identity = p.search_radius == 0 || (p.strength == 0.0 && p.noise == 0.0) ||
                        (p.luma == 0.0 && p.chroma == 0.0)};
  }

  /// The pixel with so much of the change of its Y', and of its Cb and Cr: what all colors of the
  /// change have in common, and what each has beyond it.
  struct Mix {
    float luma, chroma;

    HOST_DEVICE Pixel operator()(Pixel p, Pixel means) const {
      const Pixel change = means - p;
      const float brightness = luminance(change);
      const auto mixed = [&](float was, float by) {
        return was + (luma * brightness + chroma * (by - brightness));
      };
      return {mixed(p.r, change.r), mixed(p.g, change.g), mixed(p.b, change.b), p.a};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const non_local_means::NonLocalMeansSettings settings{p.patch_radius, p.search_radius,
                                                          p.strength, p.noise};
    if (p.luma == 1.0 && p.chroma == 1.0) return nl_means(exec, in, out, settings);
    const auto means = exec.temporary();
    nl_means(exec, in, means, settings);
    exec.map(std::tie(in, means), out,
             Mix{static_cast<float>(p.luma), static_cast<float>(p.chroma)});
  }
};
static_assert(Filter<NonLocalMeans>);

}  // namespace cuda_filters
