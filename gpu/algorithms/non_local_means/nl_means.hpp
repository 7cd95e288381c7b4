// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/non_local_means/non_local_means.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint nl_means(const non_local_means::NonLocalMeansSettings& settings) {
  const int halo = settings.reach();
  return {{halo, halo}, 10.0 + (1.5 + 0.3 * settings.patch_radius) * settings.offsets()};
}
}  // namespace footprint

namespace cpu {
/// The non-local means of the colors: non_local_means.hpp. Alpha stays. What is no number, or is
/// infinitely far, takes no part.
void nl_means(Exec&, const Input& in, const Output& out,
              const non_local_means::NonLocalMeansSettings& settings);
}  // namespace cpu

namespace cuda {
void nl_means(Exec&, const Input& in, const Output& out,
              const non_local_means::NonLocalMeansSettings& settings);
}  // namespace cuda

namespace trace {
inline void nl_means(Exec& exec, Input in, Output out,
                     const non_local_means::NonLocalMeansSettings& settings) {
  exec.note(in, out, footprint::nl_means(settings));
}
}  // namespace trace

}  // namespace cuda_filters
