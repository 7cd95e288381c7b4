// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/required_input.hpp"

namespace cuda_filters {

bool changes_size(const Job& job) {
  return job.filter->input_rows != nullptr && !job.plan.identity;
}

/// The part of the padded image that the part `out` of the result is computed from.
Rect needed_input(const Job& job, Size image, Rect out) {
  if (!changes_size(job)) return out.grown(job.plan.halo_x, job.plan.halo_y);
  const IndexRange rows =
      job.filter->input_rows(job.params.get(), image, job.plan.output, {out.y, out.bottom()});
  return {0, rows.begin, image.width, rows.size()};
}

Rect banded_area(const Job& job, Source& source, Rect region) {
  if (job.plan.survey == Survey::image || job.plan.survey == Survey::scan)
    return {0, 0, source.width(), source.height()};
  return job.plan.survey == Survey::region ? united(region, source.surveyed(region)) : region;
}

}  // namespace cuda_filters
