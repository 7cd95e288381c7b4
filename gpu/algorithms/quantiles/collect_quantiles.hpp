// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
// In all of their passes.
inline constexpr Footprint collect_quantiles{.cost = 5.0};
inline constexpr Footprint collect_histograms{.cost = 5.0};
}  // namespace footprint

namespace cpu {
/// Adds the pixels of `area` that are selected and not transparent to the order statistics; it is
/// called in every pass anew.
void collect_quantiles(Exec&, const Input& in, Rect area, QuantileState& state,
                       const Wanted& wanted);
/// Adds the colors of the same pixels to the histograms.
void collect_histograms(Exec&, const Input& in, Rect area, Histograms& histograms);
}  // namespace cpu

namespace cuda {
void collect_quantiles(Exec&, const Input& in, Rect area, QuantileState& state,
                       const Wanted& wanted);
void collect_histograms(Exec&, const Input& in, Rect area, Histograms& histograms);
}  // namespace cuda

namespace trace {
inline void collect_quantiles(Exec& exec, Input in, Rect, QuantileState&, const Wanted&) {
  exec.note_analysis(in, footprint::collect_quantiles);
}
inline void collect_histograms(Exec& exec, Input in, Rect, Histograms&) {
  exec.note_analysis(in, footprint::collect_histograms);
}
}  // namespace trace

}  // namespace cuda_filters
