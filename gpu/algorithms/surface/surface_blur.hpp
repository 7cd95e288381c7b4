// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/surface/surface.hpp"
#include "gpu/core/border.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

namespace cpu {
/// The surface blur of straight pixels, and of alpha with them: surface.hpp. `border` is that of
/// the input.
void surface_blur(Exec&, const Input& in, const Output& out,
                  const surface::SurfaceSettings& settings, Border border);
}  // namespace cpu

namespace cuda {
void surface_blur(Exec&, const Input& in, const Output& out,
                  const surface::SurfaceSettings& settings, Border border);
}  // namespace cuda

/// The same of any executor's neighborhoods.
template <class Exec>
void smooth_neighborhoods(Exec& exec, const typename Exec::Input& in,
                          const typename Exec::Output& out,
                          const surface::SurfaceSettings& settings) {
  const double side = 2.0 * settings.radius + 1.0;
  exec.neighborhood(in, out, Halo{settings.radius, settings.radius}, 3.0 + 2.0 * side * side,
                    surface::Smooth{settings});
}
template <class Exec>
void surface_blur(Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out,
                  const surface::SurfaceSettings& settings, Border) {
  smooth_neighborhoods(exec, in, out, settings);
}

}  // namespace cuda_filters
