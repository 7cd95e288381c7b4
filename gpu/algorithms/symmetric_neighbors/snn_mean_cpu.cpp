// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/symmetric_neighbors/snn_mean.hpp"
#include "gpu/algorithms/symmetric_neighbors/snn_mean_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

/// Wide tiles, whose rows stay in the cache while the square goes over them.
constexpr int tile_width = 256, tile_height = 32;

/// A rectangle of pixels, each channel by itself.
class Planes {
 public:
  /// `colors`: three, or one that stands for three equal ones.
  void load(const Input& in, Rect area, int colors) {
    thread_local RowBuffer buffer;
    width_ = area.width, height_ = area.height, stride_ = width_ + lanes;
    floats_.resize(stride_ * height_ * (colors + 1) + lanes);
    for (int y = 0; y < area.height; ++y) {
      const Pixel* const pixels = in.row(area.x, area.y + y, area.width, buffer);
      const auto take = [&](int plane, float Pixel::*channel) {
        float* const to = at(plane, 0, y);
        for (int x = 0; x < area.width; ++x) to[x] = pixels[x].*channel;
      };
      take(0, &Pixel::r);
      if (colors == 3) take(1, &Pixel::g), take(2, &Pixel::b);
      take(colors, &Pixel::a);
    }
  }
  /// Whether all of a plane is 1.
  bool is_one(int plane) {
    for (int y = 0; y < height_; ++y) {
      const float* const row = at(plane, 0, y);
      if (std::any_of(row, row + width_, [](float value) { return value != 1.0f; })) return false;
    }
    return true;
  }
  /// A pixel of the rectangle; x and y count from its first one.
  float* at(int plane, int x, int y) {
    return floats_.data() + (plane * height_ + y) * stride_ + x;
  }
  /// How many floats lie from one row, and from one plane, to the next.
  std::ptrdiff_t row() const { return stride_; }
  std::ptrdiff_t plane() const { return stride_ * height_; }

 private:
  std::ptrdiff_t width_ = 0, height_ = 0, stride_ = 0;
  std::vector<float> floats_;
};

}  // namespace

void snn_mean(Exec&, const Input& in, const Output& out,
              const symmetric_neighbors::SnnSettings& settings) {
  const int colors = in.codec().format.colors(), radius = settings.radius;
  const float own_count = static_cast<float>(settings.own_count()),
              count = static_cast<float>(settings.count()), share = 1.0f / count;
  for_tiles(out.area(), tile_width, tile_height, [&](Rect area) {
    thread_local Planes picture;
    thread_local RowBuffer result;
    thread_local std::vector<float> means;
    constexpr int stride = tile_width + lanes;
    picture.load(in, area.grown(settings.halo()), colors);
    result.resize(area.width);
    means.resize(4 * stride);
    float* rows[4];
    for (int c = 0; c < 4; ++c) rows[c] = means.data() + c * stride;
    const bool has_alpha = !picture.is_one(colors);
    // What the kernel would make of it: sums of ones are exact.
    if (!has_alpha) std::fill_n(rows[colors], area.width, count * share);
    for (int y = 0; y < area.height; ++y) {
      cancellation_point();
      snn_mean_kernels().mean({radius, settings.pairs, own_count, share, colors, has_alpha,
                               picture.at(0, radius, radius + y), picture.row(), picture.plane()},
                              area.width, rows);
      Pixel* const to = result.pixels();
      for (int x = 0; x < area.width; ++x)
        to[x] = {rows[0][x], rows[colors / 2][x], rows[colors - 1][x], rows[colors][x]};
      out.store(area.x, area.y + y, area.width, result.floats());
    }
  });
}

}  // namespace cuda_filters::cpu
