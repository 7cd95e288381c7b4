// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>

#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/core/alpha.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// What a Gaussian blur takes away, on gray: ½ + contrast · (in - blur) / 2, of encoded values.
struct HighPass {
  struct Params {
    double std_dev, contrast;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "high-pass",
      .label = N_("_High Pass (CUDA)…"),
      .title = N_("High Pass"),
      .blurb = N_("Keep the fine details, on gray, and drop what changes slowly"),
      .help = N_("The picture is blurred, and what the blur takes away is shown on medium gray. "
                 "As a layer in mode Overlay or Soft Light it sharpens what lies below it. Alpha "
                 "stays as it is, and transparent surroundings do not count."),
      .category = Category::enhance};

  static constexpr std::array params{
      std_dev_param<&Params::std_dev>(
          {.name = "std-dev",
           .label = N_("Siz_e"),
           .blurb = N_("Standard deviation of the blur: larger details vanish"),
           .initial = 4.0}),
      param<&Params::contrast>({.name = "contrast",
                                .label = N_("Con_trast"),
                                .blurb = N_("How strongly the details show"),
                                .range = {0.0, 10.0},
                                .initial = 1.0}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual, .alpha = Alpha::premultiplied, .border = p.border};
  }

  /// A function of a pixel and its blur, both premultiplied.
  struct Difference {
    static constexpr bool by_channel = true;
    float contrast;

    HOST_DEVICE Pixel operator()(Pixel p, Pixel blur) const {
      const float ratio = alpha_ratio(p.a, blur.a);
      return {shown(p.r, blur.r * ratio, p.a), shown(p.g, blur.g * ratio, p.a),
              shown(p.b, blur.b * ratio, p.a), p.a};
    }
    HOST_DEVICE float shown(float color, float blurred, float alpha) const {
      return 0.5f * alpha + 0.5f * contrast * (color - blurred);
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto blurred = exec.temporary();
    gaussian_blur(exec, in, blurred, p.std_dev, p.std_dev, p.border);
    exec.map(std::tie(in, blurred), out, Difference{static_cast<float>(p.contrast)});
  }
};
static_assert(Filter<HighPass>);

}  // namespace cuda_filters
