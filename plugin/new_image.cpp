// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/new_image.hpp"

#include "gpu/core/i18n.hpp"
#include "plugin/names.hpp"
#include "plugin/progress.hpp"
#include "plugin/store.hpp"

namespace cuda_filters::plugin {
namespace {

/// The layer of an image that is made once its size is known.
class NewImageSink final : public Sink {
 public:
  NewImageSink(const Job& job, const Drawable& drawable, Host& host)
      : job_{job}, drawable_{drawable}, host_{host} {}

  void begin(Size size, const Encoding&) override {
    if (image_ != nullptr) return;
    image_ = host_.new_image(size, drawable_.name());
    if (image_ == nullptr)
      throw Error{format_text(tr(N_("GIMP made no new image of %d × %d pixels: %s")), size.width,
                              size.height, host_.last_error().c_str())};
    format_.emplace(image_->layer().format(), job_.plan.trc);
    buffer_ = image_->layer().buffer();
    area_ = {0, 0, size.width, size.height};
  }

  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    BufferSink{buffer_.get(), *format_}.write(area, encoding, from, stride);
  }

  /// Sends what was written.
  std::unique_ptr<NewImage> finish() {
    buffer_ = Buffer{};
    image_->layer().update(area_);
    return std::move(image_);
  }

 private:
  const Job& job_;
  const Drawable& drawable_;
  Host& host_;
  std::unique_ptr<NewImage> image_;
  std::optional<PixelFormat> format_;
  Buffer buffer_;
  Rect area_{};
};

}  // namespace

NewImageResult create_image(const Job& job, Drawable& drawable, Host& host) {
  check_swap(host, drawable.size().pixels() * babl_format_get_bytes_per_pixel(drawable.format()),
             drawable.format());
  host.begin_progress(display_name(job.filter->info).c_str());
  KeepCpuAwake::begin_run();
  const ScopedTileCache tile_cache;
  const Buffer from = drawable.buffer();
  const PixelFormat format{drawable.format(), job.plan.trc};
  const Selection everything;
  BufferSource source{from.get(), format, everything};
  NewImageSink sink{job, drawable, host};
  Progress progress{host, 1, display_name(job.filter->info)};
  const Report report =
      run(job, source, sink, {}, choose_device(job, drawable.size().pixels()), progress);
  return {sink.finish(), report.output_values};
}

}  // namespace cuda_filters::plugin
