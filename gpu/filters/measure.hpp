// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/algorithms/statistics/measuring.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// An analysis that nothing follows, for measure(): no filter, and no row of the registry.
struct Measure {
  struct Params {};
  static constexpr FilterInfo info{};
  static constexpr std::array<Param, 0> params{};
  static constexpr Wanted medians{Lists::channels, 0.5, 0.5};

  static Plan plan(const Params&) {
    return {.trc = Trc::native,
            .alpha = Alpha::channel,
            .analysis = AnalysisScope::region,
            .passes = pass_count(medians, false)};
  }

  using State = Measuring;

  template <class Exec>
  static void analyze(Exec& exec, const Params&, const typename Exec::Input& in, Rect area,
                      State& state) {
    if (state.medians.pass == 0) {
      collect_statistics(exec, in, area, state.statistics, Detail::all);
      exec.fetch(state.statistics);
    }
    collect_quantiles(exec, in, area, state.medians, medians);
    exec.fetch(state.medians);
  }
  static bool finish(const Params&, State& state) { return state.medians.next(); }

  template <class Exec>
  static void apply(Exec&, const Params&, const typename Exec::Input&, const typename Exec::Output&,
                    const State&) {}
};
static_assert(Filter<Measure>);

}  // namespace cuda_filters
