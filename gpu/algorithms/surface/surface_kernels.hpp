// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// One channel of a row of bytes, and the histograms of its surroundings: 256 counts each.
template <class Count>
struct SurfaceRow {
  const Count* columns;  ///< of each column around the row, `radius` before the first pixel first
  int radius;
  const double* weights;      ///< of the differences -255 to 255
  const double* differences;  ///< these times their weights
  int reach;                  ///< the largest difference that has a weight
  const std::uint8_t* in;
  std::uint8_t* out;
  std::ptrdiff_t step;  ///< from one pixel to the next
};

/// The inner loops of surface_blur(), compiled for each level as Kernels are.
struct SurfaceKernels {
  /// Computes `count` pixels. All that a window counts must fit into its type.
  void (*blur_words)(const SurfaceRow<std::uint16_t>& row, int count);
  void (*blur_integers)(const SurfaceRow<std::uint32_t>& row, int count);
};

}  // namespace cuda_filters::cpu
