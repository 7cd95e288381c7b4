// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <vector>

#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The mean of the picture, interpolated linearly, along the path of each pixel: a line of that
/// length centered on it, the ray to a center from (1 - factor) of the distance to it on, or an
/// arc around the center, centered on the pixel. (Potmesil and Chakravarty 1983 describe blur as
/// the mean over what moves past while a shutter is open.)
struct MotionBlur {
  using Kind = motion::Kind;
  struct Params {
    Kind kind;
    double length, angle, factor, center_x, center_y;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "motion-blur",
      .label = N_("Mo_tion Blur (CUDA)…"),
      .title = N_("Motion Blur"),
      .blurb = N_("Blur as if the camera or the subject had moved"),
      .help = N_("Every pixel becomes the mean of the picture along its path: along a straight "
                 "line, towards a center, as if the lens had been zoomed, or along an arc around "
                 "it, as if the camera had been turned. The mean is that of the whole path, not of "
                 "some samples of it, taken of linear light and weighted by alpha. Described as "
                 "what passes while a shutter is open by Potmesil and Chakravarty, 1983."),
      .category = Category::blur};

  static constexpr std::array kinds{Choice{"linear", N_("Linear: along a line")},
                                    Choice{"zoom", N_("Zoom: towards a center")},
                                    Choice{"spin", N_("Spin: around a center")}};

  static constexpr std::array params{
      param<&Params::kind>(
          {.name = "kind",
           .label = N_("_Kind"),
           .blurb = N_("Along what the picture moves: a line, rays to a center, or arcs around it"),
           .choices = kinds}),
      param<&Params::length>({.name = "length",
                              .label = N_("L_ength"),
                              .blurb = N_("How long the line is"),
                              .range = {0.0, 2000.0},
                              .slider = {0.0, 200.0},
                              .initial = 20.0,
                              .unit = Unit::pixels,
                              .applies_if = is("kind", Kind::linear)}),
      param<&Params::angle>({.name = "angle",
                             .label = N_("_Angle"),
                             .blurb = N_("The direction of the line, counter-clockwise from the "
                                         "right, or how far the picture turns, in degrees"),
                             .range = {-180.0, 180.0},
                             .initial = 0.0,
                             .digits = 1,
                             .unit = Unit::degrees,
                             .applies_if = is_not("kind", Kind::zoom)}),
      param<&Params::factor>({.name = "factor",
                              .label = N_("_Factor"),
                              .blurb = N_("Which share of its distance to the center each pixel "
                                          "moves"),
                              .initial = 0.1,
                              .digits = 3,
                              .applies_if = is("kind", Kind::zoom)}),
      param<&Params::center_x>({.name = "center-x",
                                .label = N_("Center _X"),
                                .blurb = N_("Where the center is, of the width of the layer"),
                                .range = {-1.0, 2.0},
                                .slider = {0.0, 1.0},
                                .initial = 0.5,
                                .digits = 3,
                                .unit = Unit::relative_x,
                                .applies_if = is_not("kind", Kind::linear)}),
      param<&Params::center_y>({.name = "center-y",
                                .label = N_("Center _Y"),
                                .blurb = N_("Where the center is, of the height of the layer"),
                                .range = {-1.0, 2.0},
                                .slider = {0.0, 1.0},
                                .initial = 0.5,
                                .digits = 3,
                                .unit = Unit::relative_y,
                                .applies_if = is_not("kind", Kind::linear)}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Camera shake"), "length=8 angle=30"},
      Preset{N_("Panning"), "length=120"},
      Preset{N_("Zoom burst"), "kind=zoom factor=0.25"},
      Preset{N_("Spinning wheel"), "kind=spin angle=12"},
  };

  static motion::MotionSettings settings_of(const Params& p) {
    return {p.kind, p.length, p.angle, p.factor, p.center_x, p.center_y};
  }
  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = settings_of(p).is_still()};
  }
  static Halo reach(const Params& p, Size image) { return settings_of(p).reach(image); }
  static std::vector<TemporaryPlan> pictures(const Params& p, Size image) {
    const auto settings = settings_of(p);
    const TemporaryPlan read{settings.reach(image)};
    // The results of rays and arcs are there before any is stored.
    if (p.kind != Kind::linear) return {read, TemporaryPlan{}};
    // A GPU turns what steep lines read.
    return std::vector<TemporaryPlan>(motion::Direction{settings}.is_steep ? 2 : 1, read);
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    motion_blur(exec, in, out, settings_of(p));
  }
};
static_assert(Filter<MotionBlur>);

}  // namespace cuda_filters
