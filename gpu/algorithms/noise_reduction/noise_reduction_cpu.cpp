// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/algorithms/noise_reduction/noise_reduction_kernels.hpp"
#include "gpu/algorithms/noise_reduction/reduce_noise.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using noise_reduction::Tile;

/// Some tiles side by side, whose rows go through all iterations, each one row behind the one
/// before. Of the rows there are no more at a time than these need.
class TileGroup {
 public:
  TileGroup(const Input& in, const Output& out, int iterations, std::vector<Tile> tiles)
      : in_{in},
        out_{out},
        iterations_{iterations},
        lanes_{noise_reduction_kernels().tiles},
        colors_{in.codec().format.colors()},
        tiles_{std::move(tiles)},
        ends_(lanes_) {
    for (const Tile& tile : tiles_) {
      width_ = std::max(width_, tile.area.width);
      height_ = std::max(height_, rows_of(tile));
    }
    memory_.assign(row_floats() * (iterations_ + 2), 0.0f);
    pixels_.resize(width_);
  }

  void compute() {
    for (int y = 0; y < height_; ++y) {
      cancellation_point();
      load(y);
      for (int i = 0; i < iterations_; ++i) smooth(i, y - 1 - i);
      store(y - iterations_);
    }
  }

 private:
  /// As far down as the band needs it, and the iterations.
  int rows_of(const Tile& tile) const {
    const int bottom = std::min(tile.inner.bottom(), out_.area().bottom());
    return bottom + iterations_ - tile.area.y;
  }
  std::size_t row_floats() const { return static_cast<std::size_t>(width_) * colors_ * lanes_; }
  float* row(int y) { return memory_.data() + row_floats() * (y % (iterations_ + 2)); }

  void load(int y) {
    const Rect image = in_.image();
    const int step = colors_ * lanes_;
    std::fill_n(row(y), row_floats(), 0.0f);
    for (int k = 0; k < static_cast<int>(tiles_.size()); ++k) {
      const Rect area = tiles_[k].area;
      if (y >= rows_of(tiles_[k]) || area.y + y < 0 || area.y + y >= image.height) continue;
      const int first = std::max(area.x, 0), count = std::min(area.right(), image.width) - first;
      in_.load(first, area.y + y, count, pixels_.floats());
      float* to = row(y) + static_cast<std::size_t>(first - area.x) * step + k;
      for (int x = 0; x < count; ++x, to += step)
        for (int c = 0; c < colors_; ++c) to[c * lanes_] = pixels_.floats()[4 * x + c];
    }
  }

  /// Iteration `i` of a row.
  void smooth(int i, int y) {
    if (y < 1) return;
    int columns = 0;
    for (int k = 0; k < static_cast<int>(tiles_.size()); ++k) {
      ends_[k] = y < tiles_[k].rows(i) ? tiles_[k].columns(i) : 0;
      columns = std::max(columns, ends_[k]);
    }
    noise_reduction_kernels().smooth(colors_, row(y - 1), row(y), row(y + 1), columns,
                                     ends_.data());
  }

  void store(int y) {
    if (y < 0) return;
    const int step = colors_ * lanes_;
    for (int k = 0; k < static_cast<int>(tiles_.size()); ++k) {
      const Rect area = tiles_[k].area, inner = tiles_[k].inner, wanted = out_.area();
      const int line = area.y + y, first = std::max(inner.x, wanted.x),
                count = std::min(inner.right(), wanted.right()) - first;
      if (line < std::max(inner.y, wanted.y) || line >= std::min(inner.bottom(), wanted.bottom()))
        continue;
      // Alpha stays as it is.
      if (out_.is_temporary()) in_.load(first, line, count, pixels_.floats());
      const float* from = row(y) + static_cast<std::size_t>(first - area.x) * step + k;
      for (int x = 0; x < count; ++x, from += step)
        for (int c = 0; c < 3; ++c)
          pixels_.floats()[4 * x + c] = from[colors_ == 1 ? 0 : c * lanes_];
      out_.store(first, line, count, pixels_.floats());
    }
  }

  const Input& in_;
  const Output& out_;
  const int iterations_, lanes_, colors_;
  const std::vector<Tile> tiles_;
  int width_ = 0, height_ = 0;
  std::vector<int> ends_;
  std::vector<float> memory_;
  RowBuffer pixels_;
};

}  // namespace

void reduce_noise(Exec&, const Input& in, const Output& out, int iterations) {
  const Rect tiles = noise_reduction::tiles_of(out.area());
  const Size image{in.image().width, in.image().height};
  const int count = tiles.width * tiles.height, side_by_side = noise_reduction_kernels().tiles;
  std::atomic<int> done = 0;
  parallel_for((count + side_by_side - 1) / side_by_side, [&](int group) {
    std::vector<Tile> some;
    for (int i = group * side_by_side; i < std::min(count, (group + 1) * side_by_side); ++i)
      some.emplace_back(image, iterations, tiles.x + i % tiles.width, tiles.y + i / tiles.width);
    const int size = static_cast<int>(some.size());
    TileGroup{in, out, iterations, std::move(some)}.compute();
    done += size;
    set_band_progress(static_cast<double>(done) / count);
  });
}

}  // namespace cuda_filters::cpu
