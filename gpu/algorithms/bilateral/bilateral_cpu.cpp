// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/bilateral/bilateral_blur.hpp"
#include "gpu/algorithms/bilateral/bilateral_kernels.hpp"
#include "gpu/algorithms/bilateral/grid_cpu.hpp"
#include "gpu/core/alpha.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using bilateral::Guide;

/// Wide tiles, whose rows stay in the cache while the window goes over them.
constexpr int tile_width = 256, tile_height = 32;

/// Planes of a rectangle, some channels of a picture each.
class Planes {
 public:
  /// Loads rows of `in`, and calls take(pixel, channel) for what a plane has of a pixel.
  template <class Take>
  void load(const Input& in, Rect area, int channels, Take take) {
    thread_local RowBuffer buffer;
    width_ = area.width, height_ = area.height, stride_ = width_ + lanes;
    floats_.resize(stride_ * height_ * channels + lanes);
    for (int y = 0; y < area.height; ++y) {
      const Pixel* const pixels = in.row(area.x, area.y + y, area.width, buffer);
      for (int c = 0; c < channels; ++c) {
        float* const row = floats_.data() + (c * height_ + y) * stride_;
        for (int x = 0; x < area.width; ++x) row[x] = take(pixels[x], c);
      }
    }
  }
  /// Whether all of a channel is 1.
  bool is_one(int channel) const {
    for (std::ptrdiff_t y = 0; y < height_; ++y) {
      const float* const row = floats_.data() + (channel * height_ + y) * stride_;
      if (std::any_of(row, row + width_, [](float value) { return value != 1.0f; })) return false;
    }
    return true;
  }
  /// With the pixel at (x, y) of the rectangle in the center.
  BilateralPlanes at(int x, int y) const {
    return {floats_.data() + y * stride_ + x, stride_, stride_ * height_};
  }

 private:
  std::ptrdiff_t width_ = 0, height_ = 0, stride_ = 0;
  std::vector<float> floats_;
};

}  // namespace

void bilateral_blur(Exec& exec, const Input& in, const Input* guide, const Output& out,
                    const bilateral::BilateralSettings& settings) {
  const int colors = in.codec().format.colors(), channels = colors + 1, radius = settings.radius;
  const bool is_own = guide == nullptr, by_channel = settings.guide == Guide::channels;
  const bool by_luminance = settings.guide == Guide::luminance;
  BilateralRow row{};
  row.window = {settings.exponents.data(), settings.weights.data(), settings.ends.data(), radius,
                settings.range};
  row.colors = colors;
  row.by_channel = by_channel;
  int guide_planes = 0;
  if (by_channel)
    guide_planes = is_own ? 0 : channels;
  else if (by_luminance)
    guide_planes = is_own && colors == 1 ? 0 : 1;
  else
    guide_planes = is_own ? 0 : 3;
  row.guide_colors = std::min(guide_planes, 3);
  // Gray stands for three equal colors.
  if (settings.guide == Guide::color && is_own && colors == 1)
    row.window.range = std::min(3.0f * settings.range, largest_float);
  if (settings.uses_grid(in.image()))
    return blur_by_grid(exec, in, guide, out, settings, row, guide_planes);
  const auto compared_value = [&](const Pixel& p, int channel) {
    if (by_luminance) return luminance(p);
    // Of a guide with colors, all three count, of a gray picture, too.
    return by_channel     ? value_of(p, colors, channel)
           : channel == 0 ? p.r
           : channel == 1 ? p.g
                          : p.b;
  };

  for_tiles(out.area(), tile_width, tile_height, [&](Rect area) {
    thread_local Planes picture, compared;
    thread_local RowBuffer result;
    thread_local std::vector<float> means;
    constexpr int stride = tile_width + lanes;
    const Rect needed = area.grown(radius, radius);
    picture.load(in, needed, channels,
                 [colors](const Pixel& p, int c) { return value_of(p, colors, c); });
    if (guide_planes > 0) compared.load(is_own ? in : *guide, needed, guide_planes, compared_value);
    result.resize(area.width);
    means.resize(channels * stride);
    float* rows[4]{};
    for (int c = 0; c < channels; ++c) rows[c] = means.data() + c * stride;
    BilateralRow here = row;
    // The bits are the same with a weight of 1.
    here.weighted = !picture.is_one(colors);
    for (int y = 0; y < area.height; ++y) {
      cancellation_point();
      here.picture = picture.at(radius, radius + y);
      if (guide_planes > 0) here.guide = compared.at(radius, radius + y);
      bilateral_kernels().blur(here, area.width, rows);
      Pixel* const to = result.pixels();
      for (int x = 0; x < area.width; ++x)
        to[x] = {rows[0][x], rows[colors / 2][x], rows[colors - 1][x],
                 here.weighted ? rows[colors][x] : 1.0f};
      out.store(area.x, area.y + y, area.width, result.floats());
    }
  });
}

}  // namespace cuda_filters::cpu
