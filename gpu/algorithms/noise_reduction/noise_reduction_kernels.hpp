// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loop of reduce_noise(), compiled for each level as Kernels are. It takes one row of
/// several tiles side by side, a tile a lane of a vector: floats [column][channel][tile].
struct NoiseReductionKernels {
  int tiles;  ///< side by side, as many as a vector has lanes
  /// Smooths the pixels 1 … ends[tile] - 1 of the row `here` in place, from the left to the right;
  /// `columns` is the largest of `ends`.
  void (*smooth)(int channels, const float* above, float* here, const float* below, int columns,
                 const int* ends);
};

}  // namespace cuda_filters::cpu
