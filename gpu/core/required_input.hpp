// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// Whether the result of a job has another size than its input.
bool changes_size(const Job& job);

/// The part of the padded image that the part `out` of the result is computed from.
Rect needed_input(const Job& job, Size image, Rect out);

/// What the bands are cut from.
Rect banded_area(const Job& job, Source& source, Rect region);

}  // namespace cuda_filters
