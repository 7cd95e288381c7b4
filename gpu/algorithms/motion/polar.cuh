// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/motion/polar.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {

/// Stores the mean of the path of each pixel of `out` that the grid has, and leaves the others.
/// `in` covers what these paths touch: Paths::bounds().
void sum_lines(Exec& exec, Plane in, Plane out, const motion::PolarRings& polar);

}  // namespace cuda_filters::cuda
