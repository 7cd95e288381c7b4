// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint rank_filter(const rank::Window& window, const rank::Percentiles& percentiles,
                             Border border) {
  const int radius = window.radius;
  const bool network =
      rank::is_small_median(window.shape, radius, percentiles) && border != Border::transparent;
  return {{radius, radius}, network ? 2.0 + 1.1 * radius * radius : 100.0 + 8.0 * radius};
}
}  // namespace footprint

namespace cpu {
/// The sample of a rank among those in a window around it, each channel by itself: rank.hpp. With
/// Border::transparent, samples outside of the image take no part.
void rank_filter(Exec&, const Input& in, const Output& out, const rank::Window& window,
                 const rank::Percentiles& percentiles, Border border);
}  // namespace cpu

namespace cuda {
void rank_filter(Exec&, const Input& in, const Output& out, const rank::Window& window,
                 const rank::Percentiles& percentiles, Border border);
}  // namespace cuda

namespace trace {
inline void rank_filter(Exec& exec, Input in, Output out, const rank::Window& window,
                        const rank::Percentiles& percentiles, Border border) {
  exec.note(in, out, footprint::rank_filter(window, percentiles, border));
}
}  // namespace trace

}  // namespace cuda_filters
