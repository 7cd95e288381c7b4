// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Numbers at the pixels of a rectangle around a picture of that size.
struct Field {
  int width, height, margin;
  std::vector<double> values =
      std::vector<double>(static_cast<std::size_t>(width + 2 * margin) * (height + 2 * margin));

  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y + margin) * (width + 2 * margin) + x + margin;
  }
  double& at(int x, int y) { return values[place(x, y)]; }
  double at(int x, int y) const { return values[place(x, y)]; }
  std::vector<double> row(int y) const {
    return {values.begin() + place(-margin, y), values.begin() + place(width + margin, y)};
  }
};

/// Means over the windows around the pixels and a margin, of `count` numbers of each. rows(y) gives
/// those of a row, a vector for each, in a margin that is wider by the radius. Sums go on from
/// window to window, with digits enough for that.
template <class Rows>
std::vector<Field> means(std::size_t count, const Field& like, int radius, Rows rows) {
  const int side = 2 * radius + 1, margin = like.margin, wide = like.width + 2 * margin;
  std::vector<Field> out(count, like);
  std::vector<std::vector<long double>> sums(count, std::vector<long double>(wide));
  const auto add = [&](int y, long double sign) {
    const std::vector<std::vector<double>> numbers = rows(y);
    for (std::size_t k = 0; k < count; ++k) {
      long double sum = 0.0L;
      for (int x = 0; x < side - 1; ++x) sum += numbers[k][x];
      for (int x = 0; x < wide; ++x) {
        sum += numbers[k][x + side - 1];
        sums[k][x] += sign * sum;
        sum -= numbers[k][x];
      }
    }
  };
  for (int y = -margin - radius; y < like.height + margin + radius; ++y) {
    add(y, 1.0L);
    const int middle = y - radius;
    if (middle < -margin) continue;
    for (std::size_t k = 0; k < count; ++k)
      for (int x = 0; x < wide; ++x)
        out[k].at(x - margin, middle) =
            static_cast<double>(sums[k][x] / (static_cast<long double>(side) * side));
    add(middle - radius, -1.0L);
  }
  return out;
}

/// The determinant of the matrix with these columns.
double determinant(const double (&a)[3], const double (&b)[3], const double (&c)[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// `guide`'s first pixel lies at (dx, dy) of the picture.
Picture filtered(const Picture& in, const Values& values, const Picture& guide, int dx, int dy) {
  const int radius = static_cast<int>(number(values[0]));
  if (radius == 0) return in;  // a window of one pixel has no variance: a is 0 and b is p
  const double epsilon = std::max(number(values[1]), 0.001);
  const auto border = static_cast<Border>(number(values[2]));
  const Picture p = recoded(in, Coding::srgb), i = recoded(guide, Coding::srgb);

  // Where colors are seen from does not matter; from ½ the sums lose fewer digits. Of each pixel: i
  // and p, the products of i with itself, and those of p with i.
  const Field like{in.width, in.height, radius};
  const std::vector<Field> mean = means(24, like, radius, [&](int y) {
    const int wide = in.width + 4 * radius;
    std::vector<std::vector<double>> numbers(24, std::vector<double>(wide));
    for (int x = 0; x < wide; ++x) {
      const int column = x - 2 * radius;
      const Color q = sample(p, column, y, border), g = sample(i, column - dx, y - dy, border);
      for (int c = 0; c < 3; ++c) {
        numbers[c][x] = g[c] - 0.5;
        numbers[3 + c][x] = q[c] - 0.5;
        for (int k = 0; k < 3; ++k) {
          numbers[6 + 3 * c + k][x] = (g[c] - 0.5) * (g[k] - 0.5);
          numbers[15 + 3 * c + k][x] = (q[c] - 0.5) * (g[k] - 0.5);
        }
      }
    }
    return numbers;
  });
  const auto mean_i = std::span{mean}.first(3), mean_p = std::span{mean}.subspan(3, 3),
             mean_ii = std::span{mean}.subspan(6, 9), mean_ip = std::span{mean}.subspan(15, 9);
  Picture out = p;
  for (int c = 0; c < 3; ++c) {
    std::vector<Field> a(4, like);  // and b
    for (int y = -radius; y < in.height + radius; ++y)
      for (int x = -radius; x < in.width + radius; ++x) {
        double sigma[3][3], covariance[3];
        for (int k = 0; k < 3; ++k) {
          covariance[k] = mean_ip[3 * c + k].at(x, y) - mean_p[c].at(x, y) * mean_i[k].at(x, y);
          for (int l = 0; l < 3; ++l)
            sigma[k][l] = mean_ii[3 * k + l].at(x, y) - mean_i[k].at(x, y) * mean_i[l].at(x, y) +
                          (k == l ? epsilon * epsilon : 0.0);
        }
        const double whole = determinant(sigma[0], sigma[1], sigma[2]);
        const double of[3] = {determinant(covariance, sigma[1], sigma[2]) / whole,
                              determinant(sigma[0], covariance, sigma[2]) / whole,
                              determinant(sigma[0], sigma[1], covariance) / whole};
        double b = mean_p[c].at(x, y);
        for (int k = 0; k < 3; ++k) b -= of[k] * mean_i[k].at(x, y), a[k].at(x, y) = of[k];
        a[3].at(x, y) = b;
      }
    a = means(4, Field{in.width, in.height, 0}, radius, [&](int y) {
      std::vector<std::vector<double>> numbers;
      for (const Field& each : a) numbers.push_back(each.row(y));
      return numbers;
    });
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) {
        const Color g = sample(i, x - dx, y - dy, border);
        double value = 0.5 + a[3].at(x, y);
        for (int k = 0; k < 3; ++k) value += a[k].at(x, y) * (g[k] - 0.5);
        out.at(x, y)[c] = value;
      }
  }
  return recoded(out, in.coding);
}

Picture apply(const Picture& in, const Values& values) { return filtered(in, values, in, 0, 0); }

}  // namespace

extern const Reference reference_guided_filter{
    "guided-filter",
    apply,
    {{4.0, 0.1, 0.0}, {2.0, 0.4, 1.0}, {9.0, 0.05, 2.0}, {3.0, 0.2, 3.0}, {6.0, 0.1, 4.0}},
    [](const Values&) { return 2e-5; },
    // The squares' means lose digits where their differences are small beside them: of values far
    // beyond 1 all of them. So do sums over large windows.
    [](const Values& values) {
      const double epsilon = number(values[1]), sums = number(values[0]) > 100.0 ? 10.0 : 1.0;
      return epsilon < 0.01 ? std::numeric_limits<double>::infinity()
                            : sums * std::max(1.0, 0.05 / epsilon);
    },
    nullptr,
    filtered};

}  // namespace cuda_filters::reference
