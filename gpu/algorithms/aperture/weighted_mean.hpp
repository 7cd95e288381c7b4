// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/algorithms/aperture/mirrored_rows.hpp"
#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/cpu/pictures.hpp"

namespace cuda_filters::cpu {

/// Weights of pixels around one, as taps, in which pixels side by side of weight 1 are one or few:
/// these are cut into pieces of fixed lengths, whose sums are made once a row. Nothing is ever
/// subtracted: the error stays that of a short sum, and a NaN touches no result but those of which
/// it is part.
struct RowTaps {
  /// The sum of some pixels of a row, the first one `dx` from the middle's column.
  struct Tap {
    int dx;
    int plane;  ///< which of the lengths it is
    float weight;
  };

  Halo reach;
  std::vector<int> lengths;  ///< 1, 2, 4 …
  std::vector<Tap> taps;     ///< row by row, from dy = -reach.y on
  std::vector<int> first;    ///< of each row's taps, and the end of all
  double sum = 0.0;          ///< of all weights, at each pixel
  /// The same weights, where it takes less time to add up pairs.
  std::optional<MirroredRows> mirrored{};

  int row_count() const { return 2 * reach.y + 1; }
  float scale() const { return static_cast<float>(1.0 / sum); }

  /// `weights`: from 0 to 1.
  static RowTaps of(const Matrix& weights) {
    const Halo reach{weights.radius_x(), weights.radius_y()};
    RowTaps made{reach, {1}, {}, {0}};
    while (made.lengths.back() <= (2 * reach.x + 1) / 2)
      made.lengths.push_back(2 * made.lengths.back());
    int longest = 1;
    for (int dy = -reach.y; dy <= reach.y; ++dy) {
      int run = 0;
      for (int dx = -reach.x; dx <= reach.x + 1; ++dx) {
        const double w = dx <= reach.x ? weights.at(dx + reach.x, dy + reach.y) : 0.0;
        made.sum += w;
        if (w == 1.0) {
          ++run;
          continue;
        }
        longest = std::max(longest, run);
        made.add_run(dx - run, run);
        run = 0;
        if (w > 0.0) made.taps.push_back({dx, 0, static_cast<float>(w)});
      }
      made.first.push_back(static_cast<int>(made.taps.size()));
    }
    while (made.lengths.back() > longest) made.lengths.pop_back();
    if (auto mirrored = MirroredRows::of(weights);
        mirrored && reach.y > 0 && 2 * mirrored->weights.size() < made.taps.size())
      made.mirrored = std::move(mirrored);
    return made;
  }

 private:
  void add_run(int dx, int count) {
    for (int plane = static_cast<int>(lengths.size()) - 1; plane >= 0; --plane)
      for (; count >= lengths[plane]; count -= lengths[plane], dx += lengths[plane])
        taps.push_back({dx, plane, 1.0f});
  }
};

/// The mean of the neighbors of each pixel of `area` by weights from 0 to 1. Those of 1 side by
/// side take little time.
void weighted_mean(const RowReader& in, Rect area, const RowTaps& weights, const RowWriter& out);

}  // namespace cuda_filters::cpu
