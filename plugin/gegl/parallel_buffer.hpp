// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>

#include "plugin/buffer.hpp"

namespace cuda_filters::plugin {

/// The pixels of a buffer of this process, which several threads may read at a time.
class InputSource : public BufferSource {
 public:
  using BufferSource::BufferSource;
  std::shared_ptr<const Version> version() override;
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override;
};

/// A sink for a buffer of this process, which several threads may write at a time.
class OutputSink final : public BufferSink {
 public:
  using BufferSink::BufferSink;
  /// The result is all of `image`, whose first pixel is (0, 0) for the engine, and may be the input
  /// of another operation.
  OutputSink(GeglBuffer* buffer, const PixelFormat& format, const GeglRectangle& image)
      : BufferSink{buffer, format, image.x, image.y}, image_{image} {}
  bool may_be_read() const override { return image_.has_value(); }
  std::shared_ptr<const Version> version() override;
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override;

 private:
  std::optional<GeglRectangle> image_;
};

}  // namespace cuda_filters::plugin
