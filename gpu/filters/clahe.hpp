// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/clahe/equalize_tiles.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Contrast limited adaptive histogram equalization (Zuiderveld 1994), as OpenCV's createCLAHE()
/// computes it: `gpu/algorithms/clahe/clahe.hpp` has the formulas. The tiles are those of the whole
/// picture, whatever part of it is computed. By luminance, Y = .2126 R + .7152 G + .0722 B is
/// equalized, and the colors are multiplied by what that does to it.
struct Clahe {
  enum class Mode { luminance, channels };

  struct Params {
    int tiles_x, tiles_y;
    double clip_limit;
    Mode mode;
  };

  static constexpr FilterInfo info{
      .name = "clahe",
      .label = N_("_Local Equalization (CUDA)…"),
      .title = N_("Local Equalization"),
      .blurb = N_("Bring out contrast everywhere, in the dark and in bright parts at once (CLAHE)"),
      .help =
          N_("The picture is cut into tiles, and in each of them all levels of brightness are made "
             "about equally frequent; between the tiles the result is interpolated. The clip limit "
             "keeps noise in even parts from being amplified: no contrast rises by more than about "
             "that factor. The selection is not looked at, only where the result goes; fully "
             "transparent pixels are not counted. Alpha stays as it is. This is contrast limited "
             "adaptive histogram equalization, described by Zuiderveld, 1994."),
      .category = Category::enhance};

  static constexpr std::array modes{Choice{"luminance", N_("Luminance")},
                                    Choice{"channels", N_("Each channel by itself")}};

  static constexpr std::array params{
      param<&Params::tiles_x>({.name = "tiles-x",
                               .label = N_("Tiles _across"),
                               .blurb = N_("How many tiles lie side by side: more of them bring "
                                           "out smaller details"),
                               .range = {1.0, 64.0},
                               .slider = {1.0, 32.0},
                               .initial = 8.0}),
      param<&Params::tiles_y>({.name = "tiles-y",
                               .label = N_("Tiles _down"),
                               .blurb = N_("How many tiles lie one below the other"),
                               .range = {1.0, 64.0},
                               .slider = {1.0, 32.0},
                               .initial = 8.0}),
      param<&Params::clip_limit>(
          {.name = "clip-limit",
           .label = N_("Clip li_mit"),
           .blurb = N_("By how much contrast may rise (0: as much as there is)"),
           .range = {0.0, 100.0},
           .slider = {0.0, 10.0},
           .initial = 2.0}),
      param<&Params::mode>({.name = "mode",
                            .label = N_("_Equalize"),
                            .blurb = N_("The luminance, which keeps colors, or every color"),
                            .choices = modes}),
  };

  static constexpr std::array presets{
      Preset{N_("Photo"), "tiles-x=4 tiles-y=4 clip-limit=1.5"},
      Preset{N_("X-ray"), "clip-limit=3"},
      Preset{N_("Microscopy"), "tiles-x=16 tiles-y=16 clip-limit=4"},
  };

  static clahe::ClaheSettings settings(const Params& p) {
    return {p.tiles_x, p.tiles_y, p.clip_limit, p.mode == Mode::luminance};
  }

  static Plan plan(const Params&) {
    return {.trc = Trc::perceptual, .alpha = Alpha::passthrough, .analysis = AnalysisScope::image};
  }

  using State = clahe::Codes;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    collect_codes(exec, in, area, settings(p), state);
  }
  static void finish(const Params&, State&) {}

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    equalize_tiles(exec, in, out, settings(p), state);
  }
};
static_assert(Filter<Clahe>);

}  // namespace cuda_filters
