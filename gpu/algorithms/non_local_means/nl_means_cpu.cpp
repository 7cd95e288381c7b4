// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "gpu/algorithms/non_local_means/nl_means.hpp"
#include "gpu/algorithms/non_local_means/nl_means_kernels.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using non_local_means::Exponent;
using non_local_means::max_patch_radius;
using non_local_means::NonLocalMeansSettings;

/// Tiles so small that what a core goes through for each offset stays in its cache.
constexpr int tile_width = 256, tile_height = 32;

constexpr int rounded_up(int count) { return (count + lanes - 1) / lanes * lanes; }

/// Some floats that are 0 at first, in rows.
class Rows {
 public:
  void resize(int width, int height) {
    stride_ = rounded_up(width) + lanes;
    floats_.assign(static_cast<std::size_t>(stride_) * height, 0.0f);
  }
  /// Adds what `other` of the same size has, and makes that 0.
  void take(Rows& other) {
    for (std::size_t i = 0; i < floats_.size(); ++i) floats_[i] += other.floats_[i];
    std::ranges::fill(other.floats_, 0.0f);
  }
  float* at(int x, int y) { return &floats_[static_cast<std::size_t>(y) * stride_ + x]; }

 private:
  int stride_ = 0;
  std::vector<float> floats_;
};

/// One tile, with a plane for each color; x and y count from its first pixel.
class Tile {
 public:
  void compute(const Input& in, const Output& out, Rect area, int colors,
               const NonLocalMeansSettings& settings) {
    colors_ = colors, reach_ = settings.reach();
    load(in, area);
    const int radius = settings.patch_radius, search = settings.search_radius;
    const int count = rounded_up(area.width);
    for (Rows& rows : totals_) rows.resize(count, area.height);
    const int max_count = rounded_up(area.width + search);
    buffer_.resize(max_count + 2 * radius, 1);
    sums_.resize(max_count, 2 * radius + 1);
    weights_.resize(max_count, area.height + search);
    for (Rows& rows : row_totals_) rows.resize(count, area.height);
    for (int dy = 0; dy <= search; ++dy) {
      cancellation_point();
      for (int dx = dy == 0 ? 0 : -search; dx <= search; ++dx)
        add_offsets(dx, dy, radius, area, Exponent{settings, colors});
      for (std::size_t k = 0; k < std::size(totals_); ++k) totals_[k].take(row_totals_[k]);
    }
    store(out, area);
  }

 private:
  void load(const Input& in, Rect area) {
    const Rect needed = area.grown(reach_, reach_);
    pixels_.resize(needed.width);
    for (int c = 0; c < colors_; ++c)
      planes_[c].resize(rounded_up(area.width) + 2 * reach_ + 2 * lanes, needed.height);
    alpha_.resize(area.width, area.height);
    for (int y = 0; y < needed.height; ++y) {
      in.load(needed.x, needed.y + y, needed.width, pixels_.floats());
      for (int c = 0; c < colors_; ++c) {
        float* const to = planes_[c].at(0, y);
        for (int x = 0; x < needed.width; ++x) to[x] = pixels_.floats()[4 * x + c];
      }
      if (const int row = y - reach_; row >= 0 && row < area.height)
        for (int x = 0; x < area.width; ++x)
          *alpha_.at(x, row) = pixels_.floats()[4 * (x + reach_) + 3];
    }
  }

  ColorRows colors_at(int x, int y) {
    ColorRows rows{};
    for (int c = 0; c < colors_; ++c) rows.row[c] = planes_[c].at(x + reach_, y + reach_);
    return rows;
  }

  /// Adds the pixels at (dx, dy) from each of the tile, and at (-dx, -dy): the weight of the latter
  /// is that of the former for the pixel there. dy is not negative.
  void add_offsets(int dx, int dy, int radius, Rect area, const Exponent& exponent) {
    const NlMeansKernels& kernels = nl_means_kernels();
    const int first = std::min(0, -dx), count = rounded_up(area.width + std::abs(dx));
    weigh(dx, dy, radius, {first, -dy, count, area.height + dy}, exponent);
    const bool both = dx != 0 || dy != 0;
    for (int y = 0; y < area.height; ++y)
      kernels.accumulate(
          colors_at(0, y), {weights_.at(-first, y + dy), colors_at(dx, y + dy)},
          {both ? weights_.at(-dx - first, y) : nullptr, colors_at(-dx, y - dy)}, colors_,
          rounded_up(area.width),
          {row_totals_[0].at(0, y),
           {row_totals_[1].at(0, y), row_totals_[2].at(0, y), row_totals_[3].at(0, y)}});
  }

  /// The weights of the pixels at (dx, dy) from those of `area`, from the first of weights_ on.
  void weigh(int dx, int dy, int radius, Rect area, const Exponent& exponent) {
    const NlMeansKernels& kernels = nl_means_kernels();
    const int taps = 2 * radius + 1;
    for (int y = 0; y < area.height + 2 * radius; ++y) {
      const int from_x = area.x - radius, from_y = area.y - radius + y;
      kernels.row_sums(colors_at(from_x, from_y), colors_at(from_x + dx, from_y + dy), colors_,
                       radius, area.width, buffer_.at(0, 0), sums_.at(0, y % taps));
      if (y < 2 * radius) continue;
      const int row = y - 2 * radius;
      std::array<const float*, 2 * max_patch_radius + 1> sums{};
      for (int t = 0; t < taps; ++t) sums[t] = sums_.at(0, (row + t) % taps);
      kernels.weigh(sums.data(), radius, exponent, area.width, weights_.at(0, row));
    }
  }

  void store(const Output& out, Rect area) {
    for (int y = 0; y < area.height; ++y) {
      for (int c = 0; c < 3; ++c) {
        const int plane = std::min(c, colors_ - 1);
        const float* const before = planes_[plane].at(reach_, y + reach_);
        const float *const weights = totals_[0].at(0, y), *const sums = totals_[plane + 1].at(0, y);
        float* const to = pixels_.floats() + c;
        for (int x = 0; x < area.width; ++x)
          to[4 * x] = weights[x] > 0.0f ? before[x] + sums[x] / weights[x] : before[x];
      }
      for (int x = 0; x < area.width; ++x) pixels_.floats()[4 * x + 3] = *alpha_.at(x, y);
      out.store(area.x, area.y + y, area.width, pixels_.floats());
    }
  }

  int colors_ = 0, reach_ = 0;
  RowBuffer pixels_;
  Rows planes_[3], alpha_, buffer_, sums_, weights_;
  // The weights, and what is summed up of each color: of a row of offsets, and of all rows before.
  // So long sums stay exact.
  Rows row_totals_[4], totals_[4];
};

}  // namespace

void nl_means(Exec&, const Input& in, const Output& out, const NonLocalMeansSettings& settings) {
  const int colors = in.codec().format.colors();
  std::atomic<std::int64_t> pixels_done = 0;
  const double all = static_cast<double>(out.area().width) * out.area().height;
  for_tiles(out.area(), tile_width, tile_height, [&](Rect area) {
    thread_local Tile tile;
    tile.compute(in, out, area, colors, settings);
    pixels_done += std::int64_t{area.width} * area.height;
    set_band_progress(static_cast<double>(pixels_done) / all);
  });
}

}  // namespace cuda_filters::cpu
