// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview_worker.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "gpu/core/device_image_cache.hpp"
#include "gpu/core/required_input.hpp"
#include "plugin/second_picture.hpp"

namespace cuda_filters::plugin {
namespace {

/// A processor that takes longer than this for the exact result shows a coarse one first.
constexpr double coarse_after_seconds = 0.15;
/// What is complete of a result shows so often while it is computed.
constexpr std::chrono::milliseconds shown_each{40};

/// The largest power of two by which a picture that is shown at `scale` may be reduced before.
int reduction(double scale) {
  int factor = 1;
  while (2 * factor * scale <= 1.0) factor *= 2;
  return factor;
}

}  // namespace

/// Asks a run to end when another request has come.
class PreviewWorker::Watch final : public Observer {
 public:
  explicit Watch(const PreviewWorker& worker) : worker_{worker} {}
  bool progress(double) override { return !worker_.is_superseded(); }

 private:
  const PreviewWorker& worker_;
};

/// Takes the result of a region into a raster. Around the region, as far as its pixels are not
/// selected, and in channels that GIMP leaves alone, the picture stays as it is.
class PreviewWorker::Sink final : public cuda_filters::Sink {
 public:
  using Shown = std::function<void(const PreviewRaster&)>;

  /// `original`: the picture, unless nothing of it stays; `source`: what is selected.
  Sink(const PreviewRaster& empty, const Babl* stored, const PreviewPicture* original,
       BufferSource& source, Shown shown)
      : raster_{empty},
        pixels_{stored},
        original_{original},
        source_{source},
        shown_{std::move(shown)} {}

  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override {
    const int first =
        std::max(rows_, area.y);  // a run that goes on after a failure may repeat rows
    if (first >= area.bottom()) return;
    const Rect all = raster_.source();
    std::vector<std::uint8_t> before, mask;
    if (original_ != nullptr) before = original_->shown({all.x, area.y, all.width, area.height});
    if (source_.has_mask()) {
      mask.resize(static_cast<std::size_t>(area.width) * area.height);
      source_.read_mask(area, mask.data());
    }
    raster_.add(first, area.bottom(), [&](int y, std::uint8_t* line) {
      const int row = y - area.y;
      const std::size_t line_bytes = 4 * static_cast<std::size_t>(all.width);
      if (!before.empty()) std::copy_n(&before[line_bytes * row], line_bytes, line);
      std::uint8_t* to = line + 4 * static_cast<std::size_t>(area.x - all.x);
      if (mask.empty()) {
        pixels_.convert(from + stride * row, to, area.width);
      } else {
        std::vector<std::uint8_t> result(4 * static_cast<std::size_t>(area.width));
        pixels_.convert(from + stride * row, result.data(), area.width);
        pixels_.blend(result.data(), &mask[static_cast<std::size_t>(area.width) * row], area.width,
                      to);
      }
      if (!before.empty()) restore_channels(&before[line_bytes * row], line, all.width);
    });
    rows_ = area.bottom();
    show_some();
  }

  /// Takes rows as they are in the picture.
  void keep(int begin, int end) {
    if (begin < end) original_->add_to(raster_, {begin, end});
  }

  const PreviewRaster& raster() const { return raster_; }

 private:
  /// Gives pixels the channels of `before` that GIMP leaves as they are.
  void restore_channels(const std::uint8_t* before, std::uint8_t* to, int count) const {
    const Channels& locked = original_->locked_channels();
    for (std::size_t c = 0; c < locked.size(); ++c)
      if (locked[c])
        for (std::size_t i = c; i < 4 * static_cast<std::size_t>(count); i += 4) to[i] = before[i];
  }

  void show_some() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_shown_ < shown_each || raster_.is_complete()) return;
    last_shown_ = now;
    shown_(raster_);
  }

  PreviewRaster raster_;
  ShownPixels pixels_;
  const PreviewPicture* original_;
  BufferSource& source_;
  Shown shown_;
  int rows_ = 0;
  std::chrono::steady_clock::time_point last_shown_ = std::chrono::steady_clock::now();
};

std::optional<Job> job_for_reduced(const Job& job, int factor) {
  if (job.filter->is_composite() || has_second_picture(job)) return std::nullopt;
  const auto params = job.filter->params;
  Values values = values_of(job);
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].unit != Unit::pixels) continue;
    const double length = std::get<double>(values[i]) / factor;
    values[i] = std::max(params[i].range.min,
                         params[i].kind == Kind::integer ? std::round(length) : length);
  }
  try {
    return make_job(*job.filter, values);
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

PreviewWorker::PreviewWorker(const PreviewPicture& picture, std::function<void()> changed)
    : picture_{picture}, changed_{std::move(changed)}, thread_{[this] { work(); }} {}

PreviewWorker::~PreviewWorker() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  requested_.notify_one();
  thread_.join();
  drop_cached_device_images();  // they keep the picture in memory, which nobody asks for any more
}

void PreviewWorker::request(PreviewRequest request) {
  {
    const std::lock_guard lock{mutex_};
    next_ = std::move(request);
    result_.is_busy = true;
    result_.error.clear();
  }
  requested_.notify_one();
}

PreviewResult PreviewWorker::result() const {
  const std::lock_guard lock{mutex_};
  return result_;
}

bool PreviewWorker::is_superseded() const {
  const std::lock_guard lock{mutex_};
  return ending_ || next_.has_value();
}

void PreviewWorker::work() {
  for (;;) {
    PreviewRequest request;
    {
      std::unique_lock lock{mutex_};
      requested_.wait(lock, [this] { return ending_ || next_.has_value(); });
      if (ending_) return;
      request = std::move(*next_);
      next_.reset();
    }
    std::string error;
    try {
      serve(request);
    } catch (const Cancelled&) {
      continue;
    } catch (const std::exception& failure) {
      error = sentence_of(failure);
    }
    {
      const std::lock_guard lock{mutex_};
      result_.error = error;
      if (!error.empty()) result_.is_coarse = false;
      result_.is_busy = next_.has_value();
    }
    changed_();
  }
}

const PreviewPicture& PreviewWorker::shown_picture() const {
  return new_picture_ != nullptr ? new_picture_->picture : picture_;
}

void PreviewWorker::make_new(const Job& job) {
  const Values values = values_of(job);
  if (!job.filter->creates_image() || (new_picture_ != nullptr && values == new_picture_values_))
    return;
  Watch watch{*this};
  auto made = make_new_picture(job, picture_, watch);
  const std::lock_guard lock{mutex_};
  result_.output_values = made->output_values;
  result_.before = nullptr;
  new_picture_ = std::move(made), new_picture_values_ = values;
}

void PreviewWorker::serve(const PreviewRequest& request) {
  if (request.job) make_new(*request.job);
  {
    const std::lock_guard lock{mutex_};
    result_.picture = shown_picture().size();
    if (result_.picture != request.picture) return;  // who asked asks again for a part of that
  }
  show_before(request);
  if (!request.job || new_picture_ != nullptr) {
    const std::lock_guard lock{mutex_};
    result_.after = result_.before, result_.is_coarse = false, result_.run.reset();
    return;
  }
  const double pixels = computed_pixels(request);
  const DeviceChoice device = choose_device(*request.job, pixels, true);
  const bool waits =
      device.gpu < 0 && expected_seconds(*request.job, pixels, device) > coarse_after_seconds;
  // What is not selected shows as it is, which a reduced result knows of filters that go by that.
  const bool knows_all =
      picture_.selection().mask.get() == nullptr || request.job->filter->needs_selection();
  if (waits && knows_all && picture_.locked_channels() == Channels{}) {
    try {
      show_coarse(request, device);
    } catch (const ArgumentError&) {
      // The picture itself may be large enough for what the reduced one is too small for.
    }
  }
  show_exact(request, device);
}

double PreviewWorker::computed_pixels(const PreviewRequest& request) const {
  const PreviewRaster raster{picture_.size(), request.area, request.scale};
  const Rect selected = picture_.selection().area;
  const Rect region = intersected(raster.source(), selected);
  if (request.job->filter->needs_selection()) return selected.size().pixels();
  return region.empty()
             ? 0.0
             : banded_area(*request.job, picture_.size(), region, selected).size().pixels();
}

void PreviewWorker::show_before(const PreviewRequest& request) {
  const auto& known = result_.before;  // only this thread changes it
  if (known != nullptr && known->area() == request.area && known->scale() == request.scale) return;
  const PreviewPicture& picture = shown_picture();
  PreviewRaster raster{picture.size(), request.area, request.scale};
  picture.add_to(raster, raster.source().rows());
  const auto shown = std::make_shared<const PreviewRaster>(std::move(raster));
  {
    const std::lock_guard lock{mutex_};
    result_.before = shown;
  }
  changed_();
}

void PreviewWorker::show(std::shared_ptr<const PreviewRaster> after, bool coarse,
                         std::optional<PreviewRun> run) {
  {
    const std::lock_guard lock{mutex_};
    result_.after = std::move(after), result_.is_coarse = coarse, result_.run = std::move(run);
  }
  changed_();
}

void PreviewWorker::show_coarse(const PreviewRequest& request, const DeviceChoice& device) {
  const int factor = reduction(request.scale);
  const auto job = factor > 1 ? job_for_reduced(*request.job, factor) : std::nullopt;
  if (!job) return;
  auto found = reduced_.find(factor);
  if (found == reduced_.end()) {
    Reduced made{picture_.reduced(factor), picture_.reduced_selection(factor)};
    found = reduced_.emplace(factor, std::move(made)).first;
  }
  const auto& [small, selection] = found->second;
  const GeglRectangle extent = *gegl_buffer_get_extent(small.get());
  const Size size{extent.width, extent.height};
  const PixelFormat format{picture_.format_in_run(job->plan), job->plan.trc};
  const Selection all{.area = {0, 0, size.width, size.height}, .mask = Buffer{}};
  InputSource shown{small.get(), format, all};
  const PreviewRaster raster{size, request.area, std::min(1.0, request.scale * factor)};
  Sink sink{raster, format.babl, nullptr, shown, [](const PreviewRaster&) {}};
  Watch watch{*this};
  InputSource source{small.get(), format, selection};
  run(*job, source, sink, raster.source(), device, watch);
  // The same pixels of the window, whatever they were made of.
  show(std::make_shared<const PreviewRaster>(sink.raster().at_scale(request.scale)), true);
}

void PreviewWorker::show_exact(const PreviewRequest& request, const DeviceChoice& device) {
  const Job& job = *request.job;
  const PixelFormat format{picture_.format_in_run(job.plan), job.plan.trc};
  InputSource source = picture_.source(format);
  const PreviewRaster raster{picture_.size(), request.area, request.scale};
  const Rect all = raster.source();
  const Rect region = intersected(all, picture_.selection().area);
  const bool everything =
      region == all && !source.has_mask() && picture_.locked_channels() == Channels{};
  Sink sink{raster, format.babl, everything ? nullptr : &picture_, source,
            [this](const PreviewRaster& some) {
              show(std::make_shared<const PreviewRaster>(some), false);
            }};
  Watch watch{*this};
  std::optional<PreviewRun> exact;
  if (region.empty()) {
    sink.keep(all.y, all.bottom());
  } else {
    sink.keep(all.y, region.y);
    exact = PreviewRun{request.made, run(job, source, sink, region, device, watch)};
    sink.keep(region.bottom(), all.bottom());
  }
  show(std::make_shared<const PreviewRaster>(sink.raster()), false, std::move(exact));
}

}  // namespace cuda_filters::plugin
