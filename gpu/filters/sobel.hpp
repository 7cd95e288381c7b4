// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>

#include "gpu/core/filter.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// Sobel's gradient, each channel by itself.
struct Sobel {
  enum class Result { magnitude, horizontal, vertical, direction };
  enum class Sign { absolute, clamp, offset, with_sign };

  struct Params {
    Result output;
    Sign sign;
    double scale;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "sobel",
      .label = N_("S_obel Edges (CUDA)…"),
      .title = N_("Sobel Edges"),
      .blurb = N_("Show how fast the picture changes at each point"),
      .help = N_("The gradient of each channel, from the matrix -1 0 1, -2 0 2, -1 0 1 and the "
                 "same turned by a quarter: its length, one of its two parts, or its direction, "
                 "where gray is to the right, 3/4 down, and 1/4 up. Parts that fall below black "
                 "can be turned positive, cut off, shifted to gray, or left as they are."),
      .category = Category::edges};

  static constexpr std::array results{Choice{"magnitude", N_("Length of the gradient")},
                                      Choice{"horizontal", N_("Change from left to right")},
                                      Choice{"vertical", N_("Change from top to bottom")},
                                      Choice{"direction", N_("Direction of the gradient")}};
  static constexpr std::array signs{
      Choice{"absolute", N_("Absolute")}, Choice{"clamp", N_("Cut off at black and white")},
      Choice{"offset", N_("Gray for no change")}, Choice{"signed", N_("As it is")}};

  static constexpr std::array params{
      param<&Params::output>({.name = "output",
                              .label = N_("O_utput"),
                              .blurb = N_("What of the gradient is shown"),
                              .choices = results}),
      param<&Params::sign>({.name = "sign",
                            .label = N_("Si_gn"),
                            .blurb = N_("What becomes of negative values"),
                            .choices = signs,
                            .applies_if = is_not("output", Result::direction)}),
      param<&Params::scale>({.name = "scale",
                             .label = N_("_Amount"),
                             .blurb = N_("What the gradient is multiplied by"),
                             .range = {0.0, 100.0},
                             .slider = {0.0, 10.0},
                             .initial = 1.0,
                             .applies_if = is_not("output", Result::direction)}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual, .alpha = Alpha::passthrough, .border = p.border};
  }

  template <Result output>
  struct Gradient {
    static constexpr bool by_channel = true;
    Sign sign;
    float scale;

    HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const {
      const Pixel x = (n[0][2] + n[1][2] * 2.0f + n[2][2]) - (n[0][0] + n[1][0] * 2.0f + n[2][0]);
      const Pixel y = (n[2][0] + n[2][1] * 2.0f + n[2][2]) - (n[0][0] + n[0][1] * 2.0f + n[0][2]);
      return {value(x.r, y.r), value(x.g, y.g), value(x.b, y.b), n[1][1].a};
    }
    /// Below a millionth, a part is rounding, which has no direction.
    HOST_DEVICE static float part(float v) { return fabsf(v) < 1e-6f ? 0.0f : v; }
    HOST_DEVICE float value(float x, float y) const {
      constexpr float turn = 6.283185307f;
      if constexpr (output == Result::direction)
        return atan2f(part(y), part(x)) * (1.0f / turn) + 0.5f;
      const float v = scale * (output == Result::horizontal ? x
                               : output == Result::vertical ? y
                                                            : square_root(x * x + y * y));
      switch (sign) {
        case Sign::absolute:
          return fabsf(v);
        case Sign::clamp:
          return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
        case Sign::offset:
          return 0.5f + 0.5f * v;
        case Sign::with_sign:
          break;
      }
      return v;
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const float scale = static_cast<float>(p.scale);
    switch (p.output) {
      case Result::magnitude:
        return exec.stencil3(in, out, Gradient<Result::magnitude>{p.sign, scale});
      case Result::horizontal:
        return exec.stencil3(in, out, Gradient<Result::horizontal>{p.sign, scale});
      case Result::vertical:
        return exec.stencil3(in, out, Gradient<Result::vertical>{p.sign, scale});
      case Result::direction:
        return exec.stencil3(in, out, Gradient<Result::direction>{p.sign, scale});
    }
  }
};
static_assert(Filter<Sobel>);

}  // namespace cuda_filters
