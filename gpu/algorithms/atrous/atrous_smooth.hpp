// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/atrous/atrous.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint atrous_smooth(int level) {
  return {{atrous::halo(level), atrous::halo(level)}, 10.0, true};
}
}  // namespace footprint

namespace cpu {
/// The sum of 5 × 5 pixels that lie 2^level apart, by the B-spline's weights along both axes.
void atrous_smooth(Exec&, const Input& in, const Output& out, int level);
void atrous_smooth(Exec&, const Channel& in, const Channel& out, int level);
}  // namespace cpu

namespace cuda {
void atrous_smooth(Exec&, const Input& in, const Output& out, int level);
void atrous_smooth(Exec&, const Channel& in, const Channel& out, int level);
}  // namespace cuda

namespace trace {
inline void atrous_smooth(Exec& exec, Input in, Output out, int level) {
  exec.note(in, out, footprint::atrous_smooth(level));
}
inline void atrous_smooth(Exec& exec, const Channel& in, const Channel& out, int level) {
  exec.note(in, out, footprint::atrous_smooth(level));
}
}  // namespace trace

}  // namespace cuda_filters
