// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>

#include "gpu/algorithms/resample/resample.hpp"
#include "gpu/algorithms/resample/resize.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Another number of pixels for the same picture.
struct Resize {
  enum class Scope { layer, image };

  struct Params {
    int width, height;
    double scale;
    bool fit;
    resample::Interpolation interpolation;
    bool antialias;
    resample::Grid grid;
    Scope scope;
  };

  static constexpr FilterInfo info{
      .name = "resize",
      .label = N_("_Resize (CUDA)…"),
      .title = N_("Resize"),
      .blurb = N_("Scale the layer or the image to another number of pixels"),
      .help = N_(
          "The size is width × height. If one of them is 0, the other one decides and the "
          "proportions stay; if both are, the factor does. The average is taken of linear light "
          "and weighted by alpha, so that transparent edges get no fringes, and on reduction the "
          "filter becomes wider, so that fine patterns do not flicker. “Nearest pixel” always "
          "gives pixels that were there. A layer keeps its center and takes its mask along; "
          "“Image” scales all layers, masks, channels and the canvas. Text becomes pixels."),
      .category = Category::geometry};

  static constexpr std::array interpolations{
      Choice{"nearest", N_("Nearest pixel")}, Choice{"bilinear", N_("Linear")},
      Choice{"bicubic", N_("Cubic")}, Choice{"mitchell", N_("Cubic, softer (Mitchell)")},
      Choice{"lanczos", N_("Sharpest (Lanczos)")}};
  static constexpr std::array grids{Choice{"centers", N_("Edges of the picture")},
                                    Choice{"corners", N_("Centers of the corner pixels")}};
  static constexpr std::array scopes{Choice{"layer", N_("Layer")}, Choice{"image", N_("Image")}};

  /// GIMP's largest size, of layers and of images.
  static constexpr int largest = 524288;

  static constexpr std::array params{
      param<&Params::width>({.name = "width",
                             .label = N_("_Width"),
                             .blurb = N_("The new width; 0: by the height, or by the factor"),
                             .range = {0.0, largest},
                             .slider = {0.0, 10000.0},
                             .unit = Unit::pixels}),
      param<&Params::height>({.name = "height",
                              .label = N_("Hei_ght"),
                              .blurb = N_("The new height; 0: by the width, or by the factor"),
                              .range = {0.0, largest},
                              .slider = {0.0, 10000.0},
                              .unit = Unit::pixels}),
      param<&Params::scale>({.name = "scale",
                             .label = N_("_Factor"),
                             .blurb = N_("How many times larger, if width and height are 0"),
                             .range = {0.0, 100.0},
                             .slider = {0.0, 4.0},
                             .initial = 1.0,
                             .digits = 3,
                             .applies_if = both(is("width", 0), is("height", 0))}),
      param<&Params::fit>({.name = "fit",
                           .label = N_("_Keep proportions within the size"),
                           .blurb = N_("The largest size of the same proportions that is neither "
                                       "wider nor higher"),
                           .applies_if = both(is_not("width", 0), is_not("height", 0))}),
      param<&Params::interpolation>({.name = "interpolation",
                                     .label = N_("_Interpolation"),
                                     .blurb = N_("How new pixels are made of the old ones"),
                                     .initial = 4.0,
                                     .choices = interpolations}),
      param<&Params::antialias>(
          {.name = "antialias",
           .label = N_("_Average on reduction"),
           .blurb = N_("Take every old pixel into account when the picture becomes smaller"),
           .initial = 1.0,
           .applies_if = is_not("interpolation", resample::Interpolation::nearest)}),
      param<&Params::grid>({.name = "grid",
                            .label = N_("_Match"),
                            .blurb = N_("What of both pictures lies on each other"),
                            .choices = grids}),
      param<&Params::scope>({.name = "scope",
                             .label = N_("Wha_t is scaled"),
                             .blurb = N_("The layer with its mask, or everything in the image"),
                             .choices = scopes}),
  };

  static resample::ResampleSettings settings(const Params& p) {
    return {p.interpolation, p.antialias, p.grid};
  }

  static Plan plan(const Params& p) {
    return {
        .trc = Trc::linear, .alpha = Alpha::premultiplied, .whole_image = p.scope == Scope::image};
  }

  static Size resolve_size(const Params& p, Size in, Plan& plan) {
    const auto [width, height] = wanted_size(p, in);
    if (width < 1.0 || height < 1.0)
      throw ArgumentError{format_text(
          tr(N_("The result would be %.0f × %.0f pixels. Choose a larger size.")), width, height)};
    if (width > largest || height > largest)
      throw ArgumentError{format_text(
          tr(N_("The result would be %.0f × %.0f pixels, but GIMP's pictures end at %d. Choose a "
                "smaller size.")),
          width, height, largest)};
    const Size output{static_cast<int>(width), static_cast<int>(height)};
    plan.identity = output == in;
    return output;
  }

  static IndexRange input_rows(const Params& p, Size in, Size out, IndexRange rows) {
    return resample::Axis{in.height, out.height, settings(p)}.window(rows);
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    resize(exec, in, out, settings(p));
  }

 private:
  struct Wanted {
    double width, height;
  };

  /// Whole numbers, rounded to the nearest.
  static Wanted wanted_size(const Params& p, Size in) {
    // a·b/c, rounded: products of sizes are exact.
    const auto share = [](double a, double b, double c) { return std::floor(a * b / c + 0.5); };
    const double width = in.width, height = in.height;
    if (p.width == 0 && p.height == 0)
      return {share(width, p.scale, 1.0), share(height, p.scale, 1.0)};
    const bool by_width =
        p.height == 0 || (p.width != 0 && p.fit && p.width * height <= p.height * width);
    const bool by_height = p.width == 0 || (p.fit && !by_width);
    if (by_width) return {double(p.width), share(height, p.width, width)};
    if (by_height) return {share(width, p.height, height), double(p.height)};
    return {double(p.width), double(p.height)};
  }
};
static_assert(Filter<Resize>);
static_assert(Resizing<Resize>);

}  // namespace cuda_filters
