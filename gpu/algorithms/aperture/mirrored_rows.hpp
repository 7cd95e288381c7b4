// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "gpu/algorithms/aperture/aperture_kernels.hpp"
#include "gpu/algorithms/convolution/matrix.hpp"

namespace cuda_filters::cpu {

/// Weights that are the same left and right of the middle, and above and below it, as those of a
/// disc: both pixels so far to the left and to the right, a pair, have one weight, and both rows so
/// far above and below have the same sum.
struct MirroredRows {
  int reach;    ///< of the rows
  int reach_x;  ///< of the pairs
  std::vector<MirroredRow>
      rows;  ///< by their distance from the middle, with no more weights of 1 each
  std::vector<float> weights;

  /// Nothing where weights are not mirrored, have gaps, or those of 1 are not around the middle.
  static std::optional<MirroredRows> of(const Matrix& matrix) {
    constexpr double rounding = 1e-9;
    const int reach = matrix.radius_y(), reach_x = matrix.radius_x();
    MirroredRows made{reach, reach_x, {}, {}};
    made.rows.resize(reach + 1);
    int columns = 0;
    for (int k = reach; k >= 0; --k) {
      std::vector<double> row;
      for (int j = 0; j <= reach_x; ++j) {
        const double weight = matrix.at(reach_x + j, reach + k);
        for (const int dx : {-j, j})
          for (const int dy : {-k, k})
            if (!(std::abs(matrix.at(reach_x + dx, reach + dy) - weight) < rounding)) return {};
        row.push_back(weight > 1.0 - rounding ? 1.0 : weight);
      }
      const auto weighs = [](double weight) { return weight > 0.0; };
      const auto full = std::ranges::find_if(row, [](double weight) { return weight < 1.0; });
      const auto begin = std::find_if(full, row.end(), weighs);
      const auto end = std::find_if_not(begin, row.end(), weighs);
      if (std::find_if(end, row.end(), weighs) != row.end()) return {};
      MirroredRow& of_row = made.rows[k];
      of_row = {static_cast<int>(full - row.begin()), static_cast<int>(begin - row.begin()),
                static_cast<int>(end - row.begin()), made.weights.size(), 0};
      if (begin == row.end()) of_row.begin = of_row.end = of_row.full;
      if (k < reach && of_row.full < made.rows[k + 1].full) return {};
      of_row.columns = columns = std::max({columns, of_row.full, of_row.end});
      made.weights.insert(made.weights.end(), begin, end);
    }
    return made;
  }
};

}  // namespace cuda_filters::cpu
