// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const int radius = static_cast<int>(number(values[0]));
  const double limit = 2.5 * number(values[1]) / 255.0;
  const auto border = static_cast<Border>(number(values[2]));
  const Picture before = recoded(in, Coding::srgb);
  Picture out = before;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const Color center = before.at(x, y);
      Color sums{}, weights{};
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
          const Color other = sample(before, x + dx, y + dy, border);
          for (int c = 0; c < 4; ++c) {
            const double near = 1.0 - std::abs(other[c] - center[c]) / limit;
            if (!(near > 0.0)) continue;
            const double weight = c < 3 ? near * other[3] : near;
            sums[c] += weight * other[c];
            weights[c] += weight;
          }
        }
      for (int c = 0; c < 4; ++c)
        if (weights[c] > 0.0) out.at(x, y)[c] = sums[c] / weights[c];
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_surface_blur{
    "surface-blur",
    apply,
    {{5.0, 15.0, 0.0}, {3.0, 255.0, 1.0}, {8.0, 40.0, 4.0}, {17.0, 25.0, 2.0}},
    [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
