// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/bilateral/grid_cpu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gpu/core/luminance.hpp"

namespace cuda_filters::cpu {
namespace {

using bilateral::bin_count, bilateral::first_bin, bilateral::no_bin, bilateral::nodes_at_once;

/// What kernels may touch beyond the end of a row.
constexpr int slack = 5 * lanes;
constexpr int max_sums = 8;

/// Planes of floats of a rectangle.
class Stack {
 public:
  Stack(Exec& exec, Rect area, int planes)
      : area_{area},
        height_{area.height},
        memory_{exec.channel({0, 0, area.width + slack, area.height * planes})} {}

  Rect area() const { return area_; }
  float* at(int plane, int x, int y) const {
    return memory_.at(x - area_.x, plane * height_ + y - area_.y);
  }
  std::ptrdiff_t row() const { return memory_.stride(); }
  std::ptrdiff_t plane() const { return row() * height_; }
  BilateralPlanes centered(int x, int y) const { return {at(0, x, y), row(), plane()}; }

  /// Loads rows of a picture; take(pixel, plane) is what a plane has of a pixel.
  template <class Take>
  void load(const Input& in, int planes, Take take) const {
    parallel_for(height_, [&](int i) {
      thread_local RowBuffer buffer;
      const int y = area_.y + i;
      const Pixel* const pixels = in.row(area_.x, y, area_.width, buffer);
      for (int k = 0; k < planes; ++k) {
        float* const to = at(k, area_.x, y);
        for (int x = 0; x < area_.width; ++x) to[x] = take(pixels[x], k);
        std::fill_n(to + area_.width, lanes, 0.0f);
      }
    });
  }
  bool is_one(int plane) const {
    std::atomic<bool> same{true};
    parallel_for(height_, [&](int i) {
      const float* const row = at(plane, area_.x, area_.y + i);
      if (std::any_of(row, row + area_.width, [](float value) { return value != 1.0f; }))
        same = false;
    });
    return same;
  }

 private:
  Rect area_;
  int height_;
  Channel memory_;
};

/// The cells that those pixels are mixed from.
Rect cells_for(const bilateral::Grid& grid, Rect pixels) {
  const int x = grid.cell(pixels.x) - 1, y = grid.cell(pixels.y) - 1;
  return {x, y, grid.cell(pixels.right() - 1) + 2 - x, grid.cell(pixels.bottom() - 1) + 2 - y};
}
/// The pixels that those cells are made of.
Rect pixels_for(const bilateral::Grid& grid, Rect cells) {
  const int step = grid.step;
  return {(cells.x - 1) * step, (cells.y - 1) * step, (cells.width + 2) * step,
          (cells.height + 2) * step};
}

/// Weighted sums of some planes around each pixel, by the differences in one plane.
struct Sums {
  const Stack& guide;
  int guide_plane;
  const Stack& picture;
  int first_value, value_count;
  int alpha;        ///< the plane, or -1: weights are not multiplied by it
  bool counts_all;  ///< as GridSplat::counts_all

  int count() const { return value_count + 1 + (counts_all ? 1 : 0); }
  const float* guide_at(int x, int y) const { return guide.at(guide_plane, x, y); }
};

class GridSums {
 public:
  /// Adds to the planes of `result` from `first_result` on.
  GridSums(Exec& exec, const bilateral::Grid& grid, const Sums& sums, const Stack& result,
           int first_result)
      : exec_{exec},
        grid_{grid},
        sums_{sums},
        result_{result},
        first_result_{first_result},
        mixed_{cells_for(grid, result.area())},
        needed_{mixed_.grown(grid.reach, grid.reach)},
        nodes_{found_bins().data()} {}

  void run() {
    const Rect area = result_.area();
    parallel_for(area.height, [&](int i) {
      for (int k = 0; k < sums_.count(); ++k)
        std::fill_n(result_.at(first_result_ + k, area.x, area.y + i), area.width, 0.0f);
    });
    const int all = static_cast<int>(nodes_.numbers.size()), at_once = std::min(all, nodes_at_once);
    if (all == 0) return;
    const Stack cells{exec_, needed_, at_once * sums_.count()};
    const Stack blurred{exec_, mixed_, at_once * sums_.count()};
    for (int first = 0; first < all; first += at_once) {
      const int count = std::min(at_once, all - first);
      splat(first, count, cells);
      convolve(count * sums_.count(), cells, blurred);
      mix(first, count, blurred);
    }
  }

 private:
  std::vector<std::uint8_t> found_bins() const {
    constexpr int rows = 32;
    const Rect area = result_.area();
    std::vector<std::uint8_t> found(bin_count);
    std::mutex mutex;
    parallel_for((area.height + rows - 1) / rows, [&](int i) {
      std::vector<std::uint8_t> here(bin_count);
      for (int y = area.y + i * rows; y < std::min(area.y + (i + 1) * rows, area.bottom()); ++y) {
        const float* const values = sums_.guide_at(area.x, y);
        for (int x = 0; x < area.width; ++x)
          if (const int bin = grid_.bin(grid_.place(values[x])); bin != no_bin)
            here[bin - first_bin] = 1;
      }
      const std::lock_guard lock{mutex};
      for (int bin = 0; bin < bin_count; ++bin) found[bin] |= here[bin];
    });
    return found;
  }

  void splat(int first, int count, const Stack& cells) const {
    constexpr int columns = 128, rows = 16;
    const Rect area = cells.area();
    const int across = (area.width + columns - 1) / columns, down = (area.height + rows - 1) / rows;
    parallel_for(count * across * down, [&](int i) {
      const int node = i % count, x = area.x + i / count % across * columns,
                y = area.y + i / count / across * rows;
      const Rect tile{x, y, std::min(columns, area.right() - x), std::min(rows, area.bottom() - y)};
      splat_tile(nodes_.numbers[first + node], tile, cells, node * sums_.count());
    });
  }

  /// Goes down the rows of pixels, with the sums of three rows of cells.
  void splat_tile(int node, Rect tile, const Stack& cells, int first_plane) const {
    const int step = grid_.step, count = sums_.count();
    const Rect pixels = pixels_for(grid_, tile);
    const std::ptrdiff_t sum = pixels.width + lanes, row = sum * count;
    thread_local std::vector<float> ring;
    ring.assign(3 * row, 0.0f);
    const auto of_row = [&](int cell) { return ring.data() + ((cell % 3) + 3) % 3 * row; };
    GridSplat splat{};
    splat.value_count = sums_.value_count, splat.counts_all = sums_.counts_all;
    splat.node = grid_.node(node), splat.range = grid_.range, splat.sum = sum;
    for (int cell = tile.y - 1; cell <= tile.bottom(); ++cell) {
      for (int y = cell * step; y < (cell + 1) * step; ++y) {
        splat.guide = sums_.guide_at(pixels.x, y);
        for (int k = 0; k < sums_.value_count; ++k)
          splat.values[k] = sums_.picture.at(sums_.first_value + k, pixels.x, y);
        if (sums_.alpha >= 0) splat.alphas = sums_.picture.at(sums_.alpha, pixels.x, y);
        for (int k = 0; k < 3; ++k) {
          splat.weights[k] = grid_.spline_at(y)[(2 - k) * step];
          splat.sums[k] = of_row(cell - 1 + k);
        }
        bilateral_kernels().splat(splat, pixels.width);
      }
      float* const done = of_row(cell - 1);
      if (cell - 1 >= tile.y)
        for (int k = 0; k < count; ++k)
          sum_along(done + k * sum, tile.width, cells.at(first_plane + k, tile.x, cell - 1));
      std::fill_n(done, row, 0.0f);
    }
  }
  void sum_along(const float* pixels, int count, float* cells) const {
    for (int i = 0; i < count; ++i, pixels += grid_.step) {
      float sum = 0.0f;
      for (int t = 0; t < 3 * grid_.step; ++t) sum += grid_.spline[t] * pixels[t];
      cells[i] = sum;
    }
  }

  void convolve(int planes, const Stack& cells, const Stack& blurred) const {
    const Rect area = blurred.area();
    parallel_for(planes * area.height, [&](int i) {
      const int plane = i / area.height, y = area.y + i % area.height;
      bilateral_kernels().convolve(
          {cells.at(plane, area.x, y), cells.row(), grid_.kernel, grid_.ends, grid_.reach},
          area.width, blurred.at(plane, area.x, y));
    });
  }

  void mix(int first, int count, const Stack& blurred) const {
    const Rect area = result_.area(), cells = blurred.area();
    const int sums = sums_.count(), of_cell = count * sums;
    parallel_for(area.height, [&](int i) {
      const int y = area.y + i, above = grid_.cell(y) - 1;
      thread_local std::vector<float> row;
      row.resize(static_cast<std::size_t>(cells.width) * of_cell);
      const float* const spline = grid_.spline_at(y);
      const float weights[]{spline[2 * grid_.step], spline[grid_.step], spline[0]};
      for (int k = 0; k < of_cell; ++k) {
        const float* const a = blurred.at(k, cells.x, above);
        const float *const b = a + blurred.row(), *const c = b + blurred.row();
        for (int x = 0; x < cells.width; ++x)
          row[static_cast<std::size_t>(x) * of_cell + k] =
              weights[0] * a[x] + weights[1] * b[x] + weights[2] * c[x];
      }
      bilateral_kernels().mix({grid_, sums_.guide_at(area.x, y), nodes_.first_of_bin.data(), first,
                               count, row.data(), cells.x, sums, area.x},
                              area.width, result_.at(first_result_, area.x, y), result_.plane());
    });
  }

  Exec& exec_;
  const bilateral::Grid& grid_;
  const Sums& sums_;
  const Stack& result_;
  int first_result_;
  Rect mixed_, needed_;  ///< cells
  bilateral::Nodes nodes_;
};

/// Where the sums of a channel's mean are.
struct MeanOf {
  int guide_plane, sum, weight;
  bool is_alpha;  ///< which is 0 where nothing has any
};

/// Divides the sums of rows, and looks at discs where there is too little to divide by.
class Finishing {
 public:
  Finishing(const bilateral::Grid& grid, const BilateralRow& row, const Stack& picture,
            const Stack& guide, const Stack& sums, std::vector<MeanOf> means)
      : grid_{grid}, row_{row}, picture_{picture}, guide_{guide}, sums_{sums}, means_{means} {}

  void run(const Output& out) const {
    const Rect area = out.area();
    parallel_for(area.height, [&](int i) { finish(area.y + i, out); });
  }

 private:
  static constexpr int at_once = lanes;

  void finish(int y, const Output& out) const {
    const Rect area = out.area();
    const int channels = static_cast<int>(means_.size());
    thread_local std::vector<float> values, trusts;
    thread_local RowBuffer result;
    values.resize(static_cast<std::size_t>(channels) * area.width), trusts.resize(values.size());
    for (int c = 0; c < channels; ++c)
      divide(means_[c], area, y, picture_.at(c, area.x, y), &values[c * area.width],
             &trusts[c * area.width]);
    if (!row_.by_channel)  // all channels go by the same disc
      for (int c = channels - 1, x = 0; x < area.width; ++x) {
        const float trust = std::min(trusts[x], trusts[c * area.width + x]);
        for (int k = 0; k < channels; ++k) trusts[k * area.width + x] = trust;
      }
    for (int x = 0; x < area.width;) {
      bool is_sure = true;
      for (int c = 0; c < channels; ++c) is_sure = is_sure && !(trusts[c * area.width + x] < 1.0f);
      if (is_sure) {
        ++x;
        continue;
      }
      const int count = std::min(at_once, area.width - x);
      sum_discs(area.x + x, y, count, &values[x], &trusts[x], area.width);
      x += count;
    }
    result.resize(area.width);
    const auto at = [&](int c, int x) { return values[c * area.width + x]; };
    for (int x = 0; x < area.width; ++x)
      result.pixels()[x] = {at(0, x), at(row_.colors / 2, x), at(row_.colors - 1, x),
                            row_.weighted ? at(row_.colors, x) : 1.0f};
    out.store(area.x, y, area.width, result.floats());
  }

  void divide(const MeanOf& mean, Rect area, int y, const float* own, float* values,
              float* trusts) const {
    const float *const compared = guide_.at(mean.guide_plane, area.x, y),
                       *const sums = sums_.at(mean.sum, area.x, y),
                       *const weights = sums_.at(mean.weight, area.x, y);
    for (int x = 0; x < area.width; ++x) {
      const float weight = weights[x];
      const bool has_bin = grid_.bin(grid_.place(compared[x])) != no_bin;
      // No color that counts lies near, as far as the grid looks.
      const bool stays = has_bin && weight == 0.0f && !mean.is_alpha;
      values[x] = stays ? own[x] : sums[x] / weight;
      trusts[x] = stays ? 1.0f : has_bin ? grid_.trust(weight) : 0.0f;
    }
  }

  void sum_discs(int x, int y, int count, float* values, const float* trusts,
                 std::ptrdiff_t channel) const {
    float discs[4][at_once + lanes];
    float* rows[4]{discs[0], discs[1], discs[2], discs[3]};
    BilateralRow row = row_;
    row.picture = picture_.centered(x, y);
    row.guide = guide_.centered(x, y);
    cancellation_point();
    bilateral_kernels().blur(row, count, rows);
    for (std::size_t c = 0; c < means_.size(); ++c)
      for (int i = 0; i < count; ++i) {
        float& value = values[c * channel + i];
        const float trust = trusts[c * channel + i];
        if (!(trust > 0.0f))
          value = discs[c][i];
        else if (trust < 1.0f)
          value = discs[c][i] + trust * (value - discs[c][i]);
      }
  }

  const bilateral::Grid& grid_;
  const BilateralRow& row_;
  const Stack &picture_, &guide_, &sums_;
  std::vector<MeanOf> means_;
};

}  // namespace

void blur_by_grid(Exec& exec, const Input& in, const Input* guide, const Output& out,
                  const bilateral::BilateralSettings& settings, BilateralRow row,
                  int guide_planes) {
  const bilateral::GridPlan& plan = settings.grid;
  const bilateral::Grid grid =
      plan.with(plan.spline.data(), plan.kernel.data(), plan.ends.data(), plan.mixing.data());
  const Rect needed = pixels_for(grid, cells_for(grid, out.area()).grown(grid.reach, grid.reach));
  const int colors = row.colors;
  const Stack picture{exec, needed, colors + 1}, of_guide{exec, needed, guide_planes};
  picture.load(in, colors + 1, [&](const Pixel& p, int c) { return value_of(p, colors, c); });
  if (guide_planes > 0)
    of_guide.load(guide == nullptr ? in : *guide, guide_planes, [&](const Pixel& p, int c) {
      return row.by_channel ? value_of(p, colors, c) : luminance(p);
    });
  // The bits are the same with a weight of 1.
  row.weighted = !picture.is_one(colors);
  const Stack& compared = guide_planes > 0 ? of_guide : picture;
  const int alpha = row.weighted ? colors : -1, channels = colors + (row.weighted ? 1 : 0);
  const Stack sums{exec, out.area(), max_sums};
  std::vector<MeanOf> means;
  if (row.by_channel) {
    for (int c = 0; c < channels; ++c) {
      const Sums of_channel{compared, c, picture, c, 1, c == colors ? -1 : alpha, false};
      GridSums{exec, grid, of_channel, sums, 2 * c}.run();
      means.push_back({c, 2 * c, 2 * c + 1, c == colors});
    }
  } else {
    const Sums together{compared, 0, picture, 0, colors, alpha, row.weighted};
    GridSums{exec, grid, together, sums, 0}.run();
    for (int c = 0; c < channels; ++c)
      means.push_back({0, c, c == colors ? colors + 1 : colors, c == colors});
  }
  Finishing{grid, row, picture, compared, sums, means}.run(out);
}

}  // namespace cuda_filters::cpu
