// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/box/box.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint box_filter(int radius_x, int radius_y) {
  return {{radius_x, radius_y}, 10.0, true};
}
}  // namespace footprint

namespace cpu {
/// The mean of (2 · radius_x + 1) × (2 · radius_y + 1) pixels: box.hpp.
void box_filter(Exec&, const Input& in, const Output& out, int radius_x, int radius_y,
                Border border);
void box_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y, Border);
}  // namespace cpu

namespace cuda {
void box_filter(Exec&, const Input& in, const Output& out, int radius_x, int radius_y,
                Border border);
void box_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y, Border);
}  // namespace cuda

namespace trace {
inline void box_filter(Exec& exec, Input in, Output out, int radius_x, int radius_y, Border) {
  exec.note(in, out, footprint::box_filter(radius_x, radius_y));
}
inline void box_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x,
                       int radius_y, Border) {
  exec.note(in, out, footprint::box_filter(radius_x, radius_y));
}
}  // namespace trace

}  // namespace cuda_filters
