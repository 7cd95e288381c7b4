// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/deconvolution/deconvolution.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// How far it looks ends with the size of the image: DeconvolutionSettings::reach().
inline Footprint deconvolve(const deconvolution::DeconvolutionSettings& settings) {
  constexpr int largest = 1 << 19;
  const double each = 2.0 * settings.psf.cost() + (settings.damping > 0.0 ? 75.0 : 5.0);
  return {settings.reach({largest, largest}), 5.0 + settings.iterations * each};
}
}  // namespace footprint

namespace cpu {
/// The light that a point spread function made the picture of, in so many iterations:
/// deconvolution.hpp.
void deconvolve(Exec&, const Input& in, const Output& out,
                const deconvolution::DeconvolutionSettings& settings);
}  // namespace cpu

namespace cuda {
void deconvolve(Exec&, const Input& in, const Output& out,
                const deconvolution::DeconvolutionSettings& settings);
}  // namespace cuda

namespace trace {
inline void deconvolve(Exec& exec, Input in, Output out,
                       const deconvolution::DeconvolutionSettings& settings) {
  exec.note(in, out, footprint::deconvolve(settings));
}
}  // namespace trace

}  // namespace cuda_filters
