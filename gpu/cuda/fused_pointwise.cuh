// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/core/fused_pointwise.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {

/// The steps of one kernel.
struct FusedSteps {
  static constexpr int max_steps = 16;
  int count;
  PointwiseStep steps[max_steps];
};

/// The function of a pixel that all steps make.
template <class Kinds>
struct PixelChain {
  FusedSteps list;
  __device__ Pixel operator()(Pixel p) const {
    Pixel pixels[1] = {p};
    change(pixels);
    return pixels[0];
  }
  /// Several pixels at a time, for which a step is looked up once.
  template <int count>
  __device__ void change(Pixel (&pixels)[count]) const {
    for (int i = 0; i < list.count; ++i) {
      const PointwiseStep& step = list.steps[i];
      const auto change_all = [&](auto f) {
#pragma unroll
        for (Pixel& p : pixels) p = f(p);
      };
      if (step.kind == PointwiseStep::transfer) {
        const TransferTerms terms = step.as<TransferTerms>();
        change_all([&](Pixel p) { return transferred(p, terms); });
      } else {
        Kinds::visit(step, [&](const auto& f) { change_all(f); });
      }
    }
  }
};

/// The same of steps that take each of the colors by itself.
template <class Kinds>
struct ColorChain : PixelChain<Kinds> {
  __device__ float color(float value, int c) const {
    for (int i = 0; i < this->list.count; ++i) {
      const PointwiseStep& step = this->list.steps[i];
      if (step.kind == PointwiseStep::transfer)
        value = transferred(value, step.as<TransferTerms>());
      else
        Kinds::visit(step, [&](const auto& f) {
          if constexpr (ColorFunction<std::remove_cvref_t<decltype(f)>>) value = f.color(value, c);
        });
    }
    return value;
  }
};

/// Takes every pixel through all steps. Input and output may differ in their number type.
template <class Kinds>
void apply_fused_pointwise(Exec& exec, const FusedPointwise& fused, const Input& in,
                           const Output& out) {
  PixelChain<Kinds> chain{};
  if (fused.steps.size() > FusedSteps::max_steps)
    throw Error{tr(N_("Internal error: too many steps for one pass."))};
  chain.list.count = static_cast<int>(fused.steps.size());
  std::ranges::copy(fused.steps, chain.list.steps);
  if (in.format != out.format)
    exec.convert(in, out, chain);
  else if (std::ranges::all_of(fused.steps, &PointwiseStep::of_colors) &&
           is_rgba(in.format, SampleType::u8))
    exec.map(in, out, ColorChain<Kinds>{chain});
  else
    exec.map(in, out, chain);
}

}  // namespace cuda_filters::cuda
