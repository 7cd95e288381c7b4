// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/filter.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// What a job reads for its result. Other code asks here instead of looking at halos and borders.

/// Whether the result of a job has another size than its input.
bool changes_size(const Job& job);

/// The part of the padded image that the part `out` of the result is computed from: it reaches over
/// the ends of the image, where the border rule says what lies there.
Rect padded_input(const ResolvedJob& job, Size image, Rect out);

/// The part of the second picture, which the job must have, that the part `out` of the result is
/// computed from, in pixels of that picture; it may reach over its ends.
Rect padded_aux(const Job& job, Rect out);

/// The part of the second picture, of that size, that a run on `region` of the result reads. It is
/// empty where none of it is needed.
Rect required_aux(const Job& job, Size aux, Rect region);

/// What a run on `region` goes through in bands: more than the region where the job gathers
/// statistics, of the whole image or of `analyzed_area`.
Rect banded_area(const Job& job, Size image, Rect region, Rect analyzed_area);

/// The part of the image that a run on `region` of the result reads, with what the border rule
/// takes from elsewhere and, if the job gathers statistics, what these are of.
Rect required_input(const ResolvedJob& job, Size image, Rect region, Rect analyzed_area);

/// The part of the result that may look different when the part `changed` of the input does. It may
/// reach over the ends of the image.
Rect affected_output(const Job& job, Size image, Rect changed);

/// The same for a part `changed` of the second picture, in pixels of the image.
Rect affected_by_aux(const Job& job, Size image, Rect changed);

}  // namespace cuda_filters
