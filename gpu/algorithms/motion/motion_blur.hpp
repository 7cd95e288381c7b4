// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/algorithms/motion/motion.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// How far rays and arcs look depends on the size of the image: MotionSettings::reach().
inline Footprint motion_blur(const motion::MotionSettings& settings) {
  if (settings.kind == motion::Kind::linear)
    return {.halo = settings.reach({}), .cost = 10.0 + 1.5 * settings.length, .by_channel = true};
  constexpr int largest = 1 << 19;
  return {.halo = {largest, largest}, .cost = 200.0};
}
}  // namespace footprint

namespace cpu {
/// The mean of each pixel's path: motion.hpp.
void motion_blur(Exec&, const Input& in, const Output& out, const motion::MotionSettings& settings);
}  // namespace cpu

namespace cuda {
void motion_blur(Exec&, const Input& in, const Output& out, const motion::MotionSettings& settings);
}  // namespace cuda

namespace trace {
inline void motion_blur(Exec& exec, Input in, Output out, const motion::MotionSettings& settings) {
  exec.note(in, out, footprint::motion_blur(settings));
}
}  // namespace trace

}  // namespace cuda_filters
