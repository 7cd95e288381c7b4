// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/measure.hpp"

#include <memory>
#include <utility>

#include "gpu/core/fallback.hpp"
#include "gpu/core/run_bands.hpp"

namespace cuda_filters {

std::shared_ptr<void> analyze_on(Backends& devices, const Job& analysis, Source& source,
                                 Rect region, Observer& observer) {
  const ResolvedJob job = resolved(analysis, source.size());
  const Progress progress = progress_of(observer);
  std::shared_ptr<void> state = job.filter->make_state();
  WrittenRows written{region.y};
  with_fallback(devices, observer, [&](Backend& on, Report& report) {
    if (!region.empty())
      state = run_bands(on, {job, source, nullptr, region, progress}, written, report);
  });
  return state;
}

Measured measure_on(Backends devices, Source& source, Rect region, Observer& observer) {
  const Job job = make_job(measure_entry(), {});
  const std::shared_ptr<void> state = analyze_on(devices, job, source, region, observer);
  return measured(*static_cast<const Measuring*>(state.get()),
                  source.encoding(job.plan.trc).format);
}

Measured measure(Source& source, Rect region, const DeviceChoice& device, Observer& observer) {
  return measure_on(chosen_backends(device, make_job(measure_entry(), {}), observer).devices,
                    source, region, observer);
}

}  // namespace cuda_filters
