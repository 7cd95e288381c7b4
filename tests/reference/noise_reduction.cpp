// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// The picture with so many pixels of 0 around it, of 32-bit floats: GEGL's own, whose last bits
/// decide where two second differences are as large but for rounding, as those of codes often are.
struct Plane {
  int width, height, margin;
  std::vector<float> values;

  float& at(int x, int y) {
    return values[static_cast<std::size_t>(y + margin) * (width + 2 * margin) + x + margin];
  }
};

/// A value smoothed by its neighbors: the mean of itself and of the means of it with each neighbor
/// that, in its place, made no second difference of the four directions larger.
float smoothed(Plane& u, int x, int y) {
  const int places[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  const auto around = [&](int i) { return u.at(x + places[i][0], y + places[i][1]); };
  const auto difference = [&](float value, int axis) {
    const float less = 2.0f * value - around(axis);
    return std::abs(less - around(7 - axis));
  };
  const float center = u.at(x, y);
  float sum = center;
  int count = 1;
  for (int i = 0; i < 8; ++i) {
    const float value = static_cast<float>((double{around(i)} + center) / 2.0);
    bool is_smoother = true;
    // What is no number is none of these, and nothing is smoother than it.
    for (int axis = 0; axis < 4; ++axis)
      is_smoother = is_smoother && difference(value, axis) <= difference(center, axis);
    if (is_smoother) sum += value, ++count;
  }
  return sum / static_cast<float>(count);
}

/// In place, row by row. Of a picture with a margin of as many pixels as there are iterations, each
/// of them begins one pixel from the first one of the margin, and ends two before the one before.
Picture apply(const Picture& in, const Values& values) {
  const int iterations = static_cast<int>(number(values[0]));
  if (iterations == 0) return in;
  Picture out = recoded(in, Coding::srgb);
  for (int c = 0; c < 3; ++c) {
    Plane u{in.width, in.height, iterations, {}};
    u.values.resize(static_cast<std::size_t>(in.width + 2 * iterations) *
                    (in.height + 2 * iterations));
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) u.at(x, y) = static_cast<float>(out.at(x, y)[c]);
    for (int i = 0; i < iterations; ++i)
      for (int y = 1 - iterations; y <= in.height + iterations - 2 - 2 * i; ++y)
        for (int x = 1 - iterations; x <= in.width + iterations - 2 - 2 * i; ++x)
          u.at(x, y) = smoothed(u, x, y);
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) out.at(x, y)[c] = u.at(x, y);
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_noise_reduction{
    "noise-reduction", apply, {{1.0}, {2.0}, {4.0}}, [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
