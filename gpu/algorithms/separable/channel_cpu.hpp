// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/separable/covering_cpu.hpp"

namespace cuda_filters::cpu {

/// Sums along the rows of a channel, and then along its columns, which look at `halo_y` rows above
/// and below, by what sums pixels: each sees four pixels of the channel as one. Along the rows
/// these are below each other, along the columns side by side.
void sum_channel(Exec&, const Channel& in, const Channel& out, int halo_y,
                 const SumArea& along_rows, const SumArea& along_columns);

}  // namespace cuda_filters::cpu
