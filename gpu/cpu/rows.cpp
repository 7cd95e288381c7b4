// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

Input::Input(const RowStore& store, const Lookup& lookup, const Codec& codec)
    : store_{store}, lookup_{lookup}, codec_{codec}, inner_{longest_straight_run(lookup.columns)} {}

const std::byte* Input::codes(int x, int y) const {
  const std::size_t slot = lookup_.rows[y - lookup_.area.y];
  const std::size_t column = lookup_.columns[x - lookup_.area.x];
  return store_.rows + slot * store_.slot_bytes + column * codec_.format.bytes_per_pixel();
}

void require(Rect area, int x, int y, int count) {
  if (!area.columns().contains({x, x + count}) || y < area.y || y >= area.bottom())
    throw Error{tr(N_("Internal error: a primitive looks further than it says."))};
}

void Input::load(int x, int y, int count, float* pixels) const {
  require(lookup_.area, x, y, count);
  const int slot = lookup_.rows[y - lookup_.area.y];
  if (slot < 0) {
    std::fill_n(pixels, std::size_t{4} * count, 0.0f);
    return;
  }
  const std::byte* row = store_.rows + static_cast<std::size_t>(slot) * store_.slot_bytes;
  const std::size_t pixel_bytes = codec_.format.bytes_per_pixel();
  const int begin = x - lookup_.area.x, end = begin + count;
  const int inner_begin = std::clamp(inner_.begin, begin, end);
  const int inner_end = std::clamp(inner_.end, inner_begin, end);
  const int first_inner = inner_begin < inner_end ? lookup_.columns[inner_begin] : 0;
  if (inner_begin < inner_end)
    kernels().decode(codec_, row + first_inner * pixel_bytes, inner_end - inner_begin,
                     pixels + std::size_t{4} * (inner_begin - begin));

  const auto pad = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      float* pixel = pixels + std::size_t{4} * (i - begin);
      const int column = lookup_.columns[i];
      if (column < 0)
        std::fill_n(pixel, 4, 0.0f);
      else if (column >= first_inner && column < first_inner + inner_end - inner_begin)
        std::copy_n(pixels + std::size_t{4} * (inner_begin - begin + column - first_inner), 4,
                    pixel);
      else if (i > from && column == lookup_.columns[i - 1])
        std::copy_n(pixel - 4, 4, pixel);
      else
        kernels().decode(codec_, row + column * pixel_bytes, 1, pixel);
    }
  };
  pad(begin, inner_begin);
  pad(inner_end, end);
}

const Pixel* Input::row(int x, int y, int count, RowBuffer& buffer) const {
  if (is_temporary_) {
    require(lookup_.area, x, y, count);
    return reinterpret_cast<const Pixel*>(codes(x, y));
  }
  buffer.resize(count);
  load(x, y, count, buffer.floats());
  return buffer.pixels();
}

void Input::load_codes(int x, int y, int count, std::byte* codes) const {
  require(lookup_.area, x, y, count);
  const std::size_t pixel_bytes = codec_.format.bytes_per_pixel();
  const int slot = lookup_.rows[y - lookup_.area.y];
  if (slot < 0) {
    std::fill_n(codes, count * pixel_bytes, std::byte{});
    return;
  }
  const std::byte* row = store_.rows + static_cast<std::size_t>(slot) * store_.slot_bytes;
  const int begin = x - lookup_.area.x, end = begin + count;
  for (int i = begin; i < end;) {
    const int column = lookup_.columns[i];
    const int run = i >= inner_.begin && i < inner_.end ? std::min(end, inner_.end) - i : 1;
    if (column < 0)
      std::fill_n(codes, pixel_bytes, std::byte{});
    else
      std::copy_n(row + column * pixel_bytes, run * pixel_bytes, codes);
    codes += run * pixel_bytes;
    i += run;
  }
}

std::byte* Output::codes(int x, int y) const {
  const std::size_t position =
      static_cast<std::size_t>(y - area_.y) * area_.width + static_cast<std::size_t>(x - area_.x);
  return codes_ + position * codec_.format.bytes_per_pixel();
}

void Output::store(int x, int y, int count, const float* pixels) const {
  if (original_ != nullptr && image_ == original_->image().size())
    return kernels().encode(codec_, pixels, original_->codes(x, y), count, codes(x, y));
  if (original_ == nullptr) {
    std::copy_n(pixels, std::size_t{4} * count, reinterpret_cast<float*>(codes(x, y)));
    return;
  }
  thread_local std::vector<std::byte> black;
  const std::size_t bytes = static_cast<std::size_t>(count) * codec_.format.bytes_per_pixel();
  if (black.size() < bytes) black.resize(bytes);
  kernels().encode(codec_, pixels, black.data(), count, codes(x, y));
}

}  // namespace cuda_filters::cpu
