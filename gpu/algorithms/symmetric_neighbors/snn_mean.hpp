// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/symmetric_neighbors/symmetric_neighbors.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint snn_mean(const symmetric_neighbors::SnnSettings& settings) {
  return {.halo = settings.halo(), .cost = 10.0 + 2.0 * settings.radius * settings.radius};
}
}  // namespace footprint

namespace cpu {
/// The mean of the symmetric nearest neighbors, of colors by their distance, and of alpha with
/// them: symmetric_neighbors.hpp. The radius is above 0.
void snn_mean(Exec&, const Input& in, const Output& out,
              const symmetric_neighbors::SnnSettings& settings);
}  // namespace cpu

namespace cuda {
void snn_mean(Exec&, const Input& in, const Output& out,
              const symmetric_neighbors::SnnSettings& settings);
}  // namespace cuda

namespace trace {
inline void snn_mean(Exec& exec, Input in, Output out,
                     const symmetric_neighbors::SnnSettings& settings) {
  exec.note(in, out, footprint::snn_mean(settings));
}
}  // namespace trace

}  // namespace cuda_filters
