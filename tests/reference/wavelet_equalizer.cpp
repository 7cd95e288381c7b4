// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "tests/reference/atrous.hpp"

namespace cuda_filters::reference {
namespace {

constexpr int levels = 6;

Picture apply(const Picture& in, const Values& values) {
  if (std::all_of(values.begin(), values.begin() + levels + 1,
                  [](const Value& value) { return number(value) == 1.0; }))
    return in;
  const bool luma = number(values[levels + 1]) == 0.0;
  const auto border = static_cast<Border>(number(values[levels + 2]));
  Picture out = recoded(in, Coding::srgb);
  const Picture before = out;
  Field fine{in.width, in.height, 2 * ((1 << levels) - 1)};
  for (int y = -fine.margin; y < in.height + fine.margin; ++y)
    for (int x = -fine.margin; x < in.width + fine.margin; ++x) {
      fine.at(x, y) = sample(before, x, y, border);
      Color& color = fine.at(x, y);
      if (luma) color[0] = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
    }
  Field result{in.width, in.height, 0};
  const auto add = [&](double gain, Field& from, double sign) {
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x)
        for (int c = 0; c < 3; ++c) result.at(x, y)[c] += sign * gain * from.at(x, y)[c];
  };
  Field original = fine;
  for (int level = 0; level < levels; ++level) {
    Field coarse = smoothed(fine, 1 << level);
    add(number(values[level]), fine, 1.0);
    add(number(values[level]), coarse, -1.0);
    fine = coarse;
  }
  add(number(values[levels]), fine, 1.0);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 3; ++c)
        // Y' is what changes: Cb and Cr stay, and so each color changes by as much.
        out.at(x, y)[c] = luma ? before.at(x, y)[c] + result.at(x, y)[0] - original.at(x, y)[0]
                               : result.at(x, y)[c];
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_wavelet_equalizer{"wavelet-equalizer",
                                                   apply,
                                                   {{1.5, 1.7, 1.2, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0},
                                                    {0.3, 1.0, 2.0, 1.0, 0.5, 3.0, 1.0, 1.0, 1.0},
                                                    {2.0, 2.0, 2.0, 0.0, 1.0, 1.0, 0.5, 1.0, 2.0},
                                                    {1.0, 1.0, 1.0, 1.4, 1.6, 1.6, 1.2, 0.0, 3.0},
                                                    {1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0}},
                                                   [](const Values&) { return 3e-6; },
                                                   [](const Values& values) {
                                                     double gain = 1.0;
                                                     for (int k = 0; k <= levels; ++k)
                                                       gain = std::max(gain, number(values[k]));
                                                     return gain;
                                                   }};

}  // namespace cuda_filters::reference
