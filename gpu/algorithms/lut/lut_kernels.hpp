// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/lut/lut.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loop of apply_lut(), compiled for each level as Kernels are, with the same slack.
struct LutKernels {
  /// Changes `count` pixels in place, as lut::changed() does.
  void (*apply)(const lut::LutSettings& settings, const Pixel* curves, const Pixel* cube, int count,
                float* pixels);
};

}  // namespace cuda_filters::cpu
