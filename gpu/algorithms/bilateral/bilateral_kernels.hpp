// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/algorithms/bilateral/bilateral.hpp"

namespace cuda_filters::cpu {

/// Rows of floats, some for each channel: those around a row of the result, whose first pixel
/// stands at `center`.
struct BilateralPlanes {
  const float* center = nullptr;
  std::ptrdiff_t row = 0, channel = 0;  ///< how many floats lie from one to the next
};

/// What a row of the result is computed from.
struct BilateralRow {
  bilateral::Window window;
  BilateralPlanes picture, guide;
  int colors;        ///< one or three, of the picture
  bool weighted;     ///< whether the next plane of the picture is alpha
  int guide_colors;  ///< one or three, or none: what is compared are the picture's own values
  bool by_channel;   ///< each channel with its own; then the guide has those of the picture
};

/// The inner loops of bilateral_blur(), compiled for each level as Kernels are, with the same
/// slack.
struct BilateralKernels {
  /// Computes `count` pixels, a row for each channel that the picture has planes for.
  void (*blur)(const BilateralRow& row, int count, float* const* out);
};

/// The best level's.
const BilateralKernels& bilateral_kernels();

}  // namespace cuda_filters::cpu
