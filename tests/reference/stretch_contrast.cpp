// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool keep_colors = number(values[0]) == 1.0, perceptual = number(values[1]) == 1.0;
  Picture out = recoded(in, perceptual ? Coding::srgb : Coding::linear);
  double low[3], high[3];
  for (int c = 0; c < 3; ++c) {
    low[c] = std::numeric_limits<double>::infinity(), high[c] = -low[c];
    for (const Color& color : out.pixels)
      if (color[3] > 0.0)
        low[c] = std::min(low[c], color[c]), high[c] = std::max(high[c], color[c]);
  }
  if (keep_colors) {
    std::fill_n(low, 3, *std::min_element(low, low + 3));
    std::fill_n(high, 3, *std::max_element(high, high + 3));
  }
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c)
      if (high[c] > low[c]) color[c] = (color[c] - low[c]) / (high[c] - low[c]);
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_stretch_contrast{
    "stretch-contrast", apply, {{1.0, 1.0}, {0.0, 1.0}, {1.0, 0.0}, {0.0, 0.0}}, [](const Values&) {
      return 1e-5;
    }};

}  // namespace cuda_filters::reference
