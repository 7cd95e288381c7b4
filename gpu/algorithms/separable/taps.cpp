// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/taps.hpp"

#include <algorithm>

#include "gpu/algorithms/separable/aligned_row.hpp"

namespace cuda_filters::cpu {
namespace {

/// How many bytes of rows a tile may keep: half of a usual second-level cache.
constexpr int tile_bytes = 512 * 1024;

/// One tile of sum_neighbors: a ring of the rows that an output row looks at.
class Tile {
 public:
  Tile(const RowReader& in, Rect area, const Taps& rows_first, const Taps& then)
      : in_{in}, area_{area}, rows_first_{rows_first}, then_{then} {
    const int ring = 2 * then.radius_y + 1;
    ring_width_ = area.width + 2 * then.radius_x;
    ring_.resize(ring);
    rows_.resize(ring);
    for (AlignedRow& row : ring_) row.resize(ring_width_);
    raw_.resize(ring_width_ + 2 * rows_first.radius_x);
    pointers_.resize(std::max(rows_first.offsets.size(), then.offsets.size()));
    result_.resize(area.width);
  }

  void run(const Finish& finish, const RowWriter& out) {
    for (int y = area_.y - then_.radius_y; y < area_.y + then_.radius_y; ++y) fetch(y);
    for (int y = area_.y; y < area_.bottom(); ++y) {
      fetch(y + then_.radius_y);
      for (int dy = -then_.radius_y; dy <= then_.radius_y; ++dy)
        rows_[dy + then_.radius_y] = row(y + dy).floats() + std::size_t{4} * then_.radius_x;
      for (std::size_t t = 0; t < then_.offsets.size(); ++t) {
        const auto [dx, dy] = then_.offsets[t];
        pointers_[t] = rows_[dy + then_.radius_y] + std::ptrdiff_t{4} * dx;
      }
      sum_kernels().weighted_sum(pointers_.data(), then_.weights.data(),
                                 static_cast<int>(then_.offsets.size()), result_.floats(),
                                 std::size_t{4} * area_.width);
      if (finish) finish(result_.pixels(), area_.width);
      out.store(area_.x, y, area_.width, result_.floats());
    }
  }

 private:
  AlignedRow& row(int y) {
    const int size = static_cast<int>(ring_.size());
    return ring_[((y % size) + size) % size];
  }

  void fetch(int y) {
    const int x = area_.x - then_.radius_x;
    if (rows_first_.copies()) {
      in_.load(x, y, ring_width_, row(y).floats());
      return;
    }
    const int radius = rows_first_.radius_x;
    in_.load(x - radius, y, ring_width_ + 2 * radius, raw_.floats());
    for (std::size_t t = 0; t < rows_first_.offsets.size(); ++t)
      pointers_[t] = raw_.floats() + std::size_t{4} * (radius + rows_first_.offsets[t].x);
    sum_kernels().weighted_sum(pointers_.data(), rows_first_.weights.data(),
                               static_cast<int>(rows_first_.offsets.size()), row(y).floats(),
                               std::size_t{4} * ring_width_);
  }

  const RowReader& in_;
  Rect area_;
  const Taps &rows_first_, &then_;
  int ring_width_;
  std::vector<AlignedRow> ring_;
  RowBuffer raw_, result_;
  std::vector<const float*> rows_, pointers_;
};

}  // namespace

void Taps::add(int x, int y, float weight, float alpha_weight) {
  radius_x = std::max(radius_x, std::abs(x));
  radius_y = std::max(radius_y, std::abs(y));
  if (weight == 0.0f && alpha_weight == 0.0f) return;
  offsets.push_back({x, y});
  for (int lane = 0; lane < lanes; ++lane) weights.push_back(lane % 4 == 3 ? alpha_weight : weight);
}

Taps Taps::along_x(const std::vector<float>& weights) {
  Taps taps;
  const int radius = static_cast<int>(weights.size() / 2);
  for (int i = -radius; i <= radius; ++i) taps.add(i, 0, weights[i + radius], weights[i + radius]);
  return taps;
}

Taps Taps::along_y(const std::vector<float>& weights) {
  Taps taps;
  const int radius = static_cast<int>(weights.size() / 2);
  for (int i = -radius; i <= radius; ++i) taps.add(0, i, weights[i + radius], weights[i + radius]);
  return taps;
}

bool Taps::copies() const {
  return offsets.size() == 1 && offsets[0].x == 0 && offsets[0].y == 0 &&
         std::ranges::all_of(weights, [](float w) { return w == 1.0f; });
}

void sum_neighbors(const RowReader& in, Rect area, const Taps& rows_first, const Taps& then,
                   const Finish& finish, const RowWriter& out) {
  const int ring = 2 * then.radius_y + 1;
  const int margin = 2 * (then.radius_x + rows_first.radius_x);
  const int pixel_bytes = static_cast<int>(sizeof(Pixel));
  const int width = std::clamp(tile_bytes / (pixel_bytes * ring), std::max(64, margin), 1024);
  const int height = std::max(128, 4 * ring);
  const int columns = (area.width + width - 1) / width;
  const int strips = (area.height + height - 1) / height;
  parallel_for(columns * strips, [&](int task) {
    const int x = task % columns * width, y = task / columns * height;
    const Rect tile{area.x + x, area.y + y, std::min(width, area.width - x),
                    std::min(height, area.height - y)};
    Tile{in, tile, rows_first, then}.run(finish, out);
  });
}

}  // namespace cuda_filters::cpu
