// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/algorithms/statistics/statistics.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

namespace cuda_filters {

/// A white balance that makes the mean color gray (Buchsbaum 1980).
struct GrayWorld {
  struct Params {
    LightOption light;
  };

  static constexpr FilterInfo info{
      .name = "gray-world",
      .label = N_("Gray _World (CUDA)…"),
      .title = N_("Gray World"),
      .blurb = N_("Remove a color cast: make the picture gray on average"),
      .help = N_("Red, green and blue of the selected pixels are multiplied so that all three have "
                 "the same mean. A channel that is black on average is raised instead. Fully "
                 "transparent pixels are not looked at. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array params{
      light_param<&Params::light>(),
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

  struct Balance {
    float gain[3], offset[3];
    HOST_DEVICE float operator()(float value, int c) const { return value * gain[c] + offset[c]; }
  };

  /// c · S / mean of c, S being the mean of the means; c + S where there is nothing to multiply.
  struct FromStatistics {
    HOST_DEVICE PerColor<Balance> operator()(const Statistics& statistics) const {
      const ChannelStatistics* channels = statistics.channels;
      const double wanted = (channels[0].mean() + channels[1].mean() + channels[2].mean()) / 3.0;
      Balance f{};
      for (int c = 0; c < 3; ++c) {
        const double mean = channels[c].mean();
        const bool dark = mean < 0.05 / 255.0;
        f.gain[c] = dark || mean == wanted ? 1.0f : static_cast<float>(wanted / mean);
        f.offset[c] = dark ? static_cast<float>(wanted) : 0.0f;
      }
      return {f};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    exec.map_with_statistics(in, out, state, FromStatistics{});
  }
};
static_assert(Filter<GrayWorld>);

}  // namespace cuda_filters
