// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/resample/resize.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using resample::Axis;

/// How many bytes of rows a tile may keep: half of a usual second-level cache.
constexpr int tile_bytes = 512 * 1024;
/// The largest windows of which all rows are kept.
constexpr int max_window_rows = 48;

/// The weights of one result, made once for all of its bands.
struct Tables {
  Size in, out;
  resample::ResampleSettings settings;
  Axis::Weights across, down;
};

const Tables& tables_for(std::any& slot, Size in, Size out,
                         const resample::ResampleSettings& settings) {
  const Tables* tables = std::any_cast<Tables>(&slot);
  if (tables != nullptr && tables->in == in && tables->out == out && tables->settings == settings)
    return *tables;
  return slot.emplace<Tables>(Tables{in, out, settings,
                                     Axis{in.width, out.width, settings}.weights(),
                                     Axis{in.height, out.height, settings}.weights()});
}

/// One tile of the result: sums along the columns of rows that stay in the cache, and of these
/// sums along the rows.
class Tile {
 public:
  Tile(const Input& in, const Output& out, const Tables& tables, Rect area)
      : in_{in}, out_{out}, tables_{tables}, area_{area} {
    const auto& windows = tables.across.windows;
    left_ = windows[area.x].begin;
    width_ = windows[area.right() - 1].end - left_;
    result_.resize(area.width);
  }

  void run() {
    if (tables_.down.taps <= max_window_rows)
      gather();
    else
      accumulate();
  }

 private:
  static RowBuffer& in_ring(std::vector<RowBuffer>& ring, int y) {
    return ring[static_cast<std::size_t>(y) % ring.size()];
  }

  /// Keeps all rows of a window.
  void gather() {
    std::vector<RowBuffer> rows(tables_.down.taps);
    for (RowBuffer& row : rows) row.resize(width_);
    RowBuffer sums(width_);
    int next = 0;
    for (int y = area_.y; y < area_.bottom(); ++y) {
      const IndexRange window = tables_.down.windows[y];
      for (next = std::max(next, window.begin); next < window.end; ++next)
        in_.load(left_, next, width_, in_ring(rows, next).floats());
      clear();
      for (int row = window.begin; row < window.end; ++row) add(in_ring(rows, row), weight(y, row));
      sum(sums);
      finish(y, sums);
    }
  }

  /// Keeps the sums that are not complete yet, and a few rows.
  void accumulate() {
    const int row_bytes = width_ * static_cast<int>(sizeof(Pixel));
    std::vector<RowBuffer> rows(std::clamp(tile_bytes / row_bytes, 4, max_window_rows));
    for (RowBuffer& row : rows) row.resize(width_);
    const int together = static_cast<int>(rows.size());
    std::vector<RowBuffer> begun;
    const auto& windows = tables_.down.windows;
    int first = area_.y;  // the first sum that is not complete
    int begin = 0;
    while (first < area_.bottom()) {
      begin = std::max(begin, windows[first].begin);
      const int end = std::min(begin + together, windows[area_.bottom() - 1].end);
      for (int row = begin; row < end; ++row)
        in_.load(left_, row, width_, in_ring(rows, row).floats());
      for (int y = first; y < area_.bottom() && windows[y].begin < end; ++y) {
        const auto place = static_cast<std::size_t>(y - first);
        if (place == begun.size()) begun.emplace_back(width_);
        clear();
        if (windows[y].begin < begin) add(begun[place], 1.0f);
        for (int row = std::max(begin, windows[y].begin); row < std::min(end, windows[y].end);
             ++row)
          add(in_ring(rows, row), weight(y, row));
        sum(begun[place]);
      }
      for (; first < area_.bottom() && windows[first].end <= end; ++first) {
        finish(first, begun.front());
        std::ranges::rotate(begun, begun.begin() + 1);
      }
      begin = end;
    }
  }

  float weight(int y, int row) const {
    const Axis::Weights& down = tables_.down;
    return down.values[static_cast<std::size_t>(y) * down.taps + (row - down.windows[y].begin)];
  }

  // The terms of a sum of rows.
  void clear() { terms_.clear(), weights_.clear(); }
  void add(const RowBuffer& row, float weight) {
    if (weight == 0.0f) return;
    terms_.push_back(row.floats());
    weights_.insert(weights_.end(), lanes, weight);
  }
  void sum(RowBuffer& to) const {
    sum_kernels().weighted_sum(terms_.data(), weights_.data(), static_cast<int>(terms_.size()),
                               to.floats(), std::size_t{4} * width_);
  }

  void finish(int y, const RowBuffer& sums) {
    const Axis::Weights& across = tables_.across;
    sum_kernels().resample_row(sums.floats(), left_, &across.windows[area_.x],
                               &across.values[static_cast<std::size_t>(area_.x) * across.taps],
                               across.taps, area_.width, result_.floats());
    out_.store(area_.x, y, area_.width, result_.floats());
  }

  const Input& in_;
  const Output& out_;
  const Tables& tables_;
  Rect area_;
  int left_ = 0, width_ = 0;  // of the input's columns
  std::vector<const float*> terms_;
  std::vector<float> weights_;
  RowBuffer result_;
};

/// Copies pixels as they are stored.
void pick(const Input& in, const Output& out, const Axis& across, const Axis& down) {
  const Rect area = out.area();
  const std::size_t bytes = in.codec().format.bytes_per_pixel();
  std::vector<std::size_t> columns;
  for (int x = area.x; x < area.right(); ++x) columns.push_back(across.window(x).begin * bytes);
  const auto copy = [&](auto pixel, int y) {
    const std::byte* from = in.codes(0, down.window(y).begin);
    std::byte* to = out.codes(area.x, y);
    for (const std::size_t column : columns) {
      std::copy_n(from + column, pixel(), to);
      to += pixel();
    }
  };
  parallel_for(area.height, [&](int row) {
    const int y = area.y + row;
    switch (bytes) {  // the compiler knows how to copy these
      case 4:
        return copy([] { return 4; }, y);
      case 8:
        return copy([] { return 8; }, y);
      case 16:
        return copy([] { return 16; }, y);
      default:
        return copy([=] { return bytes; }, y);
    }
  });
}

}  // namespace

void resize(Exec& exec, const Input& in, const Output& out,
            const resample::ResampleSettings& settings) {
  const Size from = in.image().size(), to = out.image().size();
  const Axis across{from.width, to.width, settings}, down{from.height, to.height, settings};
  if (across.picks() && down.picks()) return pick(in, out, across, down);
  const Tables& tables = tables_for(exec.cache_slot(), from, to, settings);
  const double ratio_x = static_cast<double>(from.width) / to.width;
  const double ratio_y = static_cast<double>(from.height) / to.height;
  // Tiles share the pixels at their edges: those should be few.
  const auto cells = [](double pixels, int taps, double ratio, int min_cells, int max_cells) {
    return std::clamp(static_cast<int>(std::max(pixels, 4.0 * taps) / ratio), min_cells, max_cells);
  };
  const int width = cells(1024.0, tables.across.taps, ratio_x, 16, 1024);
  const int height = cells(256.0, tables.down.taps, ratio_y, 1, 256);
  for_tiles(out.area(), width, height, [&](Rect area) { Tile{in, out, tables, area}.run(); });
}

}  // namespace cuda_filters::cpu
