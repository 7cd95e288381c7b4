// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/reference/reference.hpp"
#include "tests/support/plates.hpp"

namespace cuda_filters::reference {
namespace {

using Plane = std::vector<double>;

/// Plates without frames, and how they are moved onto the middle one.
struct Plates {
  int width, height;
  Plane planes[3];
  double dx[3] = {}, dy[3] = {};

  double at(int plate, int x, int y) const {
    const int column = std::clamp(x, 0, width - 1), row = std::clamp(y, 0, height - 1);
    return planes[plate][static_cast<std::size_t>(row) * width + column];
  }

  /// Keys's cubic interpolation, a = -1/2.
  double between(int plate, double x, double y) const {
    const auto weight = [](double t) {
      t = std::abs(t);
      return t < 1.0   ? (1.5 * t - 2.5) * t * t + 1.0
             : t < 2.0 ? ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
                       : 0.0;
    };
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    if (x == left && y == top) return at(plate, left, top);
    double sum = 0.0;
    for (int row = top - 1; row <= top + 2; ++row)
      for (int column = left - 1; column <= left + 2; ++column)
        sum += weight(x - column) * weight(y - row) * at(plate, column, row);
    return sum;
  }

  /// The correlation of the values of a plate, moved by (dx, dy), with the middle one's.
  double match(int plate, double dx, double dy) const {
    const int x0 = std::max(0, static_cast<int>(std::ceil(dx))) + 2;
    const int y0 = std::max(0, static_cast<int>(std::ceil(dy))) + 2;
    const int x1 = std::min(width, width + static_cast<int>(std::floor(dx))) - 2;
    const int y1 = std::min(height, height + static_cast<int>(std::floor(dy))) - 2;
    double n = 0.0, f = 0.0, g = 0.0, ff = 0.0, gg = 0.0, fg = 0.0;
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const double a = between(plate, x - dx, y - dy), b = at(1, x, y);
        ++n, f += a, g += b, ff += a * a, gg += b * b, fg += a * b;
      }
    return (n * fg - f * g) / std::sqrt((n * ff - f * f) * (n * gg - g * g));
  }

  /// Tries the shifts that are multiples of `step` up to `reach` around what was found before.
  void search(int plate, double step, double reach) {
    const double x = dx[plate], y = dy[plate];
    const int count = static_cast<int>(reach / step);
    double best = -2.0;
    for (int j = -count; j <= count; ++j)
      for (int i = -count; i <= count; ++i) {
        const double score = match(plate, x + i * step, y + j * step);
        if (score > best) best = score, dx[plate] = x + i * step, dy[plate] = y + j * step;
      }
  }
};

Picture apply(const Picture& in, const Values& values) {
  const bool rgb = number(values[0]) == 1.0;
  const int subpixel = static_cast<int>(number(values[4]));
  Plates plates{in.width, in.height / 3, {}};
  for (int plate = 0; plate < 3; ++plate)
    for (int y = 0; y < plates.height; ++y)
      for (int x = 0; x < plates.width; ++x) {
        const Color& color = in.at(x, plate * plates.height + y);
        plates.planes[plate].push_back(0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]);
      }
  // The examples are moved by 4 pixels at most, whatever the range is.
  int left = 0, top = 0, right = plates.width - 1, bottom = plates.height - 1;
  for (const int plate : {0, 2}) {
    plates.search(plate, 1.0, std::min(4.0, number(values[1])));
    if (subpixel > 1) plates.search(plate, 1.0 / subpixel, 0.5);
    left = std::max(left, static_cast<int>(std::ceil(plates.dx[plate])));
    top = std::max(top, static_cast<int>(std::ceil(plates.dy[plate])));
    right = std::min(right, static_cast<int>(std::floor(plates.width - 1 + plates.dx[plate])));
    bottom = std::min(bottom, static_cast<int>(std::floor(plates.height - 1 + plates.dy[plate])));
  }
  Picture out{right + 1 - left, bottom + 1 - top, false, in.bytes, in.coding, {}};
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      Color color{0.0, 0.0, 0.0, 1.0};
      for (int c = 0; c < 3; ++c) {
        const int plate = rgb ? c : 2 - c;
        color[c] = plates.between(plate, x - plates.dx[plate], y - plates.dy[plate]);
      }
      out.pixels.push_back(color);
    }
  return out;
}

Picture picture(int width, int height, unsigned seed) {
  const auto whole = [&](unsigned i) { return static_cast<double>((seed / i) % 7) - 3.0; };
  test::PlateSettings made{
      .width = width + 60, .height = height + 60, .contrast = 0.06, .seed = seed};
  made.first = {whole(1), whole(3)};
  made.last = {whole(2) + 0.25, whole(5)};
  Picture scan{made.width, 3 * made.height, false, false, Coding::same, {}};
  for (const float value : test::make_plates(made)) scan.pixels.push_back({value, value, value, 1});
  return scan;
}

}  // namespace

extern const Reference reference_align_plates{"align-plates",
                                              apply,
                                              {{0.0, 4.0, 0.0, 1.0, 1.0, 0.0},
                                               {1.0, 6.0, 1.0, 0.0, 4.0, 0.0},
                                               {0.0, 25.0, 0.0, 0.0, 4.0, 0.0}},
                                              [](const Values&) { return 1e-5; },
                                              nullptr,
                                              picture};

}  // namespace cuda_filters::reference
