// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/required_input.hpp"

#include <algorithm>

#include "gpu/core/band.hpp"

namespace cuda_filters {

bool changes_size(const Job& job) {
  return job.filter->input_rows != nullptr && !job.plan.identity;
}

Rect padded_input(const Job& job, Size image, Rect out) {
  if (!changes_size(job)) return out.grown(job.plan.halo_x, job.plan.halo_y);
  const IndexRange rows =
      job.filter->input_rows(job.params.get(), image, job.plan.output, {out.y, out.bottom()});
  return {0, rows.begin, image.width, rows.size()};
}

Rect banded_area(const Job& job, Size image, Rect region, Rect analyzed_area) {
  const bool by_step = std::ranges::any_of(job.steps, needs_all);
  if (by_step || job.plan.analysis == AnalysisScope::image ||
      job.plan.analysis == AnalysisScope::scan)
    return {0, 0, image.width, image.height};
  return job.plan.analysis == AnalysisScope::region ? united(region, analyzed_area) : region;
}

Rect required_input(const Job& job, Size image, Rect region, Rect analyzed_area) {
  const Rect padded = padded_input(job, image, banded_area(job, image, region, analyzed_area));
  const Border border = job.plan.border;
  const IndexRange columns = needed_indices({padded.x, padded.right()}, image.width, border);
  const IndexRange rows = needed_indices({padded.y, padded.bottom()}, image.height, border);
  return {columns.begin, rows.begin, columns.size(), rows.size()};
}

Rect affected_output(const Job& job, Size image, Rect changed) {
  const Rect whole{0, 0, image.width, image.height};
  const Rect area = changed.grown(job.plan.halo_x, job.plan.halo_y);
  const bool comes_round = job.plan.border == Border::wrap && intersected(area, whole) != area;
  return needs_all(job) || comes_round ? whole : area;
}

}  // namespace cuda_filters
