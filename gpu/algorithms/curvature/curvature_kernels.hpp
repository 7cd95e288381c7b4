// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loop of a step of mean curvature motion, compiled for each level as Kernels are, with
/// the same slack.
struct CurvatureKernels {
  /// The step of `count` pixels, with four floats each. The rows, of which that of the pixels
  /// themselves is the middle one, begin a pixel further to the left.
  void (*step)(const float* const (&rows)[3], int count, float* to);
};

}  // namespace cuda_filters::cpu
