// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_bands.hpp"

#include <limits>
#include <new>
#include <optional>

#include "gpu/core/band_plan.hpp"
#include "gpu/core/copy_backend.hpp"
#include "gpu/core/device_image_cache.hpp"
#include "gpu/core/i18n.hpp"
#include "gpu/core/required_input.hpp"

namespace cuda_filters {
namespace {

/// How high bands may be after memory ran out.
class BandLimit {
 public:
  int max_rows() const { return max_rows_; }

  /// Whether to try again from row `row` on, with more room or less to do, after bands of `rows`
  /// rows did not fit. `budget`: what the device offered then.
  bool try_again(const Backend& backend, std::size_t budget, int rows, int row) {
    if (drop_cached_device_image()) return true;
    if (backend.budget() < budget) return true;  // now the device knows how much is free
    if (failed_at_ == row || rows == 1) return false;
    failed_at_ = row;
    max_rows_ = rows / 2;
    return true;
  }

 private:
  int max_rows_ = std::numeric_limits<int>::max();
  std::optional<int> failed_at_;  ///< the row at which memory last ran out
};

/// The part of a GPU's memory that holds the pixels of a source from one run to the next.
class ImageOnGpu {
 public:
  /// Where one GPU holds the whole image, it need not be read again while it stays the same.
  ImageOnGpu(const Backend& backend, Source& source, const Format& format, const BandPlan& plan)
      : gpu_{backend.gpu()}, size_{source.size()}, format_{format} {
    const bool whole = plan.slots >= size_.height && plan.columns.size() == size_.width;
    if (!whole || gpu_ < 0) return;
    version_ = source.version();
    if (version_ != nullptr) cached_ = cached_device_image(gpu_, size_, format_, *version_);
  }

  /// Where the pixels are, or null.
  const PixelView* view() const { return cached_ != nullptr ? &cached_->view : nullptr; }

  /// After a run: keeps the store that has become the whole image.
  void keep(Backend& backend, const Pipeline& pipeline) {
    if (version_ != nullptr && cached_ == nullptr && pipeline.stores_image())
      cache_device_image(gpu_, size_, format_, version_, backend.take_rows());
  }

 private:
  int gpu_;
  Size size_;
  Format format_;
  std::shared_ptr<const Version> version_;
  std::shared_ptr<const CachedDeviceImage> cached_;
};

/// How a job's second picture is read, if it looks at one. Throws Error if only its name is known.
std::optional<Encoding> aux_encoding(const Job& job) {
  if (!job.aux || job.plan.identity) return std::nullopt;
  if (job.aux->source == nullptr)
    throw Error{format_text(tr(N_("The layer '%s' cannot be found here. Call the procedure on a "
                                  "layer of the same image.")),
                            job.aux->layer.c_str())};
  return job.aux->source->encoding(job.plan.trc);
}

/// One attempt, with bands of that plan.
std::shared_ptr<void> attempt(Backend& backend, const PlannedRun& planned, ImageOnGpu& image,
                              const Progress& progress, WrittenRows& written, Report& report) {
  Pipeline pipeline{backend, planned, progress, report};
  pipeline.run(written);
  image.keep(backend, pipeline);
  return pipeline.state();
}

}  // namespace

std::shared_ptr<void> run_bands(Backend& device, const BandedRun& run, WrittenRows& written,
                                Report& report) {
  Source& source = run.source;
  const Size size = source.size();
  const ResolvedJob& job = run.job;
  const bool creates_image = job.filter->creates_image();
  const Rect region = creates_image ? Rect{0, 0, size.width, size.height} : run.region;
  const Rect area = banded_area(job, size, region, source.analyzed_area(region));
  const Encoding encoding = source.encoding(job.plan.trc);
  const std::optional<Encoding> aux = aux_encoding(job);
  const BandNeeds needs = band_needs(job, encoding, size, area, aux);
  const bool in_place =
      source.view() != nullptr && run.sink != nullptr && run.sink->view() != nullptr;
  CopyBackend copy{device};
  Backend& backend = job.plan.identity ? static_cast<Backend&>(copy) : device;
  for (BandLimit limit;;) {
    // Pixels in memory need no reading meanwhile, so wait until the device is ready.
    if (in_place) device.wait_until_ready();
    const BandDevice budgeted = band_device(backend, in_place);
    const BandPlan plan = plan_bands(needs, budgeted, limit.max_rows());
    const auto try_again = [&] {
      return limit.try_again(device, budgeted.budget, plan.rows, written.end);
    };
    ImageOnGpu image{backend, source, encoding.format, plan};
    const PixelView* const view = image.view() != nullptr ? image.view() : source.view();
    const PlannedRun planned{job, encoding, source, view, run.sink, region, area, plan, aux};
    try {
      return attempt(backend, planned, image, run.progress, written, report);
    } catch (const DeviceError&) {
      drop_cached_device_image();
      throw;
    } catch (const DeviceMemoryError&) {
      if (!try_again()) throw;
    } catch (const std::bad_alloc&) {
      if (!try_again()) throw;
    }
  }
}

void run_pass(Backend& backend, const ResolvedJob& job, Source& source, Sink& sink, Rect region,
              const Progress& progress, Report& report) {
  WrittenRows written{region.y};
  run_bands(backend, {job, source, &sink, region, progress}, written, report);
}

}  // namespace cuda_filters
