// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/points.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// Takes every pixel through all steps, a row at a time.
template <class Kinds>
void apply_points(Exec&, const Points& points, const Input& in, const Output& out) {
  const Rect area = out.area();
  parallel_for(area.height, [&](int row) {
    thread_local RowBuffer buffer;
    buffer.resize(area.width);
    in.load(area.x, area.y + row, area.width, buffer.floats());
    Pixel* const pixels = buffer.pixels();
    for (const PointStep& step : points.steps) {
      if (step.kind == PointStep::transfer)
        kernels().transfer(step.as<TransferTerms>(), area.width, buffer.floats());
      else
        Kinds::visit(step, [&](const auto& f) {
          for (int i = 0; i < area.width; ++i) pixels[i] = f(pixels[i]);
        });
    }
    out.store(area.x, area.y + row, area.width, buffer.floats());
  });
}

}  // namespace cuda_filters::cpu
