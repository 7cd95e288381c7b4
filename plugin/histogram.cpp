// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "plugin/pixel_format.hpp"

namespace cuda_filters::plugin {
namespace {

/// So many rows are looked at together: those of a tile.
constexpr int rows_at_once = 64;

std::size_t bin_of(float number) {
  constexpr float last = std::tuple_size_v<Histogram> - 1;
  return static_cast<std::size_t>(std::clamp(number, 0.0f, 1.0f) * last + 0.5f);
}

/// Adds the pixels that `mask` selects and that are not fully transparent.
void count(const std::vector<float>& pixels, const std::vector<std::uint8_t>& mask, bool alpha,
           std::vector<Histogram>& histograms) {
  const std::size_t channels = histograms.size();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const float* pixel = &pixels[i * channels];
    if (mask[i] == 0 || (alpha && !(pixel[channels - 1] > 0.0f))) continue;
    for (std::size_t c = 0; c < channels; ++c)
      if (std::isfinite(pixel[c])) ++histograms[c][bin_of(pixel[c])];
  }
}

}  // namespace

std::vector<Histogram> histograms(Drawable& drawable) {
  const Babl* numbers = number_format(drawable.format());
  const Selection selection = drawable.selection();
  const Buffer buffer = drawable.buffer();
  const PixelFormat format{drawable.format(), Trc::native};
  BufferSource source{buffer.get(), format, selection};
  std::vector<Histogram> histograms(
      static_cast<std::size_t>(babl_format_get_n_components(numbers)));
  const Rect all = selection.area;
  for (int y = all.y; y < all.y + all.height; y += rows_at_once) {
    const Rect rows{all.x, y, all.width, std::min(rows_at_once, all.y + all.height - y)};
    const auto area = static_cast<std::size_t>(rows.width) * rows.height;
    std::vector<float> pixels(area * histograms.size());
    const GeglRectangle rectangle{rows.x, rows.y, rows.width, rows.height};
    gegl_buffer_get(buffer.get(), &rectangle, 1.0, numbers, pixels.data(), GEGL_AUTO_ROWSTRIDE,
                    GEGL_ABYSS_NONE);
    std::vector<std::uint8_t> mask(area, 255);
    if (source.has_mask()) source.read_mask(rows, mask.data());
    count(pixels, mask, babl_format_has_alpha(numbers) != 0, histograms);
  }
  return histograms;
}

}  // namespace cuda_filters::plugin
