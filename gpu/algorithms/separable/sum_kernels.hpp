// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/cpu/kernels.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loops of sums of neighbors, compiled for each level as Kernels are, with the same
/// slack.
struct SumKernels {
  /// out[i] = the sum over t of weights[lanes·t + i mod lanes] · inputs[t][i], for i < count.
  void (*weighted_sum)(const float* const* inputs, const float* weights, int taps, float* out,
                       std::size_t count);
  /// Cell k = the sum of the 32 pixels from 4k on, by `weights`.
  void (*decimate_row)(const float* pixels, const float* weights, int cells, float* out);
  /// Pixel 4k + p = the sum of the nine cells from k on, by weights[lanes·cell + 4p].
  void (*interpolate_row)(const float* cells, const float* weights, int groups, float* out);
  /// Sums of the windows of a group of box.hpp. `before` and `after` are the pixels on either side
  /// of the middle blocks, from the middle outwards: `head` that all windows hold, and 15 more.
  /// out[j] = (the sum of those before that window j holds + middle + those after) · scale.
  void (*group_sums)(const float* const* before, const float* const* after, int head,
                     const float* middle, float scale, float* const* out, std::size_t count);
  /// The same along a row, for `groups` groups of 16 pixels: left[i] and right[i] are the pixels at
  /// either end of the window of pixel i.
  void (*group_sums_row)(const float* left, const float* right, int head, const float* middles,
                         float scale, int groups, float* out);
  /// Pixel i = the sum of the pixels in windows[i], by the weights from i · `stride` on; `pixels`
  /// begin with number `first`.
  void (*resample_row)(const float* pixels, int first, const IndexRange* windows,
                       const float* weights, int stride, int count, float* out);
};

}  // namespace cuda_filters::cpu
