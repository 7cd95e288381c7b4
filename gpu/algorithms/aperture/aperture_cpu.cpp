// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "gpu/algorithms/aperture/aperture_kernels.hpp"
#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/groups.hpp"
#include "gpu/algorithms/aperture/weighted_mean.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int tile_width = 256, min_tile_height = 32, max_tile_height = 128;

/// Of the rows of an aperture, by how many taps each has.
std::vector<bool> ends_of_groups(const RowTaps& weights) {
  std::vector<int> additions;
  for (int row = 0; row < weights.row_count(); ++row)
    additions.push_back(weights.first[row + 1] - weights.first[row]);
  return aperture::ends_of_groups(additions);
}

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
  /// `ends`: of the aperture's rows, by which sums go, so that bits do not depend on tiles.
  TileSums(const RowTaps& weights, const std::vector<float>& in_lanes,
           const std::vector<bool>& ends, Rect area)
      : weights_{weights},
        in_lanes_{in_lanes},
        ends_{ends},
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
      if (ends_[row]) add_part(to - area_.y);
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
  const std::vector<bool>& ends_;
  Rect area_;
  int count_;
  std::vector<float> ones_;
  std::vector<RowBuffer> planes_, sums_, parts_;
  std::vector<const float*> inputs_;
};

/// Floats, 0 at first, whose first one begins a line of the cache, as vectors of them do.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t count)
      : floats_{static_cast<float*>(::operator new(count * sizeof(float), alignment))} {
    std::fill_n(floats_.get(), count, 0.0f);
  }
  float* data() { return floats_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Delete {
    void operator()(float* floats) const { ::operator delete(floats, alignment); }
  };
  std::unique_ptr<float, Delete> floats_;
};

/// The sums of one tile by mirrored weights. Two rows of the input at a time, an even one of the
/// image and the next, are added to all rows that they are part of, of which no more are kept.
class MirroredSums {
 public:
  MirroredSums(const MirroredRows& weights, Rect area)
      : weights_{weights},
        kernels_{aperture_kernels()},
        area_{area},
        reach_{weights.reach},
        strip_{rounded_up((area.width + kernels_.strips - 1) / kernels_.strips)},
        count_{strip_ + 2 * weights.reach_x},
        slot_count_{2 * reach_ + 2},
        width_{static_cast<std::size_t>(strip_) * kernels_.strips},
        stride_{4 * width_ + 2 * std::size_t{lanes}},
        plain_(width_ + 2 * weights.reach_x),
        in_(2 * in_floats()),
        pairs_(static_cast<std::size_t>(kernels_.pair_floats) * (weights.reach_x + 1)),
        parts_(stride_ * (slot_count_ + 1)),
        sums_(has_parts() ? stride_ * slot_count_ : 0),
        to_(slot_count_) {}

  void run(const RowReader& in, float scale, const RowWriter& out) {
    const int begin = area_.y - reach_, end = area_.bottom() + reach_;
    for (int y = begin & ~1; y < end; y += 2) {
      cancellation_point();
      for (int r = 0; r < 2; ++r) {
        float* const to = in_.data() + r * in_floats();
        if (y + r >= begin && y + r < end)
          load(in, y + r, to);
        else
          std::fill_n(to, in_floats(), 0.0f);
      }
      add(y);
      for (int r = 0; r < 2; ++r)
        if (area_.rows().contains({y + r - reach_, y + r - reach_ + 1}))
          store(y + r - reach_, scale, out);
    }
  }

 private:
  /// So many times two rows are added up by themselves, so that rounding does not add up.
  static constexpr int pairs_of_part = 32;

  int rounded_up(int strip) const {
    return (strip + kernels_.block - 1) / kernels_.block * kernels_.block;
  }
  bool has_parts() const { return reach_ >= pairs_of_part; }
  std::size_t in_floats() const { return std::size_t{4} * kernels_.strips * count_; }
  std::size_t slot(int y) const { return stride_ * ((y - area_.y) % slot_count_); }
  float* part(int y) { return parts_.data() + slot(y); }
  float* sum(int y) { return has_parts() ? sums_.data() + slot(y) : part(y); }

  void load(const RowReader& in, int y, float* to) {
    in.load(area_.x - weights_.reach_x, y, area_.width + 2 * weights_.reach_x, plain_.floats());
    kernels_.spread(plain_.floats(), strip_, count_, to);
  }

  void add(int y) {
    const auto inside = [&](int row) { return row >= area_.y && row < area_.bottom(); };
    float* const nowhere = parts_.data() + stride_ * slot_count_;
    for (int i = 0; i < slot_count_; ++i)
      to_[i] = inside(y - reach_ + i) ? part(y - reach_ + i) : nowhere;
    const int nearest = std::max({0, area_.y - y - 1, y - area_.bottom() + 1});
    kernels_.add_rows({.reach = reach_,
                       .reach_x = weights_.reach_x,
                       .weights = weights_.rows.data(),
                       .edges = weights_.weights.data(),
                       .rows = {in_.data(), in_.data() + in_floats()},
                       .nearest = nearest,
                       .sums = to_.data(),
                       .pairs = pairs_.data()},
                      strip_);
    if (!has_parts()) return;
    // By how many pairs of rows each has, no matter where the tile begins.
    for (int pair = pairs_of_part - 1; pair <= reach_; pair += pairs_of_part)
      for (int r = 0; r < 2; ++r)
        if (const int row = y + r + reach_ - 2 * pair; inside(row)) add_part(row);
  }

  void add_part(int y) {
    float* const part = this->part(y);
    float* const sum = this->sum(y);
    for (std::size_t i = 0; i < 4 * width_; ++i) sum[i] += part[i], part[i] = 0.0f;
  }

  void store(int y, float scale, const RowWriter& out) {
    if (has_parts()) add_part(y);
    kernels_.gather(sum(y), strip_, scale, plain_.floats());
    out.store(area_.x, y, area_.width, plain_.floats());
    std::fill_n(sum(y), 4 * width_, 0.0f);
  }

  const MirroredRows& weights_;
  const ApertureKernels& kernels_;
  Rect area_;
  int reach_, strip_, count_, slot_count_;
  std::size_t width_;
  std::size_t stride_;  ///< of the sums: rows do not lie in the same lines of the cache
  RowBuffer plain_;
  AlignedFloats in_, pairs_, parts_, sums_;
  std::vector<float*> to_;
};

}  // namespace

void weighted_mean(const RowReader& in, Rect wanted, const RowTaps& weights, const RowWriter& out) {
  const int reach = weights.reach.y;
  if (weights.mirrored) {
    // High tiles have few rows of the input beside them, but all threads want some. The sums of
    // narrow ones stay in the second cache.
    const int width = reach < 75 ? tile_width : tile_width / 2;
    const int across = (wanted.width + width - 1) / width;
    const int height = std::clamp(wanted.height * across / (4 * thread_count()),
                                  std::max(max_tile_height, reach), std::max(256, 8 * reach));
    for_tiles(wanted, width, height, [&](Rect area) {
      MirroredSums{*weights.mirrored, area}.run(in, weights.scale(), out);
    });
    return;
  }
  const std::vector<float> in_lanes = weights_in_lanes(weights);
  const std::vector<bool> ends = ends_of_groups(weights);
  const int tile_height = std::clamp(reach, min_tile_height, max_tile_height);
  for_tiles(wanted, tile_width, tile_height, [&](Rect area) {
    TileSums sums{weights, in_lanes, ends, area};
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
