// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/curvature/curvature_kernels.hpp"
#include "gpu/algorithms/curvature/mean_curvature.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

void apply_stencil(Exec&, const Input& in, const Output& out, const MeanCurvature&) {
  constexpr int strip = 32;
  for_tiles(out.area(), out.area().width, strip, [&](Rect area) {
    thread_local RowBuffer buffers[3], result;
    result.resize(area.width);
    const auto row = [&](int y) {
      const Pixel* pixels = in.row(area.x - 1, y, area.width + 2, buffers[(y - area.y + 3) % 3]);
      return reinterpret_cast<const float*>(pixels);
    };
    const float* rows[3] = {nullptr, row(area.y - 1), row(area.y)};
    for (int y = area.y; y < area.bottom(); ++y) {
      rows[0] = rows[1], rows[1] = rows[2], rows[2] = row(y + 1);
      curvature_kernels().step(rows, area.width, result.floats());
      out.store(area.x, y, area.width, result.floats());
    }
  });
}

}  // namespace cuda_filters::cpu
