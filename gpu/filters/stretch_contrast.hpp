// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/algorithms/statistics/statistics.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// The darkest value becomes black and the brightest white.
struct StretchContrast {
  struct Params {
    bool keep_colors;
    LinearLightOption light;
  };

  static constexpr FilterInfo info{
      .name = "stretch-contrast",
      .label = N_("_Stretch Contrast (CUDA)…"),
      .title = N_("Stretch Contrast"),
      .blurb = N_("Use the whole range from black to white"),
      .help = N_("The darkest value of the selected pixels becomes black, the brightest white, and "
                 "all others move along. With colors kept, red, green and blue share their "
                 "darkest and their brightest value; else each has its own, which removes casts. "
                 "Fully transparent pixels are not looked at. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      param<&Params::keep_colors>({.name = "keep-colors",
                                   .label = N_("_Keep colors"),
                                   .blurb = N_("Stretch red, green and blue alike"),
                                   .initial = 1.0}),
      linear_light_param<&Params::light>(LinearLightOption::perceptual),
  };

  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light), .alpha = Alpha::passthrough, .analysis = AnalysisScope::region};
  }

  using State = StatisticsState;

  template <class Exec>
  static void analyze(Exec& exec, const Params&, const typename Exec::Input& in, Rect area,
                      State& state) {
    collect_statistics(exec, in, area, state);
  }
  static void finish(const Params&, State&) {}

  struct Stretch {
    float low[3], range[3];
    HOST_DEVICE float operator()(float value, int c) const { return (value - low[c]) / range[c]; }
  };

  /// What varies in no channel stays as it is.
  struct FromStatistics {
    bool keep_colors;
    HOST_DEVICE PerColor<Stretch> operator()(const Statistics& statistics) const {
      ChannelStatistics all = statistics.channels[0];
      all.merge(statistics.channels[1]);
      all.merge(statistics.channels[2]);
      Stretch f{};
      for (int c = 0; c < 3; ++c) {
        const ChannelStatistics& from = keep_colors ? all : statistics.channels[c];
        f.low[c] = from.varies() ? from.min : 0.0f;
        f.range[c] = from.varies() ? from.max - from.min : 1.0f;
      }
      return {f};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    exec.map_with_statistics(in, out, state, FromStatistics{p.keep_colors});
  }
};
static_assert(Filter<StretchContrast>);

}  // namespace cuda_filters
