// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/engine.hpp"

#include <utility>

#include "gpu/core/device_image_cache.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/estimate.hpp"
#include "gpu/core/fallback.hpp"
#include "gpu/core/required_input.hpp"
#include "gpu/core/run_bands.hpp"
#include "gpu/core/run_chain.hpp"
#include "gpu/core/run_on.hpp"

namespace cuda_filters {

Backends backends(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second) {
  Backends devices;
  devices.push_back(std::move(first));
  if (second != nullptr) devices.push_back(std::move(second));
  return devices;
}

Report run_on(Backends devices, const ResolvedJob& job, Source& source, Sink& sink, Rect region,
              Observer& observer) {
  if (job.filter->creates_image()) region = {0, 0, source.width(), source.height()};
  if (region.empty()) return {};
  const Progress progress = progress_of(observer);
  WrittenRows written{region.y};
  return with_fallback(devices, observer, [&](Backend& on, Report& report) {
    if (!job.steps.empty() && !job.plan.identity)
      run_chain(on, job, source, sink, region, progress, report);
    else
      run_bands(on, {job, source, &sink, region, progress}, written, report);
  });
}

namespace {

/// Whether a run over `region` takes what the estimate says for so many pixels: neither more of the
/// image is looked at first, nor is the result another one.
bool is_as_estimated(const Job& job, Source& source, Rect region, const DeviceChoice& device) {
  const Size size = source.size();
  return !job.plan.identity && !changes_size(job) && !job.filter->creates_image() &&
         device.others.empty() && !job.filter->needs_selection() &&
         banded_area(job, size, region, source.analyzed_area(region)) == region;
}

}  // namespace

Report run(const ResolvedJob& job, Source& source, Sink& sink, Rect region,
           const DeviceChoice& device, Observer& observer) {
  const bool started = gpu_has_started();
  auto [devices, problem] = chosen_backends(device, job, observer);
  Report report = run_on(std::move(devices), job, source, sink, region, observer);
  if (!problem.empty()) report.fallback = problem;
  if (report.fallback.empty() && is_as_estimated(job, source, region, device))
    learn_from({.filter = job.filter->info.name,
                .cost = job.plan.cost,
                .pixels = region.size().pixels(),
                .threads = cpu_threads(),
                .gpu = report.on_gpu ? device.gpu : -1,
                .started = started,
                .device = report.device,
                .times = report.times});
  return report;
}

void release_idle_memory() {
  drop_cached_device_images();
  release_freed_memory();
}

}  // namespace cuda_filters
