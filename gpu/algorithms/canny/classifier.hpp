// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/algorithms/canny/canny.hpp"
#include "gpu/algorithms/canny/edge_kernels.hpp"
#include "gpu/cpu/exec.hpp"

// The classes of pixels: the blur, the gradient and its thinning.

namespace cuda_filters::cpu::edges {

using canny::CannySettings;

/// A row of numbers with room for padding on both sides and for the kernels' slack.
class NumberRow {
 public:
  void resize(int count, int padding) {
    padding_ = padding;
    floats_.resize(static_cast<std::size_t>(count) + 2 * padding + lanes);
  }
  float* data() { return floats_.data() + padding_; }
  /// Repeats the first and the last number of [first, last) from `begin` to `end`.
  void repeat_ends(int first, int last, int begin, int end) {
    std::fill(data() + begin, data() + first, data()[first]);
    std::fill(data() + last, data() + end, data()[last - 1]);
  }
  void clear() { std::ranges::fill(floats_, 0.0f); }

 private:
  std::vector<float> floats_;
  int padding_ = 0;
};

/// Which pixels of some rows have a class, and which are strong: bits, from the lowest on, in whole
/// words of each row.
class ClassBits {
 public:
  void resize(int width, int rows) {
    width_ = width;
    found_.resize(std::size_t{words()} * rows);
    strong_.resize(found_.size());
  }
  unsigned words() const { return (width_ + 63) / 64; }
  const std::uint64_t* found(int row) const { return &found_[std::size_t{words()} * row]; }
  const std::uint64_t* strong(int row) const { return &strong_[std::size_t{words()} * row]; }
  /// Sets the bits of a row from pixel `x` on, a multiple of 64, up to `end`.
  void set(int row, int x, int end, const std::uint16_t* found, const std::uint16_t* strong) {
    const std::size_t first = std::size_t{words()} * row + x / 64;
    const int count = (end - x + 63) / 64;
    std::memcpy(&found_[first], found, count * sizeof(std::uint64_t));
    std::memcpy(&strong_[first], strong, count * sizeof(std::uint64_t));
    if (end % 64 == 0) return;
    const std::uint64_t inside = (std::uint64_t{1} << end % 64) - 1;
    found_[first + count - 1] &= inside;
    strong_[first + count - 1] &= inside;
  }

 private:
  int width_ = 0;
  std::vector<std::uint64_t> found_, strong_;
};

/// Pixels of a row that are classified together: few enough for the rows of slopes and sizes to
/// stay in the first cache.
constexpr int tile_width = 512;

/// Finds the classes of an image, tile by tile.
class Classifier {
 public:
  Classifier(const Input& in, const CannySettings& settings)
      : in_{in}, settings_{settings}, height_{in.image().height} {
    constexpr int max_width = lanes + tile_width + canny::reach;
    const int radius = settings.radius();
    raw_.resize(max_width, radius);
    across_.resize(2 * radius + 1);
    for (NumberRow& row : across_) row.resize(max_width, 0);
    blurred_.resize(max_width, 1);
    for (Slopes& row : slopes_) {
      row.difference.resize(max_width, 0);
      row.sum.resize(max_width, 0);
    }
    for (NumberRow& row : sizes_) row.resize(max_width, 1);
    pointers_.resize(settings.weights.size());
  }

  /// Finds those of the rows [begin, end), and of at most tile_width columns from `x` on, a
  /// multiple of 64.
  void run(int x, int begin, int end, ClassBits& to) {
    const int right = std::min(x + tile_width, in_.image().width);
    left_ = std::max(x - lanes, 0);  // the kernels read best from multiples of `lanes` on
    width_ = std::min(right + canny::reach, in_.image().width) - left_;
    next_across_ = std::max(0, begin - canny::reach - settings_.radius());
    next_slopes_ = std::max(0, begin - canny::reach);
    const int skipped = x - left_;
    for (int y = begin - 1; y <= end; ++y) {
      fill_sizes(y);
      if (y < begin + 1) continue;
      const int middle = y - 1;
      const float* const sizes[3] = {this->sizes(middle - 1) + skipped,
                                     this->sizes(middle) + skipped,
                                     this->sizes(middle + 1) + skipped};
      std::uint16_t found[tile_width / lanes] = {}, strong[tile_width / lanes] = {};
      edge_kernels().classify(sizes, slopes(middle - 1, skipped), slopes(middle, skipped),
                              slopes(middle + 1, skipped), right - x, settings_.low, settings_.high,
                              found, strong);
      to.set(middle - begin, x, right, found, strong);
    }
  }

 private:
  struct Slopes {
    NumberRow difference, sum;
  };
  /// Beyond its ends the picture goes on with its first and its last row.
  SlopeRow slopes(int y, int skipped = 0) {
    Slopes& row = slopes_[std::clamp(y, 0, height_ - 1) % 4];
    return {row.difference.data() + skipped, row.sum.data() + skipped};
  }
  float* sizes(int y) { return sizes_[(y + 3) % 3].data(); }

  void fill_sizes(int y) {
    if (y < 0 || y >= height_) return sizes_[(y + 3) % 3].clear();
    for (; next_slopes_ <= std::min(y + 1, height_ - 1); ++next_slopes_) {
      fill_blurred(next_slopes_);
      edge_kernels().slopes(blurred_.data(), width_, slopes(next_slopes_));
    }
    edge_kernels().sizes(slopes(y - 1), slopes(y), slopes(y + 1), width_, settings_.squares,
                         sizes(y));
    sizes(y)[-1] = sizes(y)[width_] = 0.0f;
  }

  void fill_blurred(int y) {
    const int radius = settings_.radius();
    if (radius == 0) {
      fetch(y, left_, width_, blurred_.data());
    } else {
      for (; next_across_ <= std::min(y + radius, height_ - 1); ++next_across_)
        fill_across(next_across_);
      for (int t = -radius; t <= radius; ++t)
        pointers_[t + radius] = across(std::clamp(y + t, 0, height_ - 1)).data();
      edge_kernels().sum_rows(pointers_.data(), settings_.weights.data(), 2 * radius + 1, width_,
                              blurred_.data());
    }
    blurred_.repeat_ends(0, width_, -1, width_ + 1);
  }

  NumberRow& across(int y) { return across_[y % across_.size()]; }

  void fill_across(int y) {
    const int radius = settings_.radius();
    const int from = std::max(left_ - radius, 0);
    const int to = std::min(left_ + width_ + radius, in_.image().width);
    fetch(y, from, to - from, raw_.data() + (from - left_));
    raw_.repeat_ends(from - left_, to - left_, -radius, width_ + radius);
    for (int t = -radius; t <= radius; ++t) pointers_[t + radius] = raw_.data() + t;
    edge_kernels().sum_rows(pointers_.data(), settings_.weights.data(), 2 * radius + 1, width_,
                            across(y).data());
  }

  void fetch(int y, int x, int count, float* to) {
    const Codec& codec = in_.codec();
    if (codec.format.type == SampleType::u8 && codec.values[0] == nullptr) {
      const auto* codes = reinterpret_cast<const std::uint8_t*>(in_.codes(x, y));
      // The store's rows are in the cache of another core, if at all.
      const auto* next = reinterpret_cast<const char*>(
          in_.codes(x, std::min({y + 2, height_ - 1, in_.area().bottom() - 1})));
      for (int i = 0; i < count * codec.format.channels(); i += 64) __builtin_prefetch(next + i);
      edge_kernels().channel_of_bytes(codes, codec.format.channels(), count, settings_.channel, to);
      return;
    }
    pixels_.resize(count);
    in_.load(x, y, count, pixels_.floats());
    edge_kernels().channel_of_pixels(pixels_.floats(), count, settings_.channel, to);
  }

  const Input& in_;
  const CannySettings& settings_;
  int height_;
  int left_ = 0, width_ = 0;  // of what is computed for a tile
  RowBuffer pixels_;
  NumberRow raw_;
  std::vector<NumberRow> across_;  // blurred along x
  NumberRow blurred_;
  Slopes slopes_[4];  // of the rows that a class looks at, and of the next
  NumberRow sizes_[3];
  std::vector<const float*> pointers_;
  int next_across_ = 0, next_slopes_ = 0;
};

}  // namespace cuda_filters::cpu::edges
