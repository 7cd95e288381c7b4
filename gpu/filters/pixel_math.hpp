// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <string>

#include "gpu/algorithms/pixel_math/evaluate_formula.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// What a formula makes of every pixel, in 32-bit floats. Without a second picture, aux is the
/// picture itself.
struct PixelMath {
  struct Params {
    std::string formula;
    AnyLightOption light;
    Border border;
    SharedProgram program;  ///< of the formula
  };

  static constexpr FilterInfo info{
      .name = "pixel-math",
      .label = N_("Pixel _Math (CUDA)…"),
      .title = N_("Pixel Math"),
      .blurb = N_("Compute every pixel by a formula of your own"),
      .help = N_("Each line of the formula says what a channel becomes: r, g, b and a are red, "
                 "green, blue and alpha, c is each color alike, and y is gray, for all colors. "
                 "Other names hold values for the lines below. All lines see the picture as it "
                 "was. A position is x and y in pixels, u and v from 0 to 1; in(dx, dy).r is the "
                 "red of a neighbor, aux.r that of the second picture. Beside + - * / % ^ and "
                 "comparisons there are 'and', 'or', 'not', a ? b : c, and the functions abs, min, "
                 "max, clamp, mix, step, smoothstep, sqrt, exp, log, sin, cos, tan, atan2, hypot, "
                 "floor, round and random(seed). An empty formula changes nothing."),
      .category = Category::generic};

  static constexpr std::array params{
      param<&Params::formula>({.name = "formula",
                               .label = N_("_Formula"),
                               .blurb = N_("Lines such as c = 1 - c, split by line breaks or "
                                           "semicolons"),
                               .text_format = TextFormat::formula}),
      any_light_param<&Params::light>(),
      border_param<&Params::border>(),
  };
  static constexpr AuxParam aux{N_("Second p_icture"),
                                N_("The layer that the formula calls aux, or none: the picture "
                                   "itself")};

  static constexpr std::array presets{
      Preset{N_("Invert"), "formula=\"c = 1 - c\""},
      Preset{N_("Swap red and blue"), "formula=\"r = b; b = r\""},
      Preset{N_("Vignette"), "formula=\"c = c * (1 - hypot(u - 0.5, v - 0.5) ^ 2)\""},
      Preset{N_("Noise"), "formula=\"c = c + 0.2 * (random(1) - 0.5)\""},
      Preset{N_("Difference from the second picture"), "formula=\"c = abs(c - aux.c)\""},
  };

  static void prepare(Params& p) { p.program = pixel_math::compile(p.formula); }

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light),
            .alpha = Alpha::channel,
            .border = p.border,
            .identity = p.program == nullptr || p.program->identity};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Input* second, const typename Exec::Output& out) {
    evaluate_formula(exec, in, second, out, p.program);
  }
};
static_assert(Aided<PixelMath>);

}  // namespace cuda_filters
