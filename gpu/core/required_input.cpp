// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/required_input.hpp"

#include <algorithm>

#include "gpu/core/band.hpp"

namespace cuda_filters {

bool changes_size(const Job& job) { return job.filter->changes_size() && !job.plan.identity; }

Rect padded_input(const ResolvedJob& job, Size image, Rect out) {
  if (!changes_size(job)) return out.grown(job.plan.halo_x, job.plan.halo_y);
  const IndexRange rows =
      job.filter->input_rows(job.params.get(), image, job.output, {out.y, out.bottom()});
  return {0, rows.begin, image.width, rows.size()};
}

Rect padded_aux(const Job& job, Rect out) {
  const Rect padded = out.grown(job.plan.aux_halo);
  return {padded.x - job.aux->x, padded.y - job.aux->y, padded.width, padded.height};
}

namespace {

/// The part of an image that the part `padded` of it and of what lies beyond its ends needs.
Rect needed_part(Rect padded, Size image, Border border) {
  const IndexRange columns = needed_indices(padded.columns(), image.width, border);
  const IndexRange rows = needed_indices(padded.rows(), image.height, border);
  return {columns.begin, rows.begin, columns.size(), rows.size()};
}

}  // namespace

Rect required_aux(const Job& job, Size aux, Rect region) {
  const Rect needed = needed_part(padded_aux(job, region), aux, job.plan.border);
  return needed.empty() ? Rect{} : needed;
}

Rect banded_area(const Job& job, Size image, Rect region, Rect analyzed_area) {
  const bool by_step = std::ranges::any_of(job.steps, needs_all);
  if (by_step || job.plan.analysis == AnalysisScope::image ||
      job.plan.analysis == AnalysisScope::scan)
    return {0, 0, image.width, image.height};
  if (job.plan.analysis == AnalysisScope::surroundings)
    return intersected(united(region, analyzed_area).grown(job.plan.surroundings),
                       {0, 0, image.width, image.height});
  return job.plan.analysis == AnalysisScope::region ? united(region, analyzed_area) : region;
}

Rect required_input(const ResolvedJob& job, Size image, Rect region, Rect analyzed_area) {
  const Rect padded = padded_input(job, image, banded_area(job, image, region, analyzed_area));
  return needed_part(padded, image, job.plan.border);
}

namespace {

/// What looks different when what surrounds `changed` as far as `halo` does.
Rect affected(const Job& job, Size image, Rect changed, Halo halo) {
  const Rect whole{0, 0, image.width, image.height}, area = changed.grown(halo);
  const bool comes_round = job.plan.border == Border::wrap && intersected(area, whole) != area;
  return needs_all(job) || comes_round ? whole : area;
}

}  // namespace

Rect affected_output(const Job& job, Size image, Rect changed) {
  return affected(job, image, changed, {job.plan.halo_x, job.plan.halo_y});
}

Rect affected_by_aux(const Job& job, Size image, Rect changed) {
  // What lies beyond its ends may be any of its pixels again.
  return job.plan.border == Border::transparent ? affected(job, image, changed, job.plan.aux_halo)
                                                : Rect{0, 0, image.width, image.height};
}

}  // namespace cuda_filters
