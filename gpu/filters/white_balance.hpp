// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/white_balance/white_balance.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Makes the white of a picture white (Chikane and Fuh 2006): white_balance.hpp.
struct WhiteBalance {
  struct Params {
    double white_luma, white_chroma;
    bool equalize;
  };

  static constexpr FilterInfo info{
      .name = "white-balance",
      .label = N_("White _Balance (CUDA)…"),
      .title = N_("White Balance"),
      .blurb = N_("Remove a color cast: make white what must be white"),
      .help = N_("Bright pixels of little color are found, and among them the white. Red, green "
                 "and blue are multiplied so that it becomes white, but the channel that the "
                 "picture has too much of so that its mean becomes gray. Without a cast, or "
                 "without any candidate for white, the picture stays as it is. Only selected "
                 "pixels are looked at, and none that are fully transparent. Alpha stays as it "
                 "is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::white_luma>({.name = "white-luma",
                                  .label = N_("_Brightness of white"),
                                  .blurb = N_("How bright a pixel must be at least to be white"),
                                  .range = {0.0, 255.0},
                                  .initial = 210.0,
                                  .digits = 1,
                                  .unit = Unit::codes_of_255}),
      param<&Params::white_chroma>({.name = "white-chroma",
                                    .label = N_("_Tint of white"),
                                    .blurb = N_("How much color a pixel may have to be white"),
                                    .range = {0.0, 64.0},
                                    .slider = {0.0, 20.0},
                                    .initial = 3.0,
                                    .digits = 1,
                                    .unit = Unit::codes_of_255}),
      param<&Params::equalize>({.name = "equalize",
                                .label = N_("_Equalize first"),
                                .blurb = N_("Look for white in a copy whose red, green and blue "
                                            "all use the whole range evenly"),
                                .initial = 1.0}),
  };

  static Plan plan(const Params&) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .analysis = AnalysisScope::region,
            .passes = white_balance::passes};
  }

  using State = white_balance::WhiteAnalysis;

  static white_balance::WhiteBalanceSettings settings(const Params& p) {
    return {p.white_luma, p.white_chroma, p.equalize};
  }

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    white_balance::add(exec, in, area, settings(p), state);
  }
  static bool finish(const Params& p, State& state) { return state.next(settings(p)); }

  struct Balance {
    float gains[3];
    HOST_DEVICE float operator()(float value, int c) const { return value * gains[c]; }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    exec.map(in, out, PerColor{Balance{{state.gains[0], state.gains[1], state.gains[2]}}});
  }
};
static_assert(Filter<WhiteBalance>);

}  // namespace cuda_filters
