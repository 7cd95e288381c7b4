// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/filter.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/fused_pointwise.hpp"

namespace cuda_filters {

PointwiseStep FilterEntry::pointwise_step(const void*) const { return {}; }

std::vector<Job> FilterEntry::steps(const void*) const { return {}; }

Job make_job(const FilterEntry& filter, std::span<const Value> values, std::optional<Aux> aux) {
  validate(filter.params, values);
  if (aux && !filter.takes_aux())
    throw ArgumentError{format_text(tr(N_("The filter '%s' looks at no second picture. Leave "
                                          "'aux' out.")),
                                    filter.info.name)};
  auto params = filter.make_params();
  for (std::size_t i = 0; i < values.size(); ++i) filter.params[i].store(params.get(), values[i]);
  filter.prepare(params.get());
  filter.check(params.get());
  const Plan plan = filter.plan(params.get(), aux.has_value());
  std::vector<Job> steps = filter.steps(params.get());
  return {&filter, std::move(params), plan, std::move(steps), std::move(aux)};
}

Values values_of(const Job& job) {
  Values values;
  for (const Param& param : job.filter->params) values.push_back(param.load(job.params.get()));
  return values;
}

bool needs_all(const Job& job) {
  return job.plan.analysis != AnalysisScope::none || std::ranges::any_of(job.steps, needs_all);
}

ResolvedJob resolved(Job job, Size in) {
  const Size output = job.filter->resolve_size(job.params.get(), in, job.plan);
  return {std::move(job), output};
}

std::optional<Job> next_job(const Job& job) {
  const char* name = job.filter->next(job.params.get());
  if (name == nullptr) return std::nullopt;
  const FilterEntry* filter = find_filter(name);
  if (filter == nullptr) throw ArgumentError{format_text(tr(N_("There is no filter '%s'.")), name)};
  return make_job(*filter, initial_values(*filter));
}

Encoding result_encoding(const Job& job, Encoding in) {
  if (job.filter->creates_image()) in.format.color = true, in.format.alpha = false;
  return in;
}

const FilterEntry* find_filter(std::string_view name) {
  const auto all = filters();
  const auto found = std::ranges::find(all, name, [](const FilterEntry& f) { return f.info.name; });
  return found == all.end() ? nullptr : &found->get();
}

Values initial_values(const FilterEntry& filter) {
  Values values;
  for (const Param& param : filter.params) values.push_back(initial_value(param));
  return values;
}

bool applies(const FilterEntry& filter, std::size_t index, std::span<const Value> values,
             bool has_alpha) {
  return hold(filter.params[index].applies_if, filter.params, values, has_alpha);
}

}  // namespace cuda_filters
