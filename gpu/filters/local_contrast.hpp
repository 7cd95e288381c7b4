// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/local_laplacian/local_laplacian_filter.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The local Laplacian filter (Paris, Hasinoff and Kautz 2011) of the luminance of encoded values:
/// local_laplacian.hpp has the formulas. Colors are scaled with it.
struct LocalContrast {
  struct Params {
    double amount, edge, shadows, highlights;
  };

  static constexpr FilterInfo info{
      .name = "local-contrast",
      .label = N_("Local Con_trast (CUDA)…"),
      .title = N_("Local Contrast"),
      .blurb = N_("Make details stronger or weaker, and tones nearer to each other, without halos"),
      .help =
          N_("What differs from its surroundings by less than the edge is detail, of any size: the "
             "amount says how much stronger it becomes. What differs by more is an edge, and stays "
             "where it is: shadows and highlights say how much of that difference is left, on the "
             "dark and on the bright side. All sizes are looked at, from single pixels to the "
             "whole picture, so that the result of a selection depends on what is around it. "
             "Alpha stays as it is. This is the local Laplacian filter, described by Paris, "
             "Hasinoff and Kautz, 2011, in the fast form of Aubry and others, 2014."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::amount>({.name = "amount",
                              .label = N_("_Amount"),
                              .blurb = N_("How much stronger details become (below 0: weaker)"),
                              .range = {-1.0, 2.0},
                              .initial = 0.5}),
      param<&Params::edge>({.name = "edge",
                            .label = N_("_Edge"),
                            .blurb = N_("From which difference on something is no detail"),
                            .range = {0.01, 1.0},
                            .initial = 0.2}),
      param<&Params::shadows>(
          {.name = "shadows",
           .label = N_("Shado_ws"),
           .blurb = N_("How much of the difference is left to what is darker (below 1: brighter "
                       "shadows)"),
           .range = {0.0, 3.0},
           .slider = {0.0, 2.0},
           .initial = 1.0}),
      param<&Params::highlights>(
          {.name = "highlights",
           .label = N_("Hi_ghlights"),
           .blurb = N_("How much of the difference is left to what is brighter (below 1: darker "
                       "highlights)"),
           .range = {0.0, 3.0},
           .slider = {0.0, 2.0},
           .initial = 1.0}),
  };

  static constexpr std::array presets{
      Preset{N_("Clear details"), "amount=1 edge=0.1"},
      Preset{N_("Soft skin"), "amount=-0.7 edge=0.05"},
      Preset{N_("Against the light"), "amount=0.3 shadows=0.4 highlights=0.6"},
  };

  static local_laplacian::LocalContrastSettings settings(const Params& p) {
    return {p.amount, p.edge, p.shadows, p.highlights};
  }

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .identity = p.amount == 0.0 && p.shadows == 1.0 && p.highlights == 1.0,
            .analysis = AnalysisScope::image};
  }

  using State = local_laplacian::Plane;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    collect_luminance(exec, in, area, settings(p), state);
  }
  static void finish(const Params&, State&) {}

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    local_laplacian_filter(exec, in, out, settings(p), state);
  }
};
static_assert(Filter<LocalContrast>);

}  // namespace cuda_filters
