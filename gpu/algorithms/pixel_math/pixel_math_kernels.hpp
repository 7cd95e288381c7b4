// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/pixel_math/program.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// Pixels of a row that a program is run for, at most `max_count` of them.
struct PixelMathBlock {
  static constexpr int max_count = 256;

  int x, y, count;         ///< where they begin in the layer, and how many they are
  float width, height;     ///< of the layer
  bool gray;               ///< the result is one color
  const Pixel* const* in;  ///< in[dy] + dx: pixels at (dx, dy) from here
  const Pixel* const* second;
};

/// The inner loops of evaluate_formula(), compiled for each level as Kernels are.
struct PixelMathKernels {
  /// Writes the results to `out`. `lines`: `max_count` floats for each operand, those of constants
  /// filled with these.
  void (*run)(const pixel_math::Program& program, const PixelMathBlock& block, float* lines,
              Pixel* out);
};

}  // namespace cuda_filters::cpu
