// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>
#include <cstdlib>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

bool covers(int shape, int radius, int dx, int dy) {
  if (shape == 1) return dx * dx + dy * dy <= (radius + 0.5) * (radius + 0.5);
  if (shape == 2) return std::abs(dx) + std::abs(dy) <= radius;
  return (shape != 3 || dy == 0) && (shape != 4 || dx == 0);
}

/// The largest (sign 1) or the smallest (sign -1) numbers around each. What is no number takes no
/// part, and neither does, with a transparent border, what is outside.
Picture extremes(const Picture& in, const Values& values, int sign) {
  const int shape = static_cast<int>(number(values[1])),
            radius = static_cast<int>(number(values[2]));
  const Border border{static_cast<int>(number(values[3]))};
  Picture out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      Color& best = out.at(x, y);
      for (int dy = -radius; dy <= radius; ++dy) {
        if (border == Border::transparent && (y + dy < 0 || y + dy >= in.height)) continue;
        for (int dx = -radius; dx <= radius; ++dx) {
          const bool inside = x + dx >= 0 && x + dx < in.width;
          if (!covers(shape, radius, dx, dy) || (border == Border::transparent && !inside))
            continue;
          const Color color = sample(in, x + dx, y + dy, border);
          for (int c = 0; c < 4; ++c)
            if (std::isnan(best[c]) || sign * color[c] > sign * best[c]) best[c] = color[c];
        }
      }
    }
  return out;
}

Picture difference(const Picture& larger, const Picture& smaller) {
  Picture out = larger;
  for (std::size_t i = 0; i < out.pixels.size(); ++i)
    for (int c = 0; c < 4; ++c) out.pixels[i][c] -= smaller.pixels[i][c];
  return out;
}

Picture apply(const Picture& in, const Values& values) {
  const auto dilated = [&](const Picture& picture) { return extremes(picture, values, 1); };
  const auto eroded = [&](const Picture& picture) { return extremes(picture, values, -1); };
  switch (static_cast<int>(number(values[0]))) {
    case 0:
      return dilated(in);
    case 1:
      return eroded(in);
    case 2:
      return dilated(eroded(in));
    case 3:
      return eroded(dilated(in));
    case 4:
      return difference(dilated(in), eroded(in));
    case 5:
      return difference(in, dilated(eroded(in)));
    default:
      return difference(eroded(dilated(in)), in);
  }
}

}  // namespace

extern const Reference reference_morphology{"morphology",
                                            apply,
                                            {{0.0, 1.0, 3.0, 0.0},
                                             {0.0, 0.0, 4.0, 3.0},
                                             {1.0, 2.0, 5.0, 4.0},
                                             {1.0, 1.0, 14.0, 3.0},
                                             {2.0, 1.0, 2.0, 0.0},
                                             {2.0, 0.0, 1.0, 4.0},
                                             {2.0, 2.0, 3.0, 3.0},
                                             {3.0, 3.0, 6.0, 1.0},
                                             {3.0, 1.0, 6.0, 2.0},
                                             {4.0, 4.0, 5.0, 3.0},
                                             {4.0, 1.0, 0.0, 0.0},
                                             {5.0, 1.0, 4.0, 1.0},
                                             {6.0, 2.0, 4.0, 0.0}},
                                            [](const Values&) { return 0.0; }};

}  // namespace cuda_filters::reference
