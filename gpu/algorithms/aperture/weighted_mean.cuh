// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {

/// The mean of the neighbors of each pixel by weights from 0 to 1, of pictures that are stored
/// alike. Those of 1 side by side take little time.
void weighted_mean(Exec&, const Input& in, const Output& out, const Matrix& weights);

}  // namespace cuda_filters::cuda
