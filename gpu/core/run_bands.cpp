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
    if (drop_cached_device_images()) return true;
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

/// The parts of a GPU's memory that hold the pixels of a source, and those of a result, from one
/// run to the next.
class ImagesOnGpu {
 public:
  /// Where one GPU holds the whole image, it need not be read again while it stays the same, nor
  /// need the result if it is the source of the next run.
  ImagesOnGpu(const Backend& backend, const BandedRun& run, const Encoding& encoding,
              const BandPlan& plan, const WrittenRows& written)
      : gpu_{backend.gpu()}, size_{run.source.size()}, format_{encoding.format} {
    if (gpu_ < 0 || !caches_device_images()) return;
    // Of what is only a part, or goes on from where memory ran out, there would be no whole copy.
    const bool whole =
        run.region == Rect{0, 0, size_.width, size_.height} && written.end == run.region.y;
    keeps_result_ = whole && can_keep_result(backend, run, encoding);
    version_ = run.source.version();
    if (version_ != nullptr) cached_ = cached_device_image(gpu_, size_, format_, *version_);
    const bool can_keep = version_ != nullptr && cached_ == nullptr &&
                          plan.columns.size() == size_.width && fits(backend, format_);
    keeps_store_ = can_keep && plan.slots >= size_.height;
    keeps_source_ = can_keep && !keeps_store_ && whole;
  }

  /// Where the pixels are, or null.
  const PixelView* view() const { return cached_ != nullptr ? &cached_->view : nullptr; }
  /// Whether the device is to put together a copy of the source, of which the store has a part.
  bool keeps_source() const { return keeps_source_; }
  bool keeps_result() const { return keeps_result_; }

  /// After a run: keeps the source, which may be the store that has become it, and the result.
  void keep(Backend& backend, const Pipeline& pipeline, Sink* sink) {
    // As many as a stack of effects looks at, but GIMP's memory holds what each is a copy of.
    const std::size_t limit = 2 * backend.budget();
    if (keeps_source_ || (keeps_store_ && pipeline.stores_image()))
      cache_device_image(gpu_, size_, format_, version_, backend.take_rows(), limit);
    if (!keeps_result_) return;
    if (const auto version = sink->version(); version != nullptr)
      cache_device_image(gpu_, size_, pipeline.result_format(), version, backend.take_result(),
                         limit);
  }

 private:
  bool fits(const Backend& backend, Format format) const {
    return static_cast<std::size_t>(size_.width) * size_.height * format.bytes_per_pixel() <=
           backend.budget();
  }
  bool can_keep_result(const Backend& backend, const BandedRun& run,
                       const Encoding& encoding) const {
    if (run.sink == nullptr || !run.sink->may_be_read() || changes_size(run.job) ||
        run.job.filter->creates_image())
      return false;
    return fits(backend, run.sink->encoding_for(result_encoding(run.job, encoding)).format);
  }

  int gpu_;
  Size size_;
  Format format_;
  std::shared_ptr<const Version> version_;
  std::shared_ptr<const CachedDeviceImage> cached_;
  bool keeps_store_ = false, keeps_source_ = false, keeps_result_ = false;
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
std::shared_ptr<void> attempt(Backend& backend, const PlannedRun& planned, ImagesOnGpu& images,
                              const Progress& progress, WrittenRows& written, Report& report) {
  Pipeline pipeline{backend, planned, progress, report};
  pipeline.run(written);
  images.keep(backend, pipeline, planned.sink);
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
    ImagesOnGpu images{backend, run, encoding, plan, written};
    const PixelView* const view = images.view() != nullptr ? images.view() : source.view();
    const PlannedRun planned{.job = job,
                             .encoding = encoding,
                             .source = source,
                             .source_view = view,
                             .sink = run.sink,
                             .region = region,
                             .area = area,
                             .plan = plan,
                             .aux = aux,
                             .keeps_source = images.keeps_source(),
                             .keeps_result = images.keeps_result()};
    try {
      return attempt(backend, planned, images, run.progress, written, report);
    } catch (const DeviceError&) {
      drop_cached_device_images();
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
