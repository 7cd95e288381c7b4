// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/extremum/extremum.hpp"
#include "gpu/algorithms/extremum/window.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
constexpr Footprint extremum_filter(int radius_x, int radius_y) {
  return {{radius_x, radius_y}, 12.0, true};
}
/// Not by channel: windows know where the image ends.
constexpr Footprint extremum_filter(const extremum::Window& window) {
  return {window.reach(), window.is_rectangle() ? 4.0 : 4.0 + 0.3 * window.radius};
}
}  // namespace footprint

namespace cpu {
/// The least or the greatest of (2 · radius_x + 1) × (2 · radius_y + 1) numbers, of radii up to
/// 3000. A NaN takes no part; where there is nothing else, the result is infinite. Of 0 and -0 it
/// may be either.
void extremum_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind);
/// The least or the greatest sample of a window of radius up to 1000, each channel by itself, where
/// alpha is one. A NaN takes no part; where there is nothing else, the result is one. -0 is less
/// than 0. With Border::wrap, a window goes on at the other end of the image, and with every other
/// border it ends there. Of a temporary `out`, only what lies in the image then is computed, and of
/// a temporary `in` nothing else is looked at.
void extremum_filter(Exec&, const Input& in, const Output& out, const extremum::Window& window,
                     Extremum kind, Border border);
}  // namespace cpu

namespace cuda {
void extremum_filter(Exec&, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind);
void extremum_filter(Exec&, const Input& in, const Output& out, const extremum::Window& window,
                     Extremum kind, Border border);
}  // namespace cuda

namespace trace {
inline void extremum_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x,
                            int radius_y, Extremum) {
  exec.note(in, out, footprint::extremum_filter(radius_x, radius_y));
}
inline void extremum_filter(Exec& exec, Input in, Output out, const extremum::Window& window,
                            Extremum, Border) {
  exec.note(in, out, footprint::extremum_filter(window));
}
}  // namespace trace

}  // namespace cuda_filters
