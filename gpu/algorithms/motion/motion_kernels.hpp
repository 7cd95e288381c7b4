// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/algorithms/motion/motion.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// A weight and the pixel that it is of, so many floats from a result's own.
struct MotionTap {
  std::ptrdiff_t offset;
  float weight;
};

/// Paths of some pixels of a row.
struct MotionPaths {
  const float* pixels;    ///< of the picture at its row 0 and column 0, wherever it begins
  std::ptrdiff_t stride;  ///< floats from one row to the next
  int y;
  double center_x, center_y;
  const float *along, *across;  ///< of the points, and `lanes` more
  int point_count;
};

/// Where a line begins, and the direction of its shifts.
struct MotionLine {
  int column, row;     ///< the pixel before its first place
  float right, below;  ///< how far that place is beyond it
  float x, y;          ///< what `along` is shares of; `across` is shares of that turned clockwise
};

/// Lines side by side in a picture, and the shifts from where each begins to its points.
struct MotionLines {
  const float* pixels;    ///< the first of the picture
  std::ptrdiff_t stride;  ///< floats from one row to the next
  int width, height;      ///< beside it, it has its outermost pixels
  const MotionLine* lines;
  int line_count;
  const float *along, *across;  ///< of the points, and `lanes` more
  int point_count;              ///< up to 64
};

/// The inner loops of motion_blur(), compiled for each level as Kernels are.
struct MotionKernels {
  /// result[i] = Σ weight · in[offset + i], for `count` floats, and up to `lanes` more.
  void (*sum_taps)(const float* in, const MotionTap* taps, int tap_count, int count, float* result);
  /// The means of the paths of the `count` pixels from column x on.
  void (*follow_paths)(const MotionPaths& paths, int x, int count, float* result);
  /// Adds up the points of each line to its pair of pixels of `totals`, whose sum is what counts;
  /// pair point_count * line + i of `sums` becomes the total before point i.
  void (*sum_lines)(const MotionLines& lines, float* totals, float* sums);
};

}  // namespace cuda_filters::cpu
