// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/band.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {

/// A row of pixels with the slack that the kernels need.
class RowBuffer {
 public:
  RowBuffer() = default;
  explicit RowBuffer(std::size_t pixels) { resize(pixels); }
  void resize(std::size_t pixels) { floats_.resize(4 * pixels + lanes); }
  Pixel* pixels() { return reinterpret_cast<Pixel*>(floats_.data()); }
  float* floats() { return floats_.data(); }
  const Pixel* pixels() const { return reinterpret_cast<const Pixel*>(floats_.data()); }
  const float* floats() const { return floats_.data(); }

 private:
  std::vector<float> floats_;
};

/// Gives out rows of working pixels.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Copies the `count` pixels from (x, y) on.
  virtual void load(int x, int y, int count, float* pixels) const = 0;
};

/// Takes rows of working pixels.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void store(int x, int y, int count, const float* pixels) const = 0;
};

/// Throws Error unless the pixels from (x, y) on lie in `area`, which the filter's plan promised.
void require(Rect area, int x, int y, int count);

/// The image before the filter: any pixel of the padded image, decoded when it is asked for.
class Input final : public RowReader {
 public:
  Input(const RowStore& store, const Lookup& lookup, const Codec& codec);

  /// Says how much each pixel of `area` is selected, rows without gaps; null: all of it.
  void set_mask(const std::uint8_t* mask, Rect area) { mask_ = mask, mask_area_ = area; }
  /// How much the pixels from (x, y) on are selected, from 128 on at least half; null: wholly.
  const std::uint8_t* selected(int x, int y) const {
    if (mask_ == nullptr) return nullptr;
    return mask_ + std::size_t(y - mask_area_.y) * mask_area_.width + (x - mask_area_.x);
  }

  const Codec& codec() const { return codec_; }
  /// The area that can be read, in coordinates of the padded image.
  Rect area() const { return lookup_.area; }
  /// The area of the image without padding.
  Rect image() const { return {0, 0, lookup_.image.width, lookup_.image.height}; }
  bool is_temporary() const { return is_temporary_; }
  void load(int x, int y, int count, float* pixels) const override;
  /// The pixels from (x, y) on: where they lie, of a temporary picture, else loaded into `buffer`.
  const Pixel* row(int x, int y, int count, RowBuffer& buffer) const;
  /// Copies `count` pixels from (x, y) on as they are stored; 0 where there is none.
  void load_codes(int x, int y, int count, std::byte* codes) const;
  /// The stored pixels from (x, y) on, which must lie inside of the image.
  const std::byte* codes(int x, int y) const;

 private:
  RowStore store_;
  const Lookup& lookup_;
  Codec codec_;
  StraightRun inner_;  // the columns that need no padding
  friend class Temporary;
  bool is_temporary_ = false;
  const std::uint8_t* mask_ = nullptr;
  Rect mask_area_{};
};

/// The image after the filter, encoded as it is stored. Where its size differs from the input's,
/// there is no pixel before the filter: what has no alpha is black.
class Output final : public RowWriter {
 public:
  Output(const Input& original, const Codec& codec, Size image, Rect area, std::byte* codes)
      : original_{&original}, codec_{codec}, image_{image}, area_{area}, codes_{codes} {}
  /// A temporary picture, of which there is nothing before the filter.
  Output(const Codec& codec, Size image, Rect area, std::byte* codes)
      : codec_{codec}, image_{image}, area_{area}, codes_{codes} {}

  Rect area() const { return area_; }
  bool is_temporary() const { return original_ == nullptr; }
  /// The area of the whole result.
  Rect image() const { return {0, 0, image_.width, image_.height}; }
  const Codec& codec() const { return codec_; }
  /// The pixels from (x, y) on as they are stored: after the filter, and before it.
  std::byte* codes(int x, int y) const;
  const std::byte* original(int x, int y) const { return original_->codes(x, y); }
  void store(int x, int y, int count, const float* pixels) const override;

 private:
  const Input* original_ = nullptr;
  Codec codec_;
  Size image_;
  Rect area_;
  std::byte* codes_;
};

}  // namespace cuda_filters::cpu
