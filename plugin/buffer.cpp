// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/buffer.hpp"

#include <cstdint>

namespace cuda_filters::plugin {
namespace {

template <class Sample, int colors>
void copy_opaque(const void* from, std::byte* to, std::size_t pixels, Sample opaque) {
  const auto* in = static_cast<const Sample*>(from);
  auto* out = reinterpret_cast<Sample*>(to);
  for (std::size_t i = 0; i < pixels; ++i, in += colors, out += colors + 1) {
    for (int c = 0; c < colors; ++c) out[c] = in[c];
    out[colors] = opaque;
  }
}

template <int colors>
void copy_opaque(const void* from, std::byte* to, std::size_t pixels, SampleType type) {
  switch (type) {
    case SampleType::u8:
      return copy_opaque<std::uint8_t, colors>(from, to, pixels, 0xff);
    case SampleType::u16:
      return copy_opaque<std::uint16_t, colors>(from, to, pixels, 0xffff);
    case SampleType::f16:
      return copy_opaque<std::uint16_t, colors>(from, to, pixels, 0x3c00);
    case SampleType::f32:
      return copy_opaque<float, colors>(from, to, pixels, 1.0f);
  }
}

}  // namespace

BufferSource::BufferSource(GeglBuffer* buffer, const PixelFormat& format,
                           const Selection& selection, const GeglRectangle& image)
    : buffer_{buffer}, format_{format}, selection_{selection}, image_{image} {
  if (!babl_format_has_alpha(gegl_buffer_get_format(buffer)))
    opaque_format_ = without_alpha(format.babl);
}

void BufferSource::read(Rect area, const Encoding&, std::byte* to, std::size_t stride) {
  const KeepCpuAwake awake;
  const GeglRectangle rectangle{area.x + image_.x, area.y + image_.y, area.width, area.height};
  if (opaque_format_ == nullptr || opaque_format_ == format_.babl) {
    gegl_buffer_get(buffer_, &rectangle, 1.0, format_.babl, to, static_cast<int>(stride),
                    GEGL_ABYSS_NONE);
    return;
  }
  const std::size_t row_bytes =
      static_cast<std::size_t>(area.width) * babl_format_get_bytes_per_pixel(opaque_format_);
  std::vector<std::byte> opaque(row_bytes * area.height);
  gegl_buffer_get(buffer_, &rectangle, 1.0, opaque_format_, opaque.data(),
                  static_cast<int>(row_bytes), GEGL_ABYSS_NONE);
  const Format& format = format_.encoding.format;
  for (int y = 0; y < area.height; ++y)
    (format.color ? copy_opaque<3> : copy_opaque<1>)(&opaque[y * row_bytes], to + y * stride,
                                                     static_cast<std::size_t>(area.width),
                                                     format.type);
}

void BufferSource::read_mask(Rect area, std::uint8_t* to) {
  const KeepCpuAwake awake;
  const GeglRectangle rectangle{area.x + selection_.x, area.y + selection_.y, area.width,
                                area.height};
  gegl_buffer_get(selection_.mask.get(), &rectangle, 1.0, babl_format("Y u8"), to, area.width,
                  GEGL_ABYSS_NONE);
}

void BufferSink::write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) {
  const KeepCpuAwake awake;
  const GeglRectangle rectangle{area.x + x_, area.y + y_, area.width, area.height};
  gegl_buffer_set(buffer_, &rectangle, 0, format_.babl, from, static_cast<int>(stride));
}

}  // namespace cuda_filters::plugin
