// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview_raster.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugin/gegl/parallel_range.hpp"

namespace cuda_filters::plugin {
namespace {

/// The first of `length` pixels whose middle lies in that reduced pixel or behind it.
int first_source(int reduced, double scale, int length) {
  return std::min(length, static_cast<int>(std::ceil(reduced / scale - 0.5)));
}

}  // namespace

PreviewRaster::PreviewRaster(Size picture, Rect area, double scale)
    : picture_{picture},
      area_{area},
      scale_{scale},
      partial_(static_cast<std::size_t>(area.width)) {
  for (int x = area.x; x <= area.right(); ++x)
    columns_.push_back(first_source(x, scale, picture.width));
  pixels_.resize(partial_.size() * area.height);
}

PreviewRaster PreviewRaster::at_scale(double scale) const {
  PreviewRaster same = *this;
  same.scale_ = scale;
  return same;
}

int PreviewRaster::first_row(int row) const {
  return first_source(area_.y + row, scale_, picture_.height);
}

Rect PreviewRaster::source() const {
  const int x = columns_.front(), y = first_row(0);
  return {x, y, columns_.back() - x, first_row(area_.height) - y};
}

void PreviewRaster::add_to_row(int row, IndexRange rows, const FillRow& fill, Sums& partial) {
  Sums sums = row == complete_ ? partial_ : Sums(partial_.size());
  std::vector<std::uint8_t> line(4 * static_cast<std::size_t>(source().width));
  for (int y = rows.begin; y < rows.end; ++y) {
    fill(y, line.data());
    const std::uint8_t* pixel = line.data();
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (int x = columns_[i]; x < columns_[i + 1]; ++x, pixel += 4) {
        const std::uint32_t alpha = pixel[3];
        sums[i].r += pixel[0] * alpha, sums[i].g += pixel[1] * alpha;
        sums[i].b += pixel[2] * alpha, sums[i].a += alpha;
      }
  }
  if (rows.end == first_row(row + 1))
    finish_row(row, sums);
  else
    partial = std::move(sums);
}

void PreviewRaster::finish_row(int row, const Sums& sums) {
  const auto height = static_cast<std::uint64_t>(first_row(row + 1) - first_row(row));
  std::uint32_t* out = &pixels_[sums.size() * row];
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint64_t count = height * (columns_[i + 1] - columns_[i]);
    if (count == 0) continue;
    const auto mean = [](std::uint64_t sum, std::uint64_t of) {
      return static_cast<std::uint32_t>((sum + of / 2) / of);
    };
    out[i] = mean(sums[i].a, count) << 24 | mean(sums[i].r, 255 * count) << 16 |
             mean(sums[i].g, 255 * count) << 8 | mean(sums[i].b, 255 * count);
  }
}

void PreviewRaster::add(int begin, int end, const FillRow& fill) {
  int touched = complete_, complete = complete_;
  while (touched < area_.height && first_row(touched) < end) ++touched;
  while (complete < touched && first_row(complete + 1) <= end) ++complete;
  // Rows are added up by several threads; of the last one there may be only a part.
  Sums partial(partial_.size());
  parallel_range(touched - complete_, 1.0, [&](int first, int last) {
    for (int row = complete_ + first; row < complete_ + last; ++row)
      add_to_row(row, {std::max(begin, first_row(row)), std::min(end, first_row(row + 1))}, fill,
                 partial);
  });
  complete_ = complete;
  partial_ = std::move(partial);
}

}  // namespace cuda_filters::plugin
