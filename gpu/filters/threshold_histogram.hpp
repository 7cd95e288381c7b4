// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/filters/threshold.hpp"

namespace cuda_filters {

/// An analysis that nothing follows, for count_limits(): how often the values occur that threshold
/// compares with its limits, from 0 to 1.
struct ThresholdHistogram {
  using Params = Threshold::Params;
  using State = Histograms;
  static constexpr FilterInfo info{};
  static constexpr auto params = Threshold::params;

  static Plan plan(const Params& p) {
    Plan plan = Threshold::plan(p);
    plan.analysis = AnalysisScope::region;
    return plan;
  }

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    const auto values = exec.temporary();
    exec.map(in, values, ToGray{Threshold::Compared{p.channel}});
    collect_histograms(exec, values, area, state);
  }
  static void finish(const Params&, State&) {}

  template <class Exec>
  static void apply(Exec&, const Params&, const typename Exec::Input&, const typename Exec::Output&,
                    const State&) {}
};
static_assert(Filter<ThresholdHistogram>);

}  // namespace cuda_filters
