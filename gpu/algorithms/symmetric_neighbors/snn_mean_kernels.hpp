// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// What a row of means is computed from: planes of floats, one for each channel, with the row's
/// first pixel at `center`.
struct SnnRow {
  int radius, pairs;
  float own_count;  ///< how often the pixel itself counts
  float share;      ///< of each color in the mean
  int colors;       ///< one, which stands for three that are equal, or three
  bool has_alpha;   ///< whether there is a plane of alpha after them
  const float* center;
  std::ptrdiff_t row, channel;  ///< how many floats lie from one to the next
};

/// The inner loop of snn_mean(), compiled for each level as Kernels are, with the same slack.
struct SnnMeanKernels {
  /// Computes `count` pixels, a row for each plane.
  void (*mean)(const SnnRow& row, int count, float* const* out);
};

}  // namespace cuda_filters::cpu
