// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/canny/canny.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint canny_edges(const canny::CannySettings& settings) {
  const int halo = settings.radius() + canny::reach;
  return {{halo, halo}, 15.0};
}
}  // namespace footprint

namespace cpu {
/// Canny's edges, 1 on 0: canny.hpp. The band must be as wide as the image; `links` says which
/// components are joined to others beyond its ends.
void canny_edges(Exec&, const Input& in, const Output& out, const canny::CannySettings& settings,
                 const canny::BandLinks& links);
/// Adds a band to `links`.
void analyze_edges(Exec&, const Input& in, Rect area, const canny::CannySettings& settings,
                   canny::BandLinks& links);
}  // namespace cpu

namespace cuda {
void canny_edges(Exec&, const Input& in, const Output& out, const canny::CannySettings& settings,
                 const canny::BandLinks& links);
void analyze_edges(Exec&, const Input& in, Rect area, const canny::CannySettings& settings,
                   canny::BandLinks& links);
}  // namespace cuda

namespace trace {
inline void canny_edges(Exec& exec, Input in, Output out, const canny::CannySettings& settings,
                        const canny::BandLinks&) {
  exec.note(in, out, footprint::canny_edges(settings));
}
inline void analyze_edges(Exec& exec, Input in, Rect, const canny::CannySettings& settings,
                          canny::BandLinks&) {
  exec.note_analysis(in, {.halo = footprint::canny_edges(settings).halo, .cost = 0.0});
}
}  // namespace trace

}  // namespace cuda_filters
