// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/non_local_means/non_local_means.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// Rows of up to three colors, each by itself.
struct ColorRows {
  const float* row[3];
};

/// What is summed up for each pixel of a row: the weights, and each color's differences from the
/// pixel times these.
struct WeightedRows {
  float* weights;
  float* differences[3];
};

/// The inner loops of nl_means(), compiled for each level as Kernels are, with the same slack.
struct NlMeansKernels {
  /// sums[i] = the squared differences of the 2 · radius + 1 pixels from number i on, of all
  /// colors, for i < count. `buffer` has room for as many pixels as are read.
  void (*row_sums)(const ColorRows& from, const ColorRows& to, int colors, int radius, int count,
                   float* buffer, float* sums);
  /// Adds to `totals` the pixels of `to`, by the weight that `exponent` makes of what the 2 ·
  /// radius + 1 rows of `sums` are together.
  void (*accumulate)(const float* const* sums, int radius,
                     const non_local_means::Exponent& exponent, const ColorRows& from,
                     const ColorRows& to, int colors, int count, const WeightedRows& totals);
};

}  // namespace cuda_filters::cpu
