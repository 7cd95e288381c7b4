// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

/// Gaussian blur of `area` of what a reader gives out, beyond the ends of its image, too.
void blur_rows(const RowReader& in, Rect area, double sigma_x, double sigma_y,
               const RowWriter& out);

}  // namespace cuda_filters::cpu
