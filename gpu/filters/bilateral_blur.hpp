// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/bilateral/bilateral_blur.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The bilateral filter (Aurich and Weule 1995, Tomasi and Manduchi 1998) of encoded values, or the
/// joint one (Petschnigg et al. and Eisemann and Durand 2004), if it has a guide: Σ w·c / Σ w over
/// the disc of radius R = ⌈3σ⌉, where w = exp(-(dx² + dy²) / 2σ²) · exp(-d² / 2ρ²) and for colors
/// alpha times that.
struct BilateralBlur {
  using Guide = bilateral::Guide;
  struct Params {
    double std_dev, range_std_dev;
    Guide guide;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "bilateral-blur",
      .label = N_("B_ilateral Blur (CUDA)…"),
      .title = N_("Bilateral Blur"),
      .blurb = N_("Blur what is alike, and keep edges sharp"),
      .help =
          N_("Each color becomes the mean of those in a disc around it, weighed by two Gaussian "
             "bells: one of their distance, and one of how much they differ. What differs much "
             "takes hardly any part, so that edges stay. With a guide, the differences are "
             "those of its colors. Described by Aurich and Weule, 1995, and by Tomasi and "
             "Manduchi, 1998."),
      .category = Category::blur};

  static constexpr std::array guides{Choice{"color", N_("Whole color")},
                                     Choice{"luminance", N_("Luminance")},
                                     Choice{"channels", N_("Each channel by itself")}};

  static constexpr std::array params{
      param<&Params::std_dev>({.name = "std-dev",
                               .label = N_("Si_ze"),
                               .blurb = N_("How far the blur reaches, as a standard deviation"),
                               .range = {0.0, 200.0},
                               .slider = {0.0, 30.0},
                               .initial = 4.0,
                               .unit = Unit::pixels}),
      param<&Params::range_std_dev>(
          {.name = "range-std-dev",
           .label = N_("Ra_nge"),
           .blurb = N_("Which differences are blurred, as a standard deviation; less keeps more "
                       "edges"),
           .range = {0.0, 2.0},
           .slider = {0.0, 0.5},
           .initial = 0.1,
           .digits = 3}),
      param<&Params::guide>({.name = "guide",
                             .label = N_("Compar_e"),
                             .blurb = N_("What is compared: whole colors, their luminance, or each "
                                         "channel by itself"),
                             .choices = guides}),
      border_param<&Params::border>(),
  };
  static constexpr AuxParam aux{N_("_Guide"), N_("The layer whose edges are kept, or none: the "
                                                 "picture's own")};

  static constexpr std::array presets{
      Preset{N_("Skin"), "std-dev=5 range-std-dev=0.06"},
      Preset{N_("Noise"), "std-dev=2.5 range-std-dev=0.12"},
      Preset{N_("Flat areas"), "std-dev=12 range-std-dev=0.1"},
      Preset{N_("Color noise alone"), "std-dev=5 range-std-dev=0.04 guide=luminance"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::channel,
            .border = p.border,
            .identity = p.std_dev == 0.0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Input* guide, const typename Exec::Output& out) {
    bilateral_blur(exec, in, guide, out,
                   bilateral::BilateralSettings{p.std_dev, p.range_std_dev, p.guide});
  }
};
static_assert(Aided<BilateralBlur>);

}  // namespace cuda_filters
