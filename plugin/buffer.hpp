// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>

#include <utility>
#include <vector>

#include "gpu/core/image.hpp"
#include "plugin/pixel_format.hpp"
#include "plugin/tile_io.hpp"

namespace cuda_filters::plugin {

/// Owns a GeglBuffer. Letting go of one that belongs to a drawable sends its last tiles.
class Buffer {
 public:
  explicit Buffer(GeglBuffer* buffer = nullptr) : buffer_{buffer} {}
  Buffer(Buffer&& other) noexcept : buffer_{std::exchange(other.buffer_, nullptr)} {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~Buffer() {
    if (buffer_ == nullptr) return;
    const KeepCpuAwake awake;
    g_object_unref(buffer_);
  }
  GeglBuffer* get() const { return buffer_; }

 private:
  GeglBuffer* buffer_;
};

/// What is selected of a drawable.
struct Selection {
  Rect area;         ///< where anything is, in pixels of the drawable
  Buffer mask;       ///< of the whole image; nothing if all of it is selected
  int x = 0, y = 0;  ///< where the drawable begins in it
};

/// The pixels of a buffer; opaque if just the format has alpha.
class BufferSource : public Source {
 public:
  /// All of a drawable's.
  BufferSource(GeglBuffer* buffer, const PixelFormat& format, const Selection& selection)
      : BufferSource{buffer, format, selection, *gegl_buffer_get_extent(buffer)} {}
  /// Those of `image`, whose first pixel is (0, 0) for the engine.
  BufferSource(GeglBuffer* buffer, const PixelFormat& format, const Selection& selection,
               const GeglRectangle& image);
  int width() const override { return image_.width; }
  int height() const override { return image_.height; }
  Encoding encoding(Trc) override { return format_.encoding; }
  std::optional<Transfer> transfer(Trc trc) override { return format_.transfer(trc); }
  void convert(float* pixels, std::size_t count, Trc trc, bool back) override {
    format_.convert(pixels, count, trc, back);
  }
  void read(Rect area, const Encoding&, std::byte* to, std::size_t stride) override;
  Rect analyzed_area(Rect region) override {
    return selection_.area.empty() ? region : selection_.area;
  }
  bool has_mask() const override { return selection_.mask.get() != nullptr; }
  void read_mask(Rect area, std::uint8_t* to) override;

 protected:
  GeglBuffer* buffer() const { return buffer_; }
  const PixelFormat& format() const { return format_; }
  const GeglRectangle& image() const { return image_; }

 private:
  GeglBuffer* buffer_;
  const PixelFormat& format_;
  const Selection& selection_;
  GeglRectangle image_;
  const Babl* opaque_format_ = nullptr;  ///< of a buffer without alpha: babl adds it slowly
};

/// A buffer, such as the shadow of a drawable, whose pixels show only when it is merged.
class BufferSink : public Sink {
 public:
  /// The engine's (0, 0) goes to (x, y).
  BufferSink(GeglBuffer* buffer, const PixelFormat& format, int x = 0, int y = 0)
      : buffer_{buffer}, format_{format}, x_{x}, y_{y} {}
  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override;

 protected:
  GeglBuffer* buffer() const { return buffer_; }
  const PixelFormat& format() const { return format_; }

 private:
  GeglBuffer* buffer_;
  const PixelFormat& format_;
  int x_, y_;
};

}  // namespace cuda_filters::plugin
