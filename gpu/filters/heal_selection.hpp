// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "gpu/algorithms/heal/heal_selection.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Completes what is selected by patches from around it: PatchMatch (Barnes, Shechtman, Finkelstein
/// and Goldman, 2009) in a pyramid, with votes (Wexler, Shechtman and Irani, 2007): heal.hpp.
struct HealSelection {
  struct Params {
    int patch;
    heal::SearchArea search;
    double distance;
    int iterations, seed;
  };

  static constexpr FilterInfo info{
      .name = "heal-selection",
      .label = N_("He_al Selection (CUDA)…"),
      .title = N_("Heal Selection"),
      .blurb = N_("Replace what is selected by what fits there, taken from around it"),
      .help = N_(
          "Select what is to go, with a little of what is around it. Every small patch of the "
          "result looks like one from outside of the selection. What is selected in part is "
          "replaced in part, so that a feathered selection blends. Transparent pixels are neither "
          "taken nor matched. The same seed gives the same picture; another one may fit better. "
          "Patches are found by PatchMatch, described by Barnes, Shechtman, Finkelstein and "
          "Goldman, 2009, and put together as Wexler, Shechtman and Irani did, 2007."),
      .category = Category::enhance};

  /// It works on a selection alone: AnalysisScope::surroundings.
  static constexpr bool needs_selection = true;

  static constexpr std::array searches{Choice{"sides", N_("Left and right")},
                                       Choice{"around", N_("All around")},
                                       Choice{"everywhere", N_("Anywhere")}};
  static constexpr std::array params{
      param<&Params::patch>({.name = "patch",
                             .label = N_("Patch si_ze"),
                             .blurb = N_("Width of the patches that are compared, an odd number: "
                                         "small for fine textures, large for large structures"),
                             .range = {3.0, 31.0},
                             .slider = {3.0, 15.0},
                             .initial = 7.0,
                             .unit = Unit::pixels}),
      param<&Params::search>({.name = "search",
                              .label = N_("_Take from"),
                              .blurb = N_("Where patches are taken from"),
                              .initial = 1.0,
                              .choices = searches}),
      param<&Params::distance>({.name = "distance",
                                .label = N_("_Distance"),
                                .blurb = N_("How far from the selection patches may lie"),
                                .range = {1.0, 5000.0},
                                .slider = {1.0, 1000.0},
                                .initial = 200.0,
                                .unit = Unit::pixels,
                                .applies_if = is_not("search", heal::SearchArea::everywhere)}),
      param<&Params::iterations>(
          {.name = "iterations",
           .label = N_("_Iterations"),
           .blurb =
               N_("How often the result is improved: more often where it is looked at coarsely, "
                  "less often in detail"),
           .range = {1.0, 100.0},
           .initial = 20.0}),
      param<&Params::seed>({.name = "seed",
                            .label = N_("S_eed"),
                            .blurb = N_("Another seed gives another result"),
                            .range = {0.0, 2147483647.0},
                            .slider = {0.0, 100.0},
                            .initial = 0.0}),
  };
  static constexpr AuxParam aux{N_("Only where _white"),
                                N_("A layer: patches are taken only where it is white; without "
                                   "one, they may come from anywhere")};
  static constexpr std::array presets{
      Preset{N_("Dust and scratches"), "distance=40 iterations=5"},
      Preset{N_("Sky and smooth areas"), "patch=11 search=sides"},
      Preset{N_("Large structures"), "patch=13 search=everywhere iterations=40"},
  };

  static heal::HealSettings settings(const Params& p) {
    return {p.patch, p.search, static_cast<int>(std::ceil(p.distance)), p.iterations,
            static_cast<std::uint32_t>(p.seed)};
  }

  static Plan plan(const Params& p) {
    const heal::HealSettings settings_of = settings(p);
    return {.trc = Trc::perceptual,
            .alpha = Alpha::channel,
            .border = Border::transparent,
            .analysis = AnalysisScope::surroundings,
            .surroundings = {settings_of.reach_x(), settings_of.reach_y()}};
  }

  using State = heal::Surroundings;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in,
                      const typename Exec::Input* aux_or_null, Rect area, State& state) {
    collect_surroundings(exec, in, aux_or_null, area, settings(p), state);
  }
  static void finish(const Params&, State&) {}

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    heal_selection(exec, in, out, settings(p), state);
  }
};
static_assert(Aided<HealSelection>);

}  // namespace cuda_filters
