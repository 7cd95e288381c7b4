// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <span>
#include <string>

#include "gpu/algorithms/align/align.hpp"
#include "gpu/algorithms/align/combine_plates.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Three gray plates of one scan, brought onto each other: a color picture.
struct AlignPlates {
  enum class Post { none, gray_world, unsharp, autocontrast };

  struct Params {
    align::Order order;
    int range;
    align::Metric metric;
    bool crop_frame;
    int subpixel;
    Post post;
  };

  static constexpr FilterInfo info{
      .name = "align-plates",
      .label = N_("_Align Plates (CUDA)…"),
      .title = N_("Align Plates"),
      .blurb = N_("Make a color picture of a scan of three gray plates, one below the other"),
      .help = N_(
          "For scans of pictures that were taken three times through colored glass, such as those "
          "of Prokudin-Gorskii. The layer is cut in thirds, the first and the last plate are moved "
          "onto the middle, green one by comparing contours, and what all three show becomes a new "
          "image. The shifts are returned. The selection and alpha are not looked at."),
      .category = Category::combine};

  static constexpr std::array orders{Choice{"bgr", N_("Blue, green, red")},
                                     Choice{"rgb", N_("Red, green, blue")}};
  static constexpr std::array metrics{Choice{"correlation", N_("Correlation")},
                                      Choice{"mse", N_("Mean square difference")}};
  static constexpr std::array posts{
      Choice{"none", N_("Nothing")}, Choice{"gray-world", N_("Gray World")},
      Choice{"unsharp", N_("Unsharp Mask")}, Choice{"autocontrast", N_("Autocontrast")}};

  static constexpr std::array params{
      param<&Params::order>({.name = "order",
                             .label = N_("Or_der of the plates"),
                             .blurb = N_("Which colors the plates show, from the top"),
                             .choices = orders}),
      param<&Params::range>({.name = "range",
                             .label = N_("Lar_gest shift"),
                             .blurb = N_("How far a plate may be moved in each direction"),
                             .range = {1.0, 500.0},
                             .slider = {1.0, 200.0},
                             .initial = 15.0,
                             .unit = Unit::pixels}),
      param<&Params::metric>({.name = "metric",
                              .label = N_("Co_mpare by"),
                              .blurb = N_("What says how well two plates match"),
                              .choices = metrics}),
      param<&Params::crop_frame>({.name = "crop-frame",
                                  .label = N_("Cut off _frames"),
                                  .blurb = N_("Leave out the dark or light frames of the plates"),
                                  .initial = 1.0}),
      param<&Params::subpixel>({.name = "subpixel",
                                .label = N_("Steps per pi_xel"),
                                .blurb = N_("Move plates by fractions of a pixel: 1 by whole "
                                            "ones, 4 by quarters"),
                                .range = {1.0, 16.0},
                                .initial = 1.0}),
      param<&Params::post>({.name = "post",
                            .label = N_("Af_terwards"),
                            .blurb = N_("The filter that the new picture then goes through"),
                            .choices = posts}),
  };

  static Plan plan(const Params&) {
    return {.trc = Trc::native, .alpha = Alpha::channel, .analysis = AnalysisScope::scan};
  }

  static void check_input(const Params&, Size in) {
    constexpr int least = align::smallest_plate;
    if (in.width < least || in.height < align::plates * least)
      throw ArgumentError{format_text(
          tr(N_("The layer has %d × %d pixels. Three plates, one below the other, need at least %d "
                "× %d.")),
          in.width, in.height, least, align::plates * least)};
  }

  using State = align::Scan;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    analyze_plates(exec, in, area, {p.range, p.metric, p.crop_frame, p.subpixel}, state);
  }
  static void finish(const Params&, State&) {}

  static Size new_image_size(const State& state) {
    return {state.placement.overlap.width, state.placement.overlap.height};
  }

  static double dx1(const State& state) { return state.placement.shifts.front().x; }
  static double dy1(const State& state) { return state.placement.shifts.front().y; }
  static double dx2(const State& state) { return state.placement.shifts.back().x; }
  static double dy2(const State& state) { return state.placement.shifts.back().y; }

  static constexpr std::array output_values{
      output_value<State, &AlignPlates::dx1>(
          "dx1", N_("How far the first plate was moved to the right, in pixels")),
      output_value<State, &AlignPlates::dy1>(
          "dy1", N_("How far the first plate was moved down, in pixels")),
      output_value<State, &AlignPlates::dx2>(
          "dx2", N_("How far the last plate was moved to the right, in pixels")),
      output_value<State, &AlignPlates::dy2>(
          "dy2", N_("How far the last plate was moved down, in pixels")),
  };

  static std::string summary_of(std::span<const double> shifts) {
    return format_text(
        tr(N_("The first plate moves %g px to the right and %g px down, the last one "
              "%g px and %g px.")),
        shifts[0], shifts[1], shifts[2], shifts[3]);
  }

  static const char* next(const Params& p) {
    constexpr const char* names[] = {nullptr, "gray-world", "unsharp-mask", "autocontrast"};
    return names[static_cast<int>(p.post)];
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input&,
                    const typename Exec::Output& out, const State& state) {
    combine_plates(exec, state, p.order, out);
  }
};
static_assert(CreatesImage<AlignPlates>);

}  // namespace cuda_filters
