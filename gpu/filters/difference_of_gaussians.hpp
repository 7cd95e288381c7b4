// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>

#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/core/alpha.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The difference of two Gaussian blurs (Marr and Hildreth 1980), in linear light.
struct DifferenceOfGaussians {
  struct Params {
    double std_dev_1, std_dev_2, scale, offset;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "difference-of-gaussians",
      .label = N_("_Difference of Gaussians (CUDA)…"),
      .title = N_("Difference of Gaussians"),
      .blurb = N_("Show details of one size, such as edges: what two blurs differ in"),
      .help = N_("The picture is blurred twice, and the second blur is taken away from the first. "
                 "What is smaller than the one or larger than the other vanishes. Alpha stays as "
                 "it is, and transparent surroundings do not count."),
      .category = Category::edges};

  static constexpr std::array params{
      std_dev_param<&Params::std_dev_1>({.name = "std-dev-1",
                                         .label = N_("Size _1"),
                                         .blurb = N_("Standard deviation of the first blur"),
                                         .initial = 1.0}),
      std_dev_param<&Params::std_dev_2>(
          {.name = "std-dev-2",
           .label = N_("Size _2"),
           .blurb = N_("Standard deviation of the blur that is taken away"),
           .initial = 2.0}),
      param<&Params::scale>({.name = "scale",
                             .label = N_("_Amount"),
                             .blurb = N_("What the difference is multiplied by"),
                             .range = {0.0, 100.0},
                             .slider = {0.0, 10.0},
                             .initial = 1.0}),
      param<&Params::offset>({.name = "offset",
                              .label = N_("O_ffset"),
                              .blurb = N_("Added to the difference, so that what is below 0 shows"),
                              .range = {-1.0, 1.0}}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear, .alpha = Alpha::premultiplied, .border = p.border};
  }

  /// A function of a pixel and two blurs, all premultiplied.
  struct Difference {
    static constexpr bool by_channel = true;
    float scale, offset;

    HOST_DEVICE Pixel operator()(Pixel p, Pixel first, Pixel second) const {
      const Pixel d = first * alpha_ratio(p.a, first.a) - second * alpha_ratio(p.a, second.a);
      const float base = offset * p.a;
      return {base + scale * d.r, base + scale * d.g, base + scale * d.b, p.a};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto first = exec.temporary(), second = exec.temporary();
    gaussian_blur(exec, in, first, p.std_dev_1, p.std_dev_1, p.border);
    gaussian_blur(exec, in, second, p.std_dev_2, p.std_dev_2, p.border);
    exec.map(std::tie(in, first, second), out,
             Difference{static_cast<float>(p.scale), static_cast<float>(p.offset)});
  }
};
static_assert(Filter<DifferenceOfGaussians>);

}  // namespace cuda_filters
