// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

bool covers(int shape, int radius, int dx, int dy) {
  if (shape == 1) return dx * dx + dy * dy <= (radius + 0.5) * (radius + 0.5);
  if (shape == 2) return std::abs(dx) + std::abs(dy) <= radius;
  return true;
}

/// NaN is larger than everything.
bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

Picture apply(const Picture& in, const Values& values) {
  const int shape = static_cast<int>(number(values[0])),
            radius = static_cast<int>(number(values[1]));
  const Border border{static_cast<int>(number(values[4]))};
  Picture out = in;
  std::vector<double> found;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 4; ++c) {
        found.clear();
        for (int dy = -radius; dy <= radius; ++dy)
          for (int dx = -radius; dx <= radius; ++dx) {
            const bool inside =
                x + dx >= 0 && y + dy >= 0 && x + dx < in.width && y + dy < in.height;
            if (covers(shape, radius, dx, dy) && (inside || border != Border::transparent))
              found.push_back(sample(in, x + dx, y + dy, border)[c]);
          }
        const double percentile = number(values[c == 3 ? 3 : 2]);
        const auto rank = std::lround(static_cast<double>(found.size() - 1) * percentile / 100.0);
        std::ranges::nth_element(found, found.begin() + rank, before);
        out.at(x, y)[c] = found[rank];
      }
  return out;
}

}  // namespace

extern const Reference reference_median_blur{"median-blur",
                                             apply,
                                             {{0.0, 1.0, 50.0, 50.0, 0.0},
                                              {0.0, 2.0, 50.0, 50.0, 2.0},
                                              {0.0, 3.0, 50.0, 50.0, 3.0},
                                              {0.0, 4.0, 50.0, 50.0, 1.0},
                                              {0.0, 5.0, 50.0, 50.0, 0.0},
                                              {0.0, 6.0, 50.0, 50.0, 2.0},
                                              {0.0, 7.0, 50.0, 50.0, 1.0},
                                              {1.0, 1.0, 50.0, 50.0, 3.0},
                                              {1.0, 2.0, 50.0, 50.0, 1.0},
                                              {1.0, 3.0, 50.0, 50.0, 0.0},
                                              {1.0, 4.0, 50.0, 50.0, 2.0},
                                              {1.0, 5.0, 50.0, 50.0, 3.0},
                                              {1.0, 6.0, 50.0, 50.0, 0.0},
                                              {1.0, 7.0, 50.0, 50.0, 1.0},
                                              {1.0, 4.0, 30.0, 50.0, 1.0},
                                              {2.0, 9.0, 50.0, 88.5, 4.0},
                                              {1.0, 13.0, 50.0, 20.0, 4.0},
                                              {2.0, 12.0, 45.0, 50.0, 2.0},
                                              {0.0, 20.0, 61.0, 50.0, 0.0}},
                                             [](const Values&) { return 0.0; }};

}  // namespace cuda_filters::reference
