// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/canny/canny.hpp"
#include "gpu/algorithms/canny/canny_edges.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/limit_histogram.hpp"

namespace cuda_filters {

/// Canny's edge detector: thin lines where the picture changes fastest.
struct Canny {
  enum class Norm { l2, l1 };
  using Channel = canny::Channel;

  struct Params {
    double sigma, low_threshold, high_threshold;
    Norm norm;
    Channel channel;
    bool invert;
  };

  static constexpr FilterInfo info{
      .name = "canny",
      .label = N_("Cann_y Edges (CUDA)…"),
      .title = N_("Canny Edges"),
      .blurb = N_("Draw every contour as a thin line, and leave out the noise"),
      .help = N_("The picture is smoothed a little, and a line is drawn where it changes fastest "
                 "along the direction of the change. Lines above the high threshold are kept, and "
                 "so is every line above the low one that is connected to them, however long. "
                 "Luminance is .2126 red, .7152 green and .0722 blue of the displayed values."),
      .category = Category::edges};

  static constexpr std::array norms{Choice{"l2", N_("Euclidean length")},
                                    Choice{"l1", N_("Sum of both differences")}};
  static constexpr std::array channels{
      Choice{"luminance", N_("Luminance")}, Choice{"red", N_("Red")}, Choice{"green", N_("Green")},
      Choice{"blue", N_("Blue")}, Choice{"value", N_("Value (the largest of the three)")}};

  static constexpr std::array params{
      param<&Params::sigma>({.name = "sigma",
                             .label = N_("Smoothin_g"),
                             .blurb = N_("Standard deviation of the blur before the search"),
                             .range = {0.0, canny::max_sigma},
                             .slider = {0.0, 5.0},
                             .initial = 1.4,
                             .unit = Unit::pixels}),
      param<&Params::low_threshold>(
          {.name = "low-threshold",
           .label = N_("Lo_w threshold"),
           .blurb = N_("How strong a line must be that is connected to a stronger one"),
           .range = {0.0, 1500.0},
           .slider = {0.0, canny::max_shown},
           .initial = 70.0,
           .unit = Unit::codes_of_255,
           .upper_limit = "high-threshold"}),
      param<&Params::high_threshold>(
          {.name = "high-threshold",
           .label = N_("High _threshold"),
           .blurb = N_("How strong a line must be to be drawn in any case"),
           .range = {0.0, 1500.0},
           .slider = {0.0, canny::max_shown},
           .initial = 130.0,
           .unit = Unit::codes_of_255}),
      param<&Params::norm>({.name = "norm",
                            .label = N_("_Norm"),
                            .blurb = N_("How the strength of a change is measured"),
                            .choices = norms}),
      param<&Params::channel>({.name = "channel",
                               .label = N_("Ch_annel"),
                               .blurb = N_("Which values of the picture are searched"),
                               .choices = channels}),
      param<&Params::invert>(
          {.name = "invert", .label = N_("_Invert"), .blurb = N_("Draw black lines on white")}),
  };

  static constexpr std::array presets{
      Preset{N_("Fine details"), "sigma=1 low-threshold=30 high-threshold=80"},
      Preset{N_("Portrait"), "sigma=2 low-threshold=40 high-threshold=90"},
      Preset{N_("Strong outlines only"), "sigma=3 low-threshold=90 high-threshold=180"},
      Preset{N_("Pencil drawing"), "low-threshold=40 high-threshold=100 invert=yes"},
  };

  static canny::CannySettings settings(const Params& p) {
    return {p.sigma, p.low_threshold, p.high_threshold, p.norm == Norm::l2, p.channel, p.invert};
  }

  static void check(const Params& p) {
    if (p.low_threshold >= p.high_threshold)
      throw ArgumentError{format_text(
          tr(N_("The parameter 'low-threshold' is %g, but must be below 'high-threshold', which "
                "is %g.")),
          p.low_threshold, p.high_threshold)};
  }

  static const FilterEntry& limit_histogram() { return canny_histogram_entry(); }

  static Plan plan(const Params&) {
    return {.trc = Trc::perceptual, .alpha = Alpha::passthrough, .analysis = AnalysisScope::image};
  }

  using State = canny::BandLinks;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    analyze_edges(exec, in, area, settings(p), state);
  }

  static void finish(const Params&, State& state) { state.join(); }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    canny_edges(exec, in, out, settings(p), state);
  }
};
static_assert(Filter<Canny>);

}  // namespace cuda_filters
