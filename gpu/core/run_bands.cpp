// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_bands.hpp"

#include <limits>
#include <new>

#include "gpu/core/band_plan.hpp"
#include "gpu/core/copy_backend.hpp"
#include "gpu/core/kept.hpp"
#include "gpu/core/pipeline.hpp"
#include "gpu/core/required_input.hpp"

namespace cuda_filters {

std::shared_ptr<void> run_bands(Backend& backend, const Job& given, Source& source, Sink* sink,
                                Rect region, const Progress& progress, int& done, Report& report) {
  const Size size{source.width(), source.height()};
  const Job job = given.plan.output == Size{} ? fitted(given, size) : given;
  const bool makes = job.filter->made != nullptr;
  std::shared_ptr<void> state = job.filter->make_state();
  const Encoding encoding = source.encoding(job.plan.light);
  const bool in_place =
      source.resident() != nullptr && sink != nullptr && sink->resident() != nullptr;
  int most_rows = std::numeric_limits<int>::max();
  int failed_at = -1;  // where memory last ran out
  // Whether to try again, with more room or less to do.
  const auto makes_room = [&](const BandPlan& plan, std::size_t budget) {
    if (drop_kept_image()) return true;
    if (backend.budget() < budget) return true;  // now the device knows how much is free
    if (failed_at == done || plan.rows == 1) return false;
    failed_at = done;
    most_rows = plan.rows / 2;
    return true;
  };
  while (done < region.bottom()) {
    if (makes) region = {0, 0, size.width, size.height};  // until it is known
    // There is nothing to read while it becomes ready.
    if (in_place && backend.is_gpu()) (void)backend.device();
    const std::size_t budget = backend.budget();
    CopyBackend copy{backend};
    Backend& worker = job.plan.identity ? static_cast<Backend&>(copy) : backend;
    const BandPlan plan{
        job,    encoding, size,     banded_area(job, size, region, source.surveyed(region)),
        worker, in_place, most_rows};
    // Where one GPU holds the whole image, it need not be read again while it stays the same.
    const bool whole = plan.slots >= size.height && plan.columns.size() == size.width;
    const auto version = whole && worker.gpu() >= 0 ? source.version() : nullptr;
    const auto kept =
        version != nullptr ? kept_image(worker.gpu(), size, encoding.format, *version) : nullptr;
    const Resident* const there = kept != nullptr ? &kept->resident : source.resident();
    try {
      Pipeline pipeline{worker, job, encoding, source, there, sink, region, progress, plan};
      pipeline.run(done, report);
      state = pipeline.state();
      if (version != nullptr && kept == nullptr && pipeline.stores_image())
        keep_image(worker.gpu(), size, encoding.format, version, worker.take_store());
    } catch (const DeviceError&) {
      drop_kept_image();
      throw;
    } catch (const DeviceMemoryError&) {
      if (!makes_room(plan, budget)) throw;
    } catch (const std::bad_alloc&) {
      if (!makes_room(plan, budget)) throw;
    }
  }
  return state;
}

void run_pass(Backend& backend, const Job& job, Source& source, Sink& sink, Rect region,
              const Progress& progress, Report& report) {
  int done = region.y;
  run_bands(backend, job, source, &sink, region, progress, done, report);
}

}  // namespace cuda_filters
