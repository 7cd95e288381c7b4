// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/depth.hpp"
#include "gpu/algorithms/aperture/highlights.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The blur of a lens that is out of focus: the mean over its aperture, in linear light. Before it,
/// colors are multiplied by 1 + highlights · smoothstep(threshold, 1, Y'). With a depth, the radius
/// at a pixel is radius · (depth - near) / (far - near), clamped to 0 … radius (Potmesil and
/// Chakravarty 1981).
struct LensBlur {
  using Shape = aperture::Shape;
  struct Params {
    double radius;
    Shape shape;
    int blades;
    double rotation, highlights, highlight_threshold, near, far;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "lens-blur",
      .label = N_("_Lens Blur (CUDA)…"),
      .title = N_("Lens Blur"),
      .blurb = N_("Blur like a lens that is out of focus"),
      .help =
          N_("Every point of light becomes the shape of the lens's opening: a disc, a polygon of "
             "the blades of its iris, or the ring of a mirror lens. Highlights can be made as "
             "bright as they were before they were clipped, so that their shapes show. With a "
             "depth map, what is as far as “near” stays sharp, and what is as far as “far” is "
             "blurred most. Described by Potmesil and Chakravarty, 1981."),
      .category = Category::blur};

  static constexpr std::array shapes{Choice{"disc", N_("Disc")}, Choice{"polygon", N_("Polygon")},
                                     Choice{"ring", N_("Ring")}};
  static constexpr std::array params{
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the blur reaches"),
                              .range = {0.0, 500.0},
                              .slider = {0.0, 100.0},
                              .initial = 10.0,
                              .unit = Unit::pixels}),
      param<&Params::shape>({.name = "shape",
                             .label = N_("Shap_e"),
                             .blurb = N_("What a point of light becomes"),
                             .choices = shapes}),
      param<&Params::blades>({.name = "blades",
                              .label = N_("Bl_ades"),
                              .blurb = N_("How many sides the polygon has"),
                              .range = {3.0, 12.0},
                              .initial = 6.0,
                              .applies_if = is("shape", Shape::polygon)}),
      param<&Params::rotation>({.name = "rotation",
                                .label = N_("Rotat_ion"),
                                .blurb = N_("Where a corner of the polygon points to; 0 is right, "
                                            "90 up"),
                                .range = {-180.0, 180.0},
                                .initial = 0.0,
                                .digits = 1,
                                .unit = Unit::degrees,
                                .applies_if = is("shape", Shape::polygon)}),
      param<&Params::highlights>({.name = "highlights",
                                  .label = N_("Hi_ghlights"),
                                  .blurb = N_("How much light is added to the brightest parts "
                                              "before they are blurred: 1 doubles them"),
                                  .range = {0.0, 20.0},
                                  .initial = 0.0}),
      param<&Params::highlight_threshold>(
          {.name = "highlight-threshold",
           .label = N_("Highlight _threshold"),
           .blurb = N_("From which luminance on light is made brighter, the more the nearer to 1"),
           .initial = 0.9,
           .applies_if = is_not("highlights", 0.0)}),
      param<&Params::near>({.name = "near",
                            .label = N_("_Near depth"),
                            .blurb = N_("The value of the depth map that stays sharp")}),
      param<&Params::far>({.name = "far",
                           .label = N_("_Far depth"),
                           .blurb = N_("The value of the depth map that is blurred most"),
                           .initial = 1.0}),
      border_param<&Params::border>(),
  };
  static constexpr AuxParam aux{N_("Depth _map"),
                                N_("The layer whose luminance, in linear light, is the depth; "
                                   "without one all is blurred alike")};
  static constexpr std::array presets{
      Preset{N_("Lights at night"), "radius=20 highlights=8 highlight-threshold=0.9"},
      Preset{N_("Iris of six blades"), "radius=15 shape=polygon blades=6 rotation=15"},
      Preset{N_("Mirror lens"), "radius=15 shape=ring highlights=3"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = p.radius == 0.0 && p.highlights == 0.0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Input* depth, const typename Exec::Output& out) {
    const aperture::Aperture lens{p.shape, p.radius, p.blades, p.rotation};
    const auto blur = [&](const typename Exec::Input& light) {
      if (depth != nullptr)
        return aperture::depth_mean(exec, light, *depth, out, lens, p.near, p.far);
      aperture_mean(exec, light, out, lens);
    };
    if (p.highlights == 0.0) return blur(in);
    const auto bright = exec.temporary();
    exec.map(in, bright, aperture::Brighten{p.highlights, p.highlight_threshold});
    blur(bright);
  }
};
static_assert(Aided<LensBlur>);

}  // namespace cuda_filters
