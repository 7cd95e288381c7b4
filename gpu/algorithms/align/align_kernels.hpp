// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/align/align.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loops of the search for shifts and of the moving, compiled for each level as Kernels
/// are, and as EdgeKernels without fused multiply-adds: all levels and the GPU give the same bits.
struct AlignKernels {
  /// Pixels to what they are on their plate.
  void (*luma)(const float* pixels, int count, float* out);
  /// Two rows to one of the next level.
  void (*halve)(const float* above, const float* below, int count, float* out);
  /// The medians of 3 × 3 samples, which need not be finite; the rows have one more at both ends.
  void (*median)(const float* above, const float* middle, const float* below, int count,
                 float* out);
  /// Nine rows to one that is smoothed from row to row.
  void (*smooth_down)(const float* const* rows, int count, float* out);
  /// The same along a row that has four more samples at both ends.
  void (*smooth_along)(const float* row, int count, float* out);
  /// Contours from smoothed rows that have one more sample at both ends.
  void (*contours)(const float* above, const float* middle, const float* below, int count,
                   float* out);
  void (*contour_codes)(const float* contours, int count, float scale, std::uint8_t* codes);
  /// Adds a row of contours of both plates.
  void (*add_products)(const std::uint8_t* f, const std::uint8_t* g, int count, align::Sums& sums);
  /// Cubic interpolation between four rows, and along a row from its sample 1 on.
  void (*interpolate_down)(const float* const* rows, const align::CubicWeights& weights, int count,
                           float* out);
  void (*interpolate_along)(const float* row, const align::CubicWeights& weights, int count,
                            float* out);
};

/// What place() asks about plates in the memory of this executor, which must stay there.
std::unique_ptr<align::Matcher> make_matcher(const align::Scan& scan);

}  // namespace cuda_filters::cpu
