// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/local_laplacian/local_laplacian.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// What a row of a level takes from a sample's pyramid.
struct SampledRow {
  local_laplacian::Change change;
  float value, place, scale;  ///< of the sample; its number; samples a unit
  int width, coarse_width;
  const float* guide;      ///< the values at which coefficients are asked for
  const float* fine;       ///< the row of the level, or null: what `change` makes of the guide's
  const float* coarse[3];  ///< rows y - 1, y and y + 1 of the level above
  bool is_odd;             ///< stands between the last two of them
  float* sum;              ///< to which the coefficients, times their weights, are added
};

/// The inner loops of the local Laplacian filter, compiled for each level as Kernels are. All rows
/// have room for whole vectors of `lanes` floats.
struct LocalLaplacianKernels {
  /// to[i] = change(values[i] - value)
  void (*change)(const local_laplacian::Change& change, float value, const float* values, int count,
                 float* to);
  /// REDUCE of five rows of `width` pixels, which go on beyond their ends as these are; `buffer`
  /// has room for 4 + `lanes` floats more.
  void (*reduce)(const float* const* rows, int width, float* buffer, float* to);
  void (*add_coefficients)(const SampledRow& row);
  /// fine += EXPAND of the rows of the level above.
  void (*add_expanded)(const float* const* coarse, bool is_odd, int coarse_width, int width,
                       float* fine);
};

}  // namespace cuda_filters::cpu
