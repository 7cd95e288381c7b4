// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <vector>

#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// The weights of a sum of neighbors that are not 0, laid out for SumKernels::weighted_sum.
struct Taps {
  struct Offset {
    int x, y;
  };
  std::vector<Offset> offsets;
  std::vector<float> weights;  ///< `lanes` a tap
  int radius_x = 0, radius_y = 0;

  /// Adds a neighbor, unless its weight is 0. `alpha_weight` is the weight of the alpha channel.
  void add(int x, int y, float weight, float alpha_weight);
  /// One axis, from -weights.size() / 2 on.
  static Taps along_x(const std::vector<float>& weights);
  static Taps along_y(const std::vector<float>& weights);

  bool copies() const;
};

/// What is done to a row of results before it is stored.
using Finish = std::function<void(Pixel*, int count)>;

/// Stores, for every pixel of `area`, the sum over `rows_first` of rows and then over `then` of
/// those sums; `rows_first` must have radius_y 0. Work is cut into tiles that stay in the cache.
void sum_neighbors(const RowReader& in, Rect area, const Taps& rows_first, const Taps& then,
                   const Finish& finish, const RowWriter& out);

}  // namespace cuda_filters::cpu
