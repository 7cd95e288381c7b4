// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>
#include <limits>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

double g(int conductance, double distance, double k) {
  const double ratio = distance / k;
  if (conductance == 1) return std::exp(-ratio * ratio);
  if (conductance == 2) return 1.0 / (1.0 + ratio * ratio);
  if (conductance == 3) return distance < k ? std::pow(1.0 - ratio * ratio, 2.0) : 0.0;
  return 1.0;
}

Picture apply(const Picture& in, const Values& values) {
  const int conductance = static_cast<int>(number(values[0]));
  const double step = number(values[2]), k = number(values[3]) / 255.0;
  const bool coupled = number(values[4]) == 1.0;
  const Picture straight = recoded(in, Coding::srgb);
  Picture work = premultiplied(straight);
  for (int i = 0; i < static_cast<int>(number(values[1])); ++i) {
    const Picture before = work;
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) {
        const int neighbors[4][2] = {{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}};
        for (const auto& [nx, ny] : neighbors) {
          if (nx < 0 || ny < 0 || nx >= in.width || ny >= in.height) continue;
          Color gradient{};
          for (int c = 0; c < 4; ++c) gradient[c] = before.at(nx, ny)[c] - before.at(x, y)[c];
          const double distance = std::hypot(gradient[0], gradient[1], gradient[2]);
          for (int c = 0; c < 4; ++c)
            work.at(x, y)[c] +=
                step * g(conductance, coupled ? distance : std::abs(gradient[c]), k) * gradient[c];
        }
      }
  }
  return recoded(unpremultiplied(work, straight), in.coding);
}

}  // namespace

extern const Reference reference_diffusion{
    "diffusion",
    apply,
    {{1.0, 9.0, 0.2, 20.0, 1.0},
     {0.0, 20.0, 0.25, 20.0, 1.0},
     {2.0, 5.0, 0.1, 7.5, 0.0},
     {3.0, 13.0, 0.25, 60.0, 1.0}},
    // Steep conductances enlarge the rounding of floats that were converted to sRGB.
    [](const Values&) { return 2e-5; },
    [](const Values& values) {
      // Where edges get steeper, rounding grows as they do.
      const bool blurs = number(values[0]) == 0.0;
      return blurs || number(values[1]) <= 20.0 ? 1.0 : std::numeric_limits<double>::infinity();
    }};

}  // namespace cuda_filters::reference
