// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/core/fused_pointwise.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// Takes every pixel through all steps, a row at a time.
template <class Kinds>
void apply_fused_pointwise(Exec& exec, const FusedPointwise& fused, const Input& in,
                           const Output& out) {
  const bool by_sample = std::ranges::all_of(fused.steps, &PointwiseStep::of_colors);
  exec.map_rows(in, out, by_sample, [&](Pixel* pixels, int count) {
    for (const PointwiseStep& step : fused.steps) {
      if (step.kind == PointwiseStep::transfer)
        kernels().transfer(step.as<TransferTerms>(), count, reinterpret_cast<float*>(pixels));
      else
        Kinds::visit(step, [&](const auto& f) {
          for (int i = 0; i < count; ++i) pixels[i] = f(pixels[i]);
        });
    }
  });
}

}  // namespace cuda_filters::cpu
