// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

enum { nearest, bilinear, bicubic, mitchell, lanczos };

/// A filter's value and where it ends.
struct Filter {
  double reach;
  double (*value)(double distance);
};

double sinc(double x) {
  return x == 0.0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

Filter filter_of(int interpolation) {
  switch (interpolation) {
    case bilinear:
      return {1.0, [](double x) { return 1.0 - x; }};
    case bicubic:
      return {2.0, [](double x) {
                const double a = -0.5;
                return x < 1.0 ? ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
                               : a * (((x - 5.0) * x + 8.0) * x - 4.0);
              }};
    case mitchell:
      return {2.0, [](double x) {
                return x < 1.0
                           ? (7.0 * x * x * x - 12.0 * x * x + 16.0 / 3.0) / 6.0
                           : (-7.0 / 3.0 * x * x * x + 12.0 * x * x - 20.0 * x + 32.0 / 3.0) / 6.0;
              }};
    default:
      return {3.0, [](double x) { return sinc(x) * sinc(x / 3.0); }};
  }
}

/// The weights of all `in` samples for sample i of `out`.
std::vector<double> weights(int i, int in, int out, int interpolation, bool antialias,
                            bool corners) {
  std::vector<double> result(in);
  if (in == out) {
    result[i] = 1.0;
    return result;
  }
  double ratio = double(in) / out, place = (i + 0.5) * ratio - 0.5;
  if (corners && out > 1) ratio = (in - 1.0) / (out - 1.0), place = i * ratio;
  if (interpolation == nearest) {
    // A place half-way between two samples may be off by the rounding of a double.
    result[std::clamp(static_cast<int>(std::floor(place + 0.5 + 1e-9)), 0, in - 1)] = 1.0;
    return result;
  }
  const Filter filter = filter_of(interpolation);
  const double widening = antialias && ratio > 1.0 ? ratio : 1.0;
  double sum = 0.0;
  for (int k = 0; k < in; ++k) {
    const double distance = std::abs(k - place) / widening;
    if (distance < filter.reach) sum += result[k] = filter.value(distance);
  }
  for (double& weight : result) weight /= sum;
  return result;
}

struct Wanted {
  int width, height;
};

Wanted wanted_size(const Picture& in, const Values& values) {
  const double width = number(values[0]), height = number(values[1]);
  double factor_x = number(values[2]), factor_y = factor_x;
  if (width > 0 || height > 0) {
    factor_x = width > 0 ? width / in.width : height / in.height;
    factor_y = height > 0 ? height / in.height : width / in.width;
    if (number(values[3]) != 0.0) factor_x = factor_y = std::min(factor_x, factor_y);
  }
  return {static_cast<int>(std::floor(in.width * factor_x + 0.5 + 1e-9)),
          static_cast<int>(std::floor(in.height * factor_y + 0.5 + 1e-9))};
}

Picture apply(const Picture& in, const Values& values) {
  const auto [width, height] = wanted_size(in, values);
  const int interpolation = static_cast<int>(number(values[4]));
  const bool antialias = number(values[5]) != 0.0, corners = number(values[6]) != 0.0;
  const Picture work = recoded(in, Coding::linear);
  std::vector<std::vector<double>> across(width), down(height);
  for (int x = 0; x < width; ++x)
    across[x] = weights(x, in.width, width, interpolation, antialias, corners);
  for (int y = 0; y < height; ++y)
    down[y] = weights(y, in.height, height, interpolation, antialias, corners);

  Picture out{width, height, in.alpha, in.bytes, work.coding, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Color sum{}, picked{};
      for (int j = 0; j < in.height; ++j)
        for (int i = 0; down[y][j] != 0.0 && i < in.width; ++i) {
          const double weight = down[y][j] * across[x][i];
          if (weight == 0.0) continue;
          const Color& color = work.at(i, j);
          for (int c = 0; c < 3; ++c) sum[c] += weight * color[3] * color[c];
          sum[3] += weight * color[3];
          picked = color;
        }
      if (interpolation == nearest || (width == in.width && height == in.height))
        sum = picked;
      else
        for (int c = 0; c < 3; ++c) sum[c] = sum[3] < least_alpha ? 0.0 : sum[c] / sum[3];
      out.pixels.push_back(sum);
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_resize{"resize",
                                        apply,
                                        {{0.0, 0.0, 1.0, 0.0, 4.0, 1.0, 0.0, 0.0},
                                         {0.0, 0.0, 0.5, 0.0, 4.0, 1.0, 0.0, 0.0},
                                         {40.0, 0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0},
                                         {3.0, 2.0, 1.0, 0.0, 4.0, 1.0, 0.0, 0.0},
                                         {1.0, 1.0, 1.0, 0.0, 3.0, 1.0, 1.0, 0.0},
                                         {120.0, 90.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0},
                                         {71.0, 7.0, 1.0, 0.0, 3.0, 1.0, 0.0, 1.0},
                                         {0.0, 0.0, 2.75, 0.0, 0.0, 1.0, 0.0, 0.0},
                                         {0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 1.0, 0.0},
                                         {0.0, 0.0, 1.7, 0.0, 4.0, 1.0, 1.0, 0.0}},
                                        [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
