// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>

#include "gpu/algorithms/separable/covering.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// Another sum of neighbors: of `area` of an image, into `out`.
using SumArea = std::function<void(const RowReader& in, Rect area, const RowWriter& out)>;

/// Sums, for every pixel of `area`, along the axes that have weights, and along the others by
/// `sum`, which looks at `halo_x` columns to either side.
void with_covering(const RowReader& in, Rect area, int halo_x, const covering::Axis& across,
                   const covering::Axis& down, const RowWriter& out, const SumArea& sum);

}  // namespace cuda_filters::cpu
