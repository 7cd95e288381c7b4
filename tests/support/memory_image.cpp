// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/support/memory_image.hpp"

#include <cstring>
#include <utility>

namespace cuda_filters {

MemoryImage::MemoryImage(int width, int height, Encoding linear, Encoding perceptual)
    : width_{width},
      height_{height},
      linear_{std::move(linear)},
      perceptual_{std::move(perceptual)},
      codes_(row_bytes() * static_cast<std::size_t>(height)) {}

std::size_t MemoryImage::row_bytes() const {
  return static_cast<std::size_t>(width_) * linear_.format.bytes_per_pixel();
}

Encoding MemoryImage::encoding(Trc trc) {
  switch (trc) {
    case Trc::linear:
      return linear_;
    case Trc::perceptual:
      return perceptual_;
    case Trc::native:
      break;
  }
  return {linear_.format, {}};
}

std::optional<Transfer> MemoryImage::transfer(Trc trc) {
  if (trc == Trc::native) return Transfer{};
  return trc == Trc::linear ? to_linear : to_perceptual;
}

void MemoryImage::read(Rect area, const Encoding&, std::byte* to, std::size_t stride) {
  const std::size_t pixel = linear_.format.bytes_per_pixel();
  for (int y = 0; y < area.height; ++y)
    std::memcpy(to + y * stride, codes_.data() + (area.y + y) * row_bytes() + area.x * pixel,
                area.width * pixel);
}

void MemoryImage::write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) {
  const std::size_t pixel = linear_.format.bytes_per_pixel();
  for (int y = 0; y < area.height; ++y)
    std::memcpy(codes_.data() + (area.y + y) * row_bytes() + area.x * pixel, from + y * stride,
                area.width * pixel);
}

void MemoryImage::begin(Size size, const Encoding& encoding) {
  if (size == this->size() && encoding.format == linear_.format) return;
  width_ = size.width, height_ = size.height;
  linear_.format = perceptual_.format = encoding.format;
  codes_.assign(row_bytes() * static_cast<std::size_t>(height_), {});
}

const PixelView* MemoryImage::view() const {
  if (!open_) return nullptr;
  auto* const rows = const_cast<std::byte*>(codes_.data());  // a sink's are to be written
  view_ = {rows, {0, 0, width_, height_}, row_bytes(), true};
  return &view_;
}

void MemoryImage::read_mask(Rect area, std::uint8_t* to) {
  for (int y = area.y; y < area.bottom(); ++y, to += area.width)
    std::memcpy(to, selection.data() + static_cast<std::size_t>(y) * width_ + area.x, area.width);
}

}  // namespace cuda_filters
