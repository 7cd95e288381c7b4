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

/// A row of pixels and their weights, of which one that is 0 leaves its pixel out.
struct WeighedRows {
  const float* weights;
  ColorRows colors;
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
  /// weights[i] = what `exponent` makes of what the 2 · radius + 1 rows of `sums` are together.
  void (*weigh)(const float* const* sums, int radius, const non_local_means::Exponent& exponent,
                int count, float* weights);
  /// Adds to the `totals` of the pixels `of` those of `ahead` and, unless their row of weights is
  /// null, of `behind`.
  void (*accumulate)(const ColorRows& of, const WeighedRows& ahead, const WeighedRows& behind,
                     int colors, int count, const WeightedRows& totals);
};

}  // namespace cuda_filters::cpu
