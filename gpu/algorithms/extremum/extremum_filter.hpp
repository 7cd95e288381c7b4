// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/extremum/extremum.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
constexpr Footprint extremum_filter(int radius_x, int radius_y) {
  return {{radius_x, radius_y}, 12.0, true};
}
}  // namespace footprint

namespace cpu {
/// The least or the greatest of (2 · radius_x + 1) × (2 · radius_y + 1) numbers, of radii up to
/// 3000. A NaN takes no part; where there is nothing else, the result is infinite. Of 0 and -0 it
/// may be either.
void extremum_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind);
}  // namespace cpu

namespace cuda {
void extremum_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind);
}  // namespace cuda

namespace trace {
inline void extremum_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x,
                            int radius_y, Extremum) {
  exec.note(in, out, footprint::extremum_filter(radius_x, radius_y));
}
}  // namespace trace

}  // namespace cuda_filters
