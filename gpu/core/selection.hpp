// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// Whether an analysis counts a pixel: it must be visible, that is have any alpha, and be at least
/// half selected. `selected`: how much each pixel is, from 0 to 255; null: wholly.
HOST_DEVICE static inline bool is_counted(bool visible, const std::uint8_t* selected,
                                          std::size_t i) {
  return visible && (selected == nullptr || selected[i] >= 128);
}

}  // namespace cuda_filters
