// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/diffusion/diffusion.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint diffuse(const diffusion::DiffusionSettings& settings) {
  const int halo = settings.iterations;
  return {{halo, halo}, 5.0 + 3.0 * settings.iterations};
}
}  // namespace footprint

namespace cpu {
/// Diffusion: diffusion.hpp.
void diffuse(Exec&, const Input& in, const Output& out,
             const diffusion::DiffusionSettings& settings);
}  // namespace cpu

namespace cuda {
void diffuse(Exec&, const Input& in, const Output& out,
             const diffusion::DiffusionSettings& settings);
}  // namespace cuda

namespace trace {
inline void diffuse(Exec& exec, Input in, Output out,
                    const diffusion::DiffusionSettings& settings) {
  exec.note(in, out, footprint::diffuse(settings));
}
}  // namespace trace

}  // namespace cuda_filters
