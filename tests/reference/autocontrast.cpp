// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const double low_fraction = number(values[0]), high_fraction = number(values[1]);
  const bool by_luminance = number(values[2]) == 0.0, joint = number(values[2]) == 2.0;
  Picture out = recoded(in, Coding::srgb);
  std::vector<double> lists[3];
  for (const Color& color : out.pixels) {
    if (color[3] <= 0.0) continue;
    const double luminance = 0.2125 * color[0] + 0.7154 * color[1] + 0.0721 * color[2];
    if (by_luminance)
      lists[0].push_back(in.bytes ? std::round(luminance * 255.0) / 255.0 : luminance);
    else
      for (int c = 0; c < 3; ++c) lists[joint ? 0 : c].push_back(color[c]);
  }
  for (int c = 0; c < 3; ++c) {
    std::vector<double>& list = lists[by_luminance || joint ? 0 : c];
    if (list.empty()) continue;
    std::ranges::sort(list);
    const double n = static_cast<double>(list.size());
    const double low = list[static_cast<std::size_t>(std::floor(low_fraction * n))];
    const double high = list[list.size() - 1 - static_cast<std::size_t>(high_fraction * n)];
    if (high <= low) continue;
    for (Color& color : out.pixels) color[c] = std::clamp((color[c] - low) / (high - low), 0., 1.);
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_autocontrast{"autocontrast",
                                              apply,
                                              {{0.0, 0.0, 0.0},
                                               {0.05, 0.02, 0.0},
                                               {0.0, 0.0, 1.0},
                                               {0.01, 0.1, 1.0},
                                               {0.0, 0.0, 2.0},
                                               {0.125, 0.0, 2.0}},
                                              [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
