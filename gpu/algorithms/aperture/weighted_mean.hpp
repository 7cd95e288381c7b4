// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/aperture/aperture.hpp"
#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

/// The mean of the neighbors of each pixel of `area` by any weights.
void weighted_mean(const RowReader& in, Rect area, const aperture::Weights& weights,
                   const RowWriter& out);

}  // namespace cuda_filters::cpu
