// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

/// A RowBuffer for rows that are summed with the ones above and below: it begins where the widest
/// vector lies in one line of the cache, not in two, which take twice as long to load.
class AlignedRow {
 public:
  void resize(std::size_t pixels) {
    constexpr std::size_t line = lanes * sizeof(float);
    buffer_.resize(pixels + lanes / 4);
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.floats());
    skipped_ = (line - address % line) % line / sizeof(float);
  }
  float* floats() { return buffer_.floats() + skipped_; }
  Pixel* pixels() { return reinterpret_cast<Pixel*>(floats()); }

 private:
  RowBuffer buffer_;
  std::size_t skipped_ = 0;
};

}  // namespace cuda_filters::cpu
