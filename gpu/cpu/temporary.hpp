// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/core/memory_pool.hpp"
#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

/// A picture of working pixels that lives as long as a band is computed, in which primitives may
/// write and from which they may read.
class Temporary {
 public:
  /// `area`: of that level of the image, or beyond it. `like`: the band's input.
  Temporary(MemoryPool& memory, Rect area, const Input& like, int level = 0);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  operator const Input&() const { return input_; }
  operator const Output&() const { return output_; }

 private:
  Lookup lookup_;
  std::shared_ptr<std::byte[]> memory_;
  Input input_;
  Output output_;
};

/// A picture of one float a pixel that lives as long; its rows have room for channel_stride().
class Channel {
 public:
  /// `area`: of the image, or of a level of it, or beyond it.
  Channel(MemoryPool& memory, Rect area);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  Rect area() const { return area_; }
  int stride() const { return stride_; }
  /// Where the `count` pixels from (x, y) on can be read. Throws Error if they are not there.
  const float* row(int x, int y, int count) const {
    require(area_, x, y, count);
    return at(x, y);
  }
  /// Where the pixels from (x, y) on are written.
  float* at(int x, int y) const {
    return floats_ + static_cast<std::size_t>(y - area_.y) * stride_ + (x - area_.x);
  }

 private:
  Rect area_;
  int stride_;
  std::shared_ptr<std::byte[]> memory_;
  float* floats_;
};

}  // namespace cuda_filters::cpu
