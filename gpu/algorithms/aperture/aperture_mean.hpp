// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/aperture/aperture.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint aperture_mean(const aperture::Aperture& aperture) {
  const int reach = aperture.reach();
  return {{reach, reach}, 15.0 + aperture::estimated_taps(aperture), true};
}
}  // namespace footprint

namespace cpu {
/// The mean over an aperture, by which each pixel is spread to one: aperture.hpp.
void aperture_mean(Exec&, const Input& in, const Output& out, const aperture::Aperture& aperture);
}  // namespace cpu

namespace cuda {
void aperture_mean(Exec&, const Input& in, const Output& out, const aperture::Aperture& aperture);
}  // namespace cuda

namespace trace {
inline void aperture_mean(Exec& exec, Input in, Output out, const aperture::Aperture& aperture) {
  exec.note(in, out, footprint::aperture_mean(aperture));
}
}  // namespace trace

}  // namespace cuda_filters
