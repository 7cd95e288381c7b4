// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/motion/polar.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {

/// The means of the paths of those pixels of `out` that the grid has, of rings whose lines `in` has
/// as far as these paths go.
void sum_lines(Exec& exec, Plane in, Plane out, const motion::PolarRings& polar);

}  // namespace cuda_filters::cuda
