// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  // The identity and the matrix, whose neighbors' weights are as far below 0 as their mean's.
  constexpr double matrix[3][3] = {{-1, -4, -1}, {-4, 26, -4}, {-1, -4, -1}};
  const double amount = number(values[0]);
  const Border border{static_cast<int>(number(values[1]))};
  const Picture encoded = recoded(in, Coding::srgb);
  Picture out = encoded;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const Color& middle = encoded.at(x, y);
      for (int c = 0; c < 3; ++c) {
        double weighted = 0.0, weights = 0.0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            const Color color = sample(encoded, x + dx, y + dy, border);
            weighted -= matrix[dy + 1][dx + 1] * color[3] * color[c];
            weights -= matrix[dy + 1][dx + 1] * color[3];
          }
        const bool none = middle[3] < least_alpha || weights / 20.0 < least_alpha;
        const double mean = none ? middle[c] : weighted / weights;
        const double matrix_result = (26.0 * middle[c] - 20.0 * mean) / 6.0;
        out.at(x, y)[c] = middle[c] + amount * (matrix_result - middle[c]);
      }
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_sharpen{
    "sharpen",
    apply,
    {{1.0, 0.0}, {0.3, 1.0}, {2.5, 2.0}, {1.0, 3.0}, {0.7, 4.0}},
    [](const Values&) { return 6e-6; },
    [](const Values& values) { return 1.0 + 40.0 / 6.0 * number(values[0]); }};

}  // namespace cuda_filters::reference
