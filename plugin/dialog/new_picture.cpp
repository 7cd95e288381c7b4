// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/new_picture.hpp"

#include <utility>

namespace cuda_filters::plugin {
namespace {

/// A buffer that is made once its size is known.
class NewBufferSink final : public Sink {
 public:
  explicit NewBufferSink(const PixelFormat& format) : format_{format} {}

  void begin(Size size, const Encoding&) override {
    if (buffer_.get() != nullptr) return;
    const GeglRectangle extent{0, 0, size.width, size.height};
    buffer_ = Buffer{gegl_buffer_new(&extent, format_.babl)};
  }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    OutputSink{buffer_.get(), format_}.write(area, encoding, from, stride);
  }
  Buffer take() { return std::move(buffer_); }

 private:
  const PixelFormat& format_;
  Buffer buffer_;
};

Size size_of(const Buffer& buffer) {
  return {gegl_buffer_get_width(buffer.get()), gegl_buffer_get_height(buffer.get())};
}

/// What a job that keeps the size makes of a picture.
Buffer applied(const Job& job, const Buffer& from, Observer& observer) {
  const Babl* stored = gegl_buffer_get_format(from.get());
  const PixelFormat format{stored, job.plan.trc};
  const Size size = size_of(from);
  const Rect area{0, 0, size.width, size.height};
  const Selection all{.area = area, .mask = Buffer{}};
  Buffer result{gegl_buffer_new(gegl_buffer_get_extent(from.get()), stored)};
  InputSource source{from.get(), format, all};
  OutputSink sink{result.get(), format};
  run(job, source, sink, area, choose_device(job, size.pixels(), true), observer);
  return result;
}

}  // namespace

std::unique_ptr<const NewPicture> make_new_picture(const Job& job, const PreviewPicture& from,
                                                   Observer& observer) {
  const PixelFormat in{from.format(), job.plan.trc};
  const PixelFormat out{rgb_format(from.format()), job.plan.trc};
  const Selection everything;
  InputSource source = from.source(in, everything);
  NewBufferSink sink{out};
  const Report report =
      run(job, source, sink, {}, choose_device(job, from.size().pixels(), true), observer);
  Buffer made = sink.take();
  if (const auto next = next_job(job)) made = applied(*next, made, observer);
  return std::make_unique<const NewPicture>(
      NewPicture{PreviewPicture{std::move(made)}, report.output_values});
}

}  // namespace cuda_filters::plugin
