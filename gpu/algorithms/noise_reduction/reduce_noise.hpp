// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/noise_reduction/noise_reduction.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// A pixel looks as far as its tile does, wherever in it it lies.
inline Footprint reduce_noise(int iterations) {
  const int margin = noise_reduction::margin_before(iterations);
  return {{noise_reduction::tile_width - 1 + margin, noise_reduction::tile_height - 1 + margin},
          5.0 + 30.0 * iterations};
}
}  // namespace footprint

namespace cpu {
/// Each color of straight pixels smoothed so many times, 1 … max_iterations: noise_reduction.hpp.
/// What lies outside of the image is 0.
void reduce_noise(Exec&, const Input& in, const Output& out, int iterations);
}  // namespace cpu

namespace cuda {
void reduce_noise(Exec&, const Input& in, const Output& out, int iterations);
}  // namespace cuda

namespace trace {
inline void reduce_noise(Exec& exec, Input in, Output out, int iterations) {
  exec.note(in, out, footprint::reduce_noise(iterations));
}
}  // namespace trace

}  // namespace cuda_filters
