// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <string>
#include <vector>

#include "gpu/algorithms/deconvolution/deconvolve.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Richardson's (1972) and Lucy's (1974) deconvolution, u ← u · (psf* ∗ (c / (psf ∗ u))), with
/// White's damping (1994): deconvolution.hpp.
struct RichardsonLucy {
  using Kind = deconvolution::Kind;
  struct Params {
    int iterations;
    Kind psf;
    double size, angle;
    std::string matrix;
    double damping;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "richardson-lucy",
      .label = N_("Ri_chardson-Lucy Deconvolution (CUDA)…"),
      .title = N_("Richardson-Lucy Deconvolution"),
      .blurb = N_("Undo a blur whose shape is known"),
      .help = N_(
          "Looks for the sharp picture that the point spread function, what a point of light "
          "became, would blur into this one: each iteration compares its blur with the picture and "
          "corrects it. More iterations show more details, and more noise. Light is linear "
          "and none of it gets lost; negative values count as black. Described by "
          "Richardson, 1972, and Lucy, 1974; damping by White, 1994."),
      .category = Category::enhance};

  static constexpr std::array psfs{
      Choice{"gaussian", N_("Gaussian: slightly soft")}, Choice{"disc", N_("Disc: out of focus")},
      Choice{"motion", N_("Line: motion")}, Choice{"matrix", N_("Matrix: any shape")}};
  static constexpr std::array params{
      param<&Params::iterations>({.name = "iterations",
                                  .label = N_("_Iterations"),
                                  .blurb = N_("How often the result is corrected"),
                                  .range = {1.0, 500.0},
                                  .slider = {1.0, 50.0},
                                  .initial = 10.0}),
      param<&Params::psf>({.name = "psf",
                           .label = N_("Point spread _function"),
                           .blurb = N_("What the blur made of a point of light"),
                           .choices = psfs}),
      param<&Params::size>({.name = "size",
                            .label = N_("Siz_e"),
                            .blurb = N_("The standard deviation of the Gaussian, the radius of the "
                                        "disc, or the length of the line"),
                            .range = {0.1, 100.0},
                            .slider = {0.1, 20.0},
                            .initial = 2.0,
                            .unit = Unit::pixels,
                            .applies_if = is_not("psf", Kind::matrix)}),
      param<&Params::angle>({.name = "angle",
                             .label = N_("_Angle"),
                             .blurb = N_("The direction of the line, in degrees counter-clockwise "
                                         "from the right"),
                             .range = {-180.0, 180.0},
                             .initial = 0.0,
                             .digits = 1,
                             .unit = Unit::degrees,
                             .applies_if = is("psf", Kind::motion)}),
      param<&Params::matrix>(
          {.name = "matrix",
           .label = N_("Ma_trix"),
           .blurb = N_("Rows split by semicolons or line breaks, numbers split by commas or "
                       "blanks, up to 127 by 127"),
           .initial_text = "1,2,1;2,4,2;1,2,1",
           .text_format = TextFormat::matrix,
           .applies_if = is("psf", Kind::matrix)}),
      param<&Params::damping>(
          {.name = "damping",
           .label = N_("_Damping"),
           .blurb = N_("How large a difference from the picture may be and still "
                       "count as noise; 0 corrects all")}),
      border_param<&Params::border>(),
  };
  static constexpr std::array presets{
      Preset{N_("Slightly soft"), "size=1 iterations=10"},
      Preset{N_("Out of focus"), "psf=disc size=4 iterations=30 damping=0.02"},
      Preset{N_("Camera shake"), "psf=motion size=12 angle=30 iterations=20 damping=0.02"},
      Preset{N_("Stars"), "size=2 iterations=50"},
  };

  /// Throws ArgumentError if a matrix cannot be what a point became.
  static void check(const Params& p) { settings_of(p); }
  static deconvolution::DeconvolutionSettings settings_of(const Params& p) {
    return {deconvolution::Psf::make(p.psf, p.size, p.angle, p.matrix), p.iterations, p.damping,
            p.border};
  }
  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = settings_of(p).psf.is_point()};
  }
  static Halo reach(const Params& p, Size image) { return settings_of(p).reach(image); }
  static std::vector<TemporaryPlan> pictures(const Params& p, Size image) {
    return settings_of(p).pictures(image);
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    deconvolve(exec, in, out, settings_of(p));
  }
};
static_assert(Filter<RichardsonLucy>);

}  // namespace cuda_filters
