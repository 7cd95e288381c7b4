// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loops of deconvolve() without damping; compiled for each level as Kernels are. What is
/// written overlaps nothing else that is read.
struct DeconvolutionKernels {
  /// to = deconvolution::Update::plain_quotient() of each number.
  void (*quotients)(const float* picture, const float* model, std::size_t count, float* to);
  /// to = Update::product() of each number, with `least` as least_light; `light` and `to` may be
  /// the same.
  void (*products)(const float* light, const float* correction, float least, std::size_t count,
                   float* to);
};

}  // namespace cuda_filters::cpu
