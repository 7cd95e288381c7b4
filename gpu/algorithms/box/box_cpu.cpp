// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/separable/channel_cpu.hpp"
#include "gpu/algorithms/separable/covering_cpu.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/algorithms/separable/taps.hpp"

namespace cuda_filters::cpu {
namespace {

using box::block;
using box::mean_weight;

std::vector<float> equal_weights(int radius) {
  return std::vector<float>(2 * radius + 1, mean_weight(radius));
}

/// Sixteen lanes for each of `count` terms that are just added.
std::vector<float> ones(int count) {
  return std::vector<float>(static_cast<std::size_t>(lanes) * count, 1.0f);
}

/// Rows in a ring, each with slack: row y is in the place of row y - rows.
class Ring {
 public:
  Ring(int rows, int width)
      : rows_{rows},
        stride_{std::size_t{4} * width + lanes},
        floats_{new float[stride_ * static_cast<std::size_t>(rows)]} {}
  float* row(int y) {
    return floats_.get() + static_cast<std::size_t>(((y % rows_) + rows_) % rows_) * stride_;
  }

 private:
  int rows_;
  std::size_t stride_;
  std::unique_ptr<float[]> floats_;
};

/// Means along the rows.
class Across {
 public:
  Across(const RowReader& in, int x, int width, int radius)
      : in_{in}, x_{x}, width_{width}, radius_{radius} {
    if (!box::uses_blocks(radius)) taps_ = Taps::along_x(equal_weights(radius));
  }

  void run(int y, float* out) const {
    if (radius_ == 0)
      in_.load(x_, y, width_, out);
    else if (!box::uses_blocks(radius_))
      weigh(y, out);
    else
      add_groups(y, out);
  }

 private:
  void weigh(int y, float* out) const {
    thread_local RowBuffer raw;
    raw.resize(width_ + 2 * radius_);
    in_.load(x_ - radius_, y, width_ + 2 * radius_, raw.floats());
    std::vector<const float*> inputs;
    for (const auto& offset : taps_.offsets)
      inputs.push_back(raw.floats() + std::size_t{4} * (radius_ + offset.x));
    sum_kernels().weighted_sum(inputs.data(), taps_.weights.data(), static_cast<int>(inputs.size()),
                               out, std::size_t{4} * width_);
  }

  void add_groups(int y, float* out) const {
    thread_local RowBuffer raw, sums, eights, middles, result;
    const auto groups = box::blocks_of(x_, x_ + width_);
    const int reach = box::reach(radius_), margin = reach + 2;
    const int first = groups.first - margin, count = groups.count + 2 * margin;
    raw.resize(std::size_t{block} * count);
    in_.load(x_ - radius_, y, width_ + 2 * radius_,
             raw.floats() + std::size_t{4} * (x_ - radius_ - block * first));
    sums.resize(count), eights.resize(count), middles.resize(groups.count);
    const auto add = [](const Pixel* pixels, int n) {
      Pixel sum{};
      for (int i = 0; i < n; ++i) sum = sum + pixels[i];
      return sum;
    };
    for (int k = 0; k < count; ++k)
      sums.pixels()[k] = add(raw.pixels() + std::size_t{block} * k, block);
    const int terms = 2 * reach + 1;
    if (terms >= box::together)
      for (int k = 0; k + box::together <= count; ++k)
        eights.pixels()[k] = add(sums.pixels() + k, box::together);
    for (int g = 0; g < groups.count; ++g) {
      Pixel sum{};
      int k = margin + g - reach;
      const int end = k + terms;
      for (; k + box::together <= end; k += box::together) sum = sum + eights.pixels()[k];
      for (; k < end; ++k) sum = sum + sums.pixels()[k];
      middles.pixels()[g] = sum;
    }
    result.resize(std::size_t{block} * groups.count);
    const float* const pixels = raw.floats() + std::size_t{4} * block * margin;
    sum_kernels().group_sums_row(
        pixels - std::size_t{4} * radius_, pixels + std::size_t{4} * radius_, box::head(radius_),
        middles.floats(), mean_weight(radius_), groups.count, result.floats());
    std::copy_n(result.floats() + std::size_t{4} * (x_ - block * groups.first),
                std::size_t{4} * width_, out);
  }

  const RowReader& in_;
  int x_, width_, radius_;
  Taps taps_;
};

/// Means over windows of which one side is large: a chunk of rows after the other, the rows in a
/// ring, and all threads on the rows of a chunk and then on its strips of columns.
class Mean {
 public:
  Mean(const RowReader& in, Rect area, int radius_x, int radius_y, const RowWriter& out)
      : across_{in, area.x, area.width, radius_x},
        area_{area},
        radius_{radius_y},
        reach_{box::reach(radius_y)},
        by_blocks_{box::uses_blocks(radius_y)},
        out_{out},
        rows_{chunk + 2 * radius_y + 2 * block, area.width},
        sums_{by_blocks_ ? chunk / block + 2 * reach_ + 2 : 0, area.width},
        eights_{by_blocks_ ? chunk / block + 2 * reach_ + 2 : 0, area.width},
        next_block_{box::block_of(area.y) - reach_},
        ones_{ones(std::max(block, 2 * reach_ + 1))},
        weights_{Taps::along_y(equal_weights(by_blocks_ ? 0 : radius_y)).weights} {}

  void run() {
    int next_row = area_.y - radius_;
    for (int y = area_.y; y < area_.bottom();) {
      const int chunk_begin = y & -chunk;  // rounded down, above the image, too
      const int end = std::min(chunk_begin + chunk, area_.bottom());
      const int rows_end = end + radius_;
      parallel_for(rows_end - next_row,
                   [&](int i) { across_.run(next_row + i, rows_.row(next_row + i)); });
      next_row = rows_end;
      const int blocks_end = box::block_of(end - 1) + reach_ + 1;
      parallel_for((area_.width + strip - 1) / strip, [&](int i) {
        const int x = strip * i, width = std::min(strip, area_.width - x);
        if (by_blocks_)
          down_by_blocks(x, width, y, end, blocks_end);
        else
          down(x, width, y, end);
      });
      next_block_ = blocks_end;
      y = end;
    }
  }

 private:
  static constexpr int chunk = 128, strip = 64;
  static_assert((chunk & (chunk - 1)) == 0);

  /// One strip of rows by_blocks_ does not hold for.
  void down(int x, int width, int begin, int end) {
    RowBuffer result(width);
    std::vector<const float*> inputs(2 * radius_ + 1);
    for (int y = begin; y < end; ++y) {
      for (int k = 0; k <= 2 * radius_; ++k)
        inputs[k] = rows_.row(y - radius_ + k) + std::size_t{4} * x;
      sum_kernels().weighted_sum(inputs.data(), weights_.data(), static_cast<int>(inputs.size()),
                                 result.floats(), std::size_t{4} * width);
      out_.store(area_.x + x, y, width, result.floats());
    }
  }

  /// out = the sum of `count` rows from row(0) on.
  template <class Row>
  void add(Row row, int count, int width, float* out) const {
    thread_local std::vector<const float*> inputs;
    inputs.clear();
    for (int k = 0; k < count; ++k) inputs.push_back(row(k));
    sum_kernels().weighted_sum(inputs.data(), ones_.data(), count, out, std::size_t{4} * width);
  }

  void down_by_blocks(int x, int width, int begin, int end, int blocks_end) {
    const std::size_t at = std::size_t{4} * x;
    thread_local RowBuffer sum, results[block];
    sum.resize(width);
    for (RowBuffer& result : results) result.resize(width);
    // Kernels write some lanes more than asked for, which belong to the next strip's thread.
    const auto keep = [&](Ring& ring, int k) {
      std::copy_n(sum.floats(), std::size_t{4} * width, ring.row(k) + at);
    };
    for (int k = next_block_; k < blocks_end; ++k) {
      add([&](int i) { return rows_.row(block * k + i) + at; }, block, width, sum.floats());
      keep(sums_, k);
    }
    const int terms = 2 * reach_ + 1, first_block = box::block_of(area_.y) - reach_;
    if (terms >= box::together)
      for (int k = std::max(first_block, next_block_ - box::together + 1);
           k + box::together <= blocks_end; ++k) {
        add([&](int i) { return sums_.row(k + i) + at; }, box::together, width, sum.floats());
        keep(eights_, k);
      }
    const int head = box::head(radius_);
    const float *before[2 * block], *after[2 * block];
    float* out[block];
    for (int i = 0; i < block; ++i) out[i] = results[i].floats();
    for (int g = box::block_of(begin); g <= box::block_of(end - 1); ++g) {
      const int y = block * g, first = g - reach_;
      const int many = terms / box::together, rest = terms % box::together;
      add(
          [&](int i) {
            return (i < many ? eights_.row(first + box::together * i)
                             : sums_.row(first + box::together * many + i - many)) +
                   at;
          },
          many + rest, width, sum.floats());
      // Rows beyond these take part in sums only that nobody wants.
      for (int i = 0; i < head + block - 1; ++i) {
        before[i] = rows_.row(std::max(y - radius_ + block - 2 + head - i, begin - radius_)) + at;
        after[i] = rows_.row(std::min(y + radius_ + 1 - head + i, end - 1 + radius_)) + at;
      }
      sum_kernels().group_sums(before, after, head, sum.floats(), mean_weight(radius_), out,
                               std::size_t{4} * width);
      for (int i = std::max(0, begin - y); i < std::min(block, end - y); ++i)
        out_.store(area_.x + x, y + i, width, out[i]);
    }
  }

  Across across_;
  Rect area_;
  int radius_, reach_;
  bool by_blocks_;
  const RowWriter& out_;
  Ring rows_, sums_, eights_;
  int next_block_;
  std::vector<float> ones_, weights_;
};

void mean(const RowReader& in, Rect area, int radius_x, int radius_y, const RowWriter& out) {
  if (box::uses_blocks(radius_x) || box::uses_blocks(radius_y))
    return Mean{in, area, radius_x, radius_y, out}.run();
  sum_neighbors(in, area, Taps::along_x(equal_weights(radius_x)),
                Taps::along_y(equal_weights(radius_y)), {}, out);
}

}  // namespace

void box_filter(Exec&, const Input& in, const Output& out, int radius_x, int radius_y,
                Border border) {
  const auto [width, height] = in.image().size();
  covering::Axis columns, rows;
  if (covering::applies(in.is_temporary(), width, out.area().columns()))
    columns = box::covering(radius_x, width, border);
  if (covering::applies(in.is_temporary(), height, out.area().rows()))
    rows = box::covering(radius_y, height, border);
  if (columns) radius_x = 0;
  if (rows) radius_y = 0;
  with_covering(in, out.area(), radius_x, columns, rows, out,
                [=](const RowReader& from, Rect area, const RowWriter& to) {
                  mean(from, area, radius_x, radius_y, to);
                });
}

void box_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x, int radius_y,
                Border) {
  sum_channel(
      exec, in, out, radius_y,
      [=](const RowReader& from, Rect area, const RowWriter& to) {
        mean(from, area, radius_x, 0, to);
      },
      [=](const RowReader& from, Rect area, const RowWriter& to) {
        mean(from, area, 0, radius_y, to);
      });
}

}  // namespace cuda_filters::cpu
