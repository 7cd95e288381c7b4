// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/diffusion/diffuse.hpp"
#include "gpu/algorithms/diffusion/diffusion.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Anisotropic diffusion: smooths surfaces and keeps their outlines.
struct Diffusion {
  struct Params {
    diffusion::Conductance conductance;
    int iterations;
    double step, edge_threshold;
    bool coupled;
  };

  static constexpr FilterInfo info{
      .name = "diffusion",
      .label = N_("_Diffusion (CUDA)…"),
      .title = N_("Diffusion"),
      .blurb = N_("Smooth surfaces and keep their outlines"),
      .help = N_("Color flows between neighboring pixels again and again, the less the more "
                 "they differ: small differences even out, and edges stay. The conductance says "
                 "how the flow falls with the difference; “constant” is the heat equation, which "
                 "blurs everything. Nothing flows through the border of the layer."),
      .category = Category::blur};

  static constexpr std::array conductances{
      Choice{"constant", N_("Constant (plain blur)")},
      Choice{"exponential", N_("Exponential (keeps strong edges)")},
      Choice{"rational", N_("Rational (keeps large surfaces)")},
      Choice{"tukey", N_("Tukey (stops at edges)")}};

  static constexpr auto constant = diffusion::Conductance::constant;
  static constexpr std::array params{
      param<&Params::conductance>({.name = "conductance",
                                   .label = N_("Co_nductance"),
                                   .blurb = N_("How the flow falls with the difference"),
                                   .initial = 1.0,
                                   .choices = conductances}),
      param<&Params::iterations>({.name = "iterations",
                                  .label = N_("_Iterations"),
                                  .blurb = N_("How often color flows"),
                                  .range = {1.0, 2000.0},
                                  .slider = {1.0, 200.0},
                                  .initial = 20.0}),
      param<&Params::step>({.name = "step",
                            .label = N_("S_tep"),
                            .blurb = N_("Which part of a difference flows in an iteration"),
                            .range = {0.01, 0.25},
                            .initial = 0.2}),
      param<&Params::edge_threshold>({.name = "edge-threshold",
                                      .label = N_("_Edge threshold"),
                                      .blurb = N_("Differences above this one count as edges"),
                                      .range = {0.1, 255.0},
                                      .slider = {0.1, 100.0},
                                      .initial = 20.0,
                                      .unit = Unit::codes_of_255,
                                      .applies_if = is_not("conductance", constant)}),
      param<&Params::coupled>({.name = "coupled",
                               .label = N_("Edges of _all channels together"),
                               .blurb = N_("One flow for red, green, blue and alpha, from the "
                                           "distance of the colors; else each has its own"),
                               .initial = 1.0,
                               .applies_if = is_not("conductance", constant)}),
  };

  static constexpr std::array presets{
      Preset{N_("Portrait"), "iterations=15 edge-threshold=10"},
      Preset{N_("Noise at night"), "iterations=40 edge-threshold=25"},
      Preset{N_("Flat surfaces"), "conductance=tukey iterations=200 edge-threshold=30"},
      Preset{N_("Plain blur"), "conductance=constant iterations=50"},
  };

  static Plan plan(const Params&) {
    return {.trc = Trc::perceptual, .alpha = Alpha::premultiplied};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    diffuse(exec, in, out, {p.conductance, p.iterations, p.step, p.edge_threshold, p.coupled});
  }
};
static_assert(Filter<Diffusion>);

}  // namespace cuda_filters
