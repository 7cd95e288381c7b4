// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/core/pixel.hpp"

namespace cuda_filters::plugin {

/// A part of a picture as a window shows it, at its own size or reduced. A reduced pixel is the
/// mean of the pixels whose middles lie in it, whatever part of the picture shows.
class PreviewRaster {
 public:
  /// `area`: in pixels of a picture of that size at `scale`, in (0, 1].
  PreviewRaster(Size picture, Rect area, double scale);

  Rect area() const { return area_; }
  double scale() const { return scale_; }
  /// The pixels of the picture that it is made of.
  Rect source() const;

  /// Fills in row `y` of a picture: R'G'B'A of 8 bits, straight, of all columns of source().
  using FillRow = std::function<void(int y, std::uint8_t* pixels)>;
  /// Takes rows of the picture from `begin` to before `end`, by calls from several threads. They
  /// come from top to bottom, each once; what lies outside of source() is left out.
  void add(int begin, int end, const FillRow& fill);

  /// The same pixels, of a picture that shows them at another scale.
  PreviewRaster at_scale(double scale) const;

  /// How many rows are complete, from the top.
  int complete_rows() const { return complete_; }
  bool is_complete() const { return complete_ == area_.height; }
  /// 0xAARRGGBB, with colors multiplied by alpha; 0 in rows that are not complete.
  const std::vector<std::uint32_t>& pixels() const { return pixels_; }

 private:
  struct Sum {
    std::uint64_t r = 0, g = 0, b = 0, a = 0;
  };
  using Sums = std::vector<Sum>;

  /// The row of the picture that a row begins with.
  int first_row(int row) const;
  /// Adds the rows of the picture that belong to a row, and finishes it if these were the last.
  void add_to_row(int row, IndexRange rows, const FillRow& fill, Sums& partial);
  void finish_row(int row, const Sums& sums);

  Size picture_;
  Rect area_;
  double scale_;
  std::vector<int> columns_;  ///< where each column begins in the picture, and where the last ends
  Sums partial_;              ///< of a row whose first rows of the picture have come
  int complete_ = 0;
  std::vector<std::uint32_t> pixels_;
};

}  // namespace cuda_filters::plugin
