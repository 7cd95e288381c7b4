// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/core/band_progress.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cuda/memory.hpp"

namespace cuda_filters::cuda {

/// Calls launch(part) for parts of whole rows of an area, between which a run can be cancelled:
/// about so many rows at once, a multiple of `multiple`. Tells which part of the band is done.
template <class Launch>
void in_parts(cudaStream_t stream, Rect area, double rows_at_once, int multiple, Launch launch) {
  const double wanted = std::clamp(rows_at_once / multiple, 1.0, 1e6);
  const int rows = static_cast<int>(wanted) * multiple;
  PacedLaunches launches{stream, 2};
  for (int y = area.y; y < area.bottom(); y += rows) {
    const bool is_one_of_many = rows < area.height;
    if (is_one_of_many) launches.begin();
    launch(Rect{area.x, y, area.width, std::min(rows, area.bottom() - y)});
    check(cudaGetLastError());
    if (!is_one_of_many) continue;
    launches.end();
    set_band_progress(static_cast<double>(std::min(y + rows, area.bottom()) - area.y) /
                      area.height);
  }
}

}  // namespace cuda_filters::cuda
