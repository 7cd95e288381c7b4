// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/statistics/statistics.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline constexpr Footprint collect_statistics{.cost = 0.0};  // hidden behind the memory's time
}  // namespace footprint

namespace cpu {
/// Adds the pixels of `area` to the statistics, as far as they are selected and not transparent.
void collect_statistics(Exec&, const Input& in, Rect area, StatisticsState& state,
                        Detail detail = Detail::colors);
}  // namespace cpu

namespace cuda {
void collect_statistics(Exec&, const Input& in, Rect area, StatisticsState& state,
                        Detail detail = Detail::colors);
}  // namespace cuda

namespace trace {
inline void collect_statistics(Exec& exec, Input in, Rect, StatisticsState&,
                               Detail = Detail::colors) {
  exec.note_analysis(in, footprint::collect_statistics);
}
}  // namespace trace

}  // namespace cuda_filters
