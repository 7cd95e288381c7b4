// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/measure.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gpu/core/fallback.hpp"
#include "gpu/core/run_bands.hpp"

namespace cuda_filters {

Measured measured(const Measuring& found, const Format& format) {
  Measured measured;
  const auto& channels = found.statistics.here.channels;
  for (int i = 0; i < format.channels(); ++i) {
    const int c = i < format.colors() ? i : 3;
    ChannelMeasures measures;
    if (const ChannelStatistics& of = channels[c]; of.count > 0) {
      const double n = static_cast<double>(of.count), mean = of.mean();
      const Quantile& median = found.medians.here.lists[c];
      measures = {.min = of.min,
                  .max = of.max,
                  .mean = mean,
                  .standard_deviation =
                      of.varies() ? std::sqrt(std::max(0.0, of.squares / n - mean * mean)) : 0.0,
                  .median = (double{median.low} + median.high) / 2.0};
    }
    measured.channels.push_back(measures);
  }
  measured.count = channels[3].count;
  return measured;
}

Measured measure_on(Backends devices, Source& source, Rect region, Observer& observer) {
  const Job job = make_job(measure_entry(), {});
  const Progress progress = progress_of(observer);
  std::shared_ptr<void> state = job.filter->make_state();
  int done = region.y;
  with_fallback(devices, observer, [&](Backend& on, Report& report) {
    state = run_bands(on, job, source, nullptr, region, progress, done, report);
  });
  return measured(*static_cast<const Measuring*>(state.get()),
                  source.encoding(job.plan.light).format);
}

Measured measure(Source& source, Rect region, const DeviceChoice& device, Observer& observer) {
  return measure_on(chosen_backends(device, observer).devices, source, region, observer);
}

}  // namespace cuda_filters
