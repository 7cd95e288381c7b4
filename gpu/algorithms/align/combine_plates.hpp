// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/align/align.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline constexpr Footprint analyze_plates{.cost = 15.0};
}  // namespace footprint

namespace cpu {
/// Adds a band to the plates of a scan, and after the last one finds how they lie: align.hpp. The
/// band must be as wide as the image. Throws Error.
void analyze_plates(Exec&, const Input& in, Rect area, const align::AlignSettings& settings,
                    align::Scan& scan);
/// out = the overlap of the plates, each of which is one color.
void combine_plates(Exec&, const align::Scan& scan, align::Order order, const Output& out);
}  // namespace cpu

namespace cuda {
void analyze_plates(Exec&, const Input& in, Rect area, const align::AlignSettings& settings,
                    align::Scan& scan);
void combine_plates(Exec&, const align::Scan& scan, align::Order order, const Output& out);
}  // namespace cuda

namespace trace {
inline void analyze_plates(Exec& exec, Input in, Rect, const align::AlignSettings&, align::Scan&) {
  exec.note_analysis(in, footprint::analyze_plates);
}
inline void combine_plates(Exec& exec, const align::Scan&, align::Order, Output out) {
  exec.note(std::vector<int>{}, out, footprint::map);
}
}  // namespace trace

}  // namespace cuda_filters
