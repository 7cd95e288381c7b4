// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/local_laplacian/local_laplacian.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// Those of every sample, of which there are more for smaller edges; and what they are added to.
inline Footprint collect_luminance(const local_laplacian::LocalContrastSettings& settings) {
  const local_laplacian::Sampling sampling{settings};
  return {.cost = 50.0 + 3.5 * (sampling.last() - sampling.first())};
}
inline constexpr Footprint local_laplacian{.cost = 40.0};
}  // namespace footprint

namespace cpu {
/// Adds a band, which must be as wide as the image, to the luminance of the whole picture; with the
/// last one, computes what is added to it.
void collect_luminance(Exec&, const Input& in, Rect area,
                       const local_laplacian::LocalContrastSettings& settings,
                       local_laplacian::Plane& plane);
/// out = in, with luminance added: local_laplacian.hpp. Without any plane the band must hold the
/// whole image.
void local_laplacian_filter(Exec&, const Input& in, const Output& out,
                            const local_laplacian::LocalContrastSettings& settings,
                            const local_laplacian::Plane& plane);
}  // namespace cpu

namespace cuda {
void collect_luminance(Exec&, const Input& in, Rect area,
                       const local_laplacian::LocalContrastSettings& settings,
                       local_laplacian::Plane& plane);
void local_laplacian_filter(Exec&, const Input& in, const Output& out,
                            const local_laplacian::LocalContrastSettings& settings,
                            const local_laplacian::Plane& plane);
}  // namespace cuda

namespace trace {
inline void collect_luminance(Exec& exec, Input in, Rect,
                              const local_laplacian::LocalContrastSettings& settings,
                              local_laplacian::Plane&) {
  exec.note_analysis(in, footprint::collect_luminance(settings));
}
inline void local_laplacian_filter(Exec& exec, Input in, Output out,
                                   const local_laplacian::LocalContrastSettings&,
                                   const local_laplacian::Plane&) {
  exec.note(in, out, footprint::local_laplacian);
}
}  // namespace trace

}  // namespace cuda_filters
