// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/weighted_mean.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int tile_width = 256, min_tile_height = 32, max_tile_height = 128;
/// So many rows of an aperture are added up by themselves: the fewer terms a sum has, the less its
/// rounding adds up to. It goes by the rows of the aperture, so that bits do not depend on tiles.
constexpr int rows_of_part = 32;

/// The weights as the kernels want them: of each row first 1, for the sum so far.
std::vector<float> weights_in_lanes(const RowTaps& weights) {
  std::vector<float> all;
  for (int row = 0; row < weights.row_count(); ++row) {
    all.insert(all.end(), lanes, 1.0f);
    for (int t = weights.first[row]; t < weights.first[row + 1]; ++t)
      all.insert(all.end(), lanes, weights.taps[t].weight);
  }
  return all;
}

/// The sums of one tile: each row of the input is read once, and added to all rows that it is part
/// of.
class TileSums {
 public:
  TileSums(const RowTaps& weights, const std::vector<float>& in_lanes, Rect area)
      : weights_{weights},
        in_lanes_{in_lanes},
        area_{area},
        count_{area.width + 2 * weights.reach.x},
        ones_(std::size_t{2} * lanes, 1.0f) {
    planes_.resize(weights.lengths.size());
    for (RowBuffer& plane : planes_) plane.resize(count_);
    for (auto* rows : {&sums_, &parts_}) {
      rows->resize(area.height);
      for (RowBuffer& row : *rows) {
        row.resize(area.width);
        clear(row);
      }
    }
  }

  void add_row(const RowReader& in, int y) {
    load(in, y);
    const int reach = weights_.reach.y;
    const int end = std::min(area_.bottom() - 1, y + reach);
    for (int to = std::max(area_.y, y - reach); to <= end; ++to) {
      const int row = y - to + reach;
      float* const part = parts_[to - area_.y].floats();
      inputs_.assign(1, part);
      for (int t = weights_.first[row]; t < weights_.first[row + 1]; ++t) {
        const RowTaps::Tap& tap = weights_.taps[t];
        inputs_.push_back(planes_[tap.plane].floats() +
                          std::size_t{4} * (weights_.reach.x + tap.dx));
      }
      const std::size_t before = static_cast<std::size_t>(weights_.first[row]) + row;
      sum_kernels().weighted_sum(inputs_.data(), in_lanes_.data() + before * lanes,
                                 static_cast<int>(inputs_.size()), part,
                                 std::size_t{4} * area_.width);
      if ((row + 1) % rows_of_part == 0 || row == 2 * reach) add_part(to - area_.y);
    }
  }

  void store(const RowWriter& out) {
    const float scale = weights_.scale();
    for (int y = 0; y < area_.height; ++y) {
      float* const sum = sums_[y].floats();
      for (int i = 0; i < 4 * area_.width; ++i) sum[i] *= scale;
      out.store(area_.x, area_.y + y, area_.width, sum);
    }
  }

 private:
  void clear(RowBuffer& row) const {
    std::fill_n(row.floats(), std::size_t{4} * area_.width + lanes, 0.0f);
  }

  void add_part(int row) {
    const float* const both[]{sums_[row].floats(), parts_[row].floats()};
    sum_kernels().weighted_sum(both, ones_.data(), 2, sums_[row].floats(),
                               std::size_t{4} * area_.width);
    clear(parts_[row]);
  }

  /// Loads a row, and sums up what lies side by side.
  void load(const RowReader& in, int y) {
    in.load(area_.x - weights_.reach.x, y, count_, planes_[0].floats());
    for (std::size_t k = 1; k < planes_.size(); ++k) {
      const float* const before = planes_[k - 1].floats();
      const float* const both[]{before, before + std::size_t{4} * weights_.lengths[k - 1]};
      sum_kernels().weighted_sum(both, ones_.data(), 2, planes_[k].floats(),
                                 std::size_t{4} * (count_ - weights_.lengths[k] + 1));
    }
  }

  const RowTaps& weights_;
  const std::vector<float>& in_lanes_;
  Rect area_;
  int count_;
  std::vector<float> ones_;
  std::vector<RowBuffer> planes_, sums_, parts_;
  std::vector<const float*> inputs_;
};

}  // namespace

void weighted_mean(const RowReader& in, Rect wanted, const RowTaps& weights, const RowWriter& out) {
  const std::vector<float> in_lanes = weights_in_lanes(weights);
  const int reach = weights.reach.y;
  const int tile_height = std::clamp(reach, min_tile_height, max_tile_height);
  for_tiles(wanted, tile_width, tile_height, [&](Rect area) {
    TileSums sums{weights, in_lanes, area};
    for (int y = area.y - reach; y < area.bottom() + reach; ++y) {
      cancellation_point();
      sums.add_row(in, y);
    }
    sums.store(out);
  });
}

void aperture_mean(Exec&, const Input& in, const Output& out, const aperture::Aperture& aperture) {
  weighted_mean(in, out.area(), RowTaps::of(aperture::weights_of(aperture)), out);
}

}  // namespace cuda_filters::cpu
