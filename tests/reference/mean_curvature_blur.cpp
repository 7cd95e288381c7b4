// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>
#include <limits>
#include <random>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// As GEGL's operation does it: |∇u| times the curvature of the lines of equal values, a quarter of
/// it a step, of the picture and so many repeated pixels around it, of which each step leaves one.
Picture apply(const Picture& in, const Values& values) {
  const int iterations = static_cast<int>(number(values[0]));
  if (iterations == 0) return in;
  Picture out = recoded(in, Coding::srgb);
  Picture before;
  before.width = in.width + 2 * iterations, before.height = in.height + 2 * iterations;
  for (int y = -iterations; y < in.height + iterations; ++y)
    for (int x = -iterations; x < in.width + iterations; ++x)
      before.pixels.push_back(sample(out, x, y, Border::clamp));
  Picture after = before;
  for (int i = 1; i <= iterations; ++i, std::swap(before, after))
    for (int y = i; y < before.height - i; ++y)
      for (int x = i; x < before.width - i; ++x)
        for (int c = 0; c < 3; ++c) {
          const auto u = [&](int dx, int dy) { return before.at(x + dx, y + dy)[c]; };
          const double ux = u(1, 0) - u(-1, 0), uy = u(0, 1) - u(0, -1);
          const double uxx = u(1, 0) + u(-1, 0) - 2.0 * u(0, 0);
          const double uyy = u(0, 1) + u(0, -1) - 2.0 * u(0, 0);
          const double uxy = ((u(1, 1) + u(-1, -1)) - (u(1, -1) + u(-1, 1))) / 4.0;
          double& value = after.at(x, y)[c] = u(0, 0);
          if (ux == 0.0 && uy == 0.0) continue;
          const double gradient = std::sqrt(ux * ux + uy * uy);
          const double curvature = ((ux * ux * uyy + uy * uy * uxx) - 2.0 * ux * uy * uxy) /
                                   (gradient * gradient * gradient);
          value += 0.25 * gradient * curvature;
        }
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 3; ++c) out.at(x, y)[c] = before.at(x + iterations, y + iterations)[c];
  return recoded(out, in.coding);
}

/// A slope with noise that nowhere turns it round: where the gradient is next to 0, its direction
/// is rounding.
Picture slope(int width, int height, unsigned seed) {
  Picture picture{width, height, true, false, Coding::srgb, {}};
  std::mt19937 random{seed};
  const auto noise = [&] { return static_cast<double>(random() % 1024) / 1024.0; };
  const double step = 0.9 / (width + height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Color color{};
      for (int c = 0; c < 3; ++c)
        color[c] = 0.05 + step * (x + (c == 1 ? height - y : y) + 0.4 * noise());
      color[3] = noise();
      picture.pixels.push_back(color);
    }
  return picture;
}

}  // namespace

extern const Reference reference_mean_curvature_blur{
    "mean-curvature-blur",
    apply,
    {{1.0}, {2.0}, {7.0}, {20.0}},
    [](const Values&) { return 2e-5; },
    // Rounding grows where the gradient gets next to 0.
    [](const Values& values) {
      return number(values[0]) <= 20.0 ? 1.0 : std::numeric_limits<double>::infinity();
    },
    slope};

}  // namespace cuda_filters::reference
