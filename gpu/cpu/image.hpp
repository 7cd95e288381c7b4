// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <memory>

#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// An intermediate image.
class Image final : public RowReader {
 public:
  explicit Image(Rect area)
      : area_{area},
        stride_{std::size_t{4} * area.width + lanes},
        floats_{new float[stride_ * area.height]} {}

  Rect area() const { return area_; }
  float* row(int x, int y) { return floats_.get() + offset(x, y); }
  const float* row(int x, int y) const { return floats_.get() + offset(x, y); }
  void load(int x, int y, int count, float* pixels) const override {
    std::copy_n(row(x, y), std::size_t{4} * count, pixels);
  }

 private:
  std::size_t offset(int x, int y) const {
    return static_cast<std::size_t>(y - area_.y) * stride_ + std::size_t{4} * (x - area_.x);
  }
  Rect area_;
  std::size_t stride_;
  std::unique_ptr<float[]> floats_;
};

/// Writes into one.
class ImageWriter final : public RowWriter {
 public:
  explicit ImageWriter(Image& image) : image_{image} {}
  void store(int x, int y, int count, const float* pixels) const override {
    std::copy_n(pixels, std::size_t{4} * count, image_.row(x, y));
  }

 private:
  Image& image_;
};

}  // namespace cuda_filters::cpu
