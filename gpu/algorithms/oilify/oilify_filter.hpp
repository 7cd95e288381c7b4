// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/oilify/oilify.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// A pixel costs a look at the bins, and what enters and leaves its disc.
inline Footprint oilify_filter(const oilify::OilifySettings& settings) {
  const bool wide = settings.by_luminance && settings.radius > oilify::max_narrow_radius;
  const double bins = (settings.by_luminance ? 50.0 : 100.0) + 0.2 * settings.intensities;
  return {.halo = {settings.radius, settings.radius},
          .cost = bins + (settings.by_luminance && !wide ? 4.5 : 10.0) * settings.radius};
}
}  // namespace footprint

namespace cpu {
/// The means of straight pixels and of alpha with them, of values from 0 to 1: oilify.hpp.
void oilify_filter(Exec&, const Input& in, const Output& out,
                   const oilify::OilifySettings& settings);
}  // namespace cpu

namespace cuda {
void oilify_filter(Exec&, const Input& in, const Output& out,
                   const oilify::OilifySettings& settings);
}  // namespace cuda

namespace trace {
inline void oilify_filter(Exec& exec, Input in, Output out,
                          const oilify::OilifySettings& settings) {
  exec.note(in, out, footprint::oilify_filter(settings));
}
}  // namespace trace

}  // namespace cuda_filters
