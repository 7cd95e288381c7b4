// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>

#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Gray-scale morphology with a flat window, each channel by itself (Serra 1982).
struct Morphology {
  enum class Operation { dilate, erode, open, close, gradient, top_hat, black_hat };
  struct Params {
    Operation operation;
    extremum::Shape shape;
    int radius;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "morphology",
      .label = N_("M_orphology (CUDA)…"),
      .title = N_("Morphology"),
      .blurb = N_("Grow or shrink what is light, close gaps, or take small things away"),
      .help = N_("Every value becomes the largest one around it, so that light shapes grow, or the "
                 "smallest one, so that they shrink; or one after the other, which takes away what "
                 "is smaller than the surroundings and leaves the rest as large as it was; or what "
                 "that changes. Each channel is treated by itself, alpha too: differences of "
                 "opaque pictures are transparent, unless the layer has no alpha channel. Of the "
                 "borders only “Opposite side” makes a difference: with the others, what lies "
                 "outside of the layer takes no part. Described by Serra, 1982."),
      .category = Category::generic};

  static constexpr std::array operations{
      Choice{"dilate", N_("Dilate: light grows")},
      Choice{"erode", N_("Erode: light shrinks")},
      Choice{"open", N_("Open: take small light things away")},
      Choice{"close", N_("Close: take small dark things away")},
      Choice{"gradient", N_("Gradient: outlines")},
      Choice{"top-hat", N_("Top-hat: only small light things")},
      Choice{"black-hat", N_("Black-hat: only small dark things")}};
  static constexpr std::array shapes{
      Choice{"square", N_("Square")}, Choice{"disc", N_("Disc")}, Choice{"diamond", N_("Diamond")},
      Choice{"horizontal", N_("Horizontal line")}, Choice{"vertical", N_("Vertical line")}};

  static constexpr std::array params{
      param<&Params::operation>({.name = "operation",
                                 .label = N_("Oper_ation"),
                                 .blurb = N_("What becomes of every value"),
                                 .initial = 0.0,
                                 .choices = operations}),
      param<&Params::shape>({.name = "shape",
                             .label = N_("Shap_e"),
                             .blurb = N_("The shape of the surroundings"),
                             .initial = 1.0,
                             .choices = shapes}),
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far the surroundings reach"),
                              .range = {0.0, 1000.0},
                              .slider = {0.0, 100.0},
                              .initial = 3.0,
                              .unit = Unit::pixels}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Thicker light lines"), "operation=dilate radius=1"},
      Preset{N_("Thicker dark lines"), "operation=erode radius=1"},
      Preset{N_("Dust and specks"), "operation=open radius=2"},
      Preset{N_("Paper behind text"), "operation=close radius=15"},
      Preset{N_("Outlines"), "operation=gradient radius=1"},
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::native,
            .alpha = Alpha::channel,
            .border = p.border,
            .identity = p.radius == 0 && p.operation < Operation::gradient};
  }

  struct Difference {
    HOST_DEVICE Pixel operator()(Pixel larger, Pixel smaller) const { return larger - smaller; }
  };
  struct Reversed {
    HOST_DEVICE Pixel operator()(Pixel smaller, Pixel larger) const { return larger - smaller; }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    using enum Operation;
    using Output = typename Exec::Output;
    const auto filter = [&](const typename Exec::Input& from, const Output& to, Extremum kind) {
      extremum_filter(exec, from, to, extremum::Window{p.shape, p.radius}, kind, p.border);
    };
    const bool light_first = p.operation == close || p.operation == black_hat;
    const auto first = light_first ? Extremum::maximum : Extremum::minimum;
    const auto second = light_first ? Extremum::minimum : Extremum::maximum;
    if (p.operation == dilate) return filter(in, out, Extremum::maximum);
    if (p.operation == erode) return filter(in, out, Extremum::minimum);
    const auto once = exec.temporary();
    filter(in, once, first);
    if (p.operation == open || p.operation == close) return filter(once, out, second);
    const auto other = exec.temporary();
    if (p.operation == gradient)
      filter(in, other, second);
    else
      filter(once, other, second);
    if (p.operation == gradient) return exec.map(std::tie(other, once), out, Difference{});
    if (p.operation == top_hat) return exec.map(std::tie(in, other), out, Difference{});
    exec.map(std::tie(in, other), out, Reversed{});
  }
};
static_assert(Filter<Morphology>);

}  // namespace cuda_filters
