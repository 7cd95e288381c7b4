// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <limits>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Numbers at the pixels of a rectangle around a picture of that size.
struct Field {
  int width, height, margin;
  std::vector<double> values =
      std::vector<double>(static_cast<std::size_t>(width + 2 * margin) * (height + 2 * margin));

  double& at(int x, int y) {
    return values[static_cast<std::size_t>(y + margin) * (width + 2 * margin) + x + margin];
  }
};

/// The means over the windows around the pixels, in a margin that is smaller by the radius. Sums
/// are differences of sums from the first row and column on, with digits enough for that.
Field means(const Field& field, int radius) {
  const int margin = field.margin, stride = field.width + 2 * margin + 1;
  std::vector<long double> sums(static_cast<std::size_t>(stride) * (field.height + 2 * margin + 1));
  for (int y = 0; y < field.height + 2 * margin; ++y) {
    long double row = 0.0L;
    for (int x = 0; x < field.width + 2 * margin; ++x) {
      row += field.values[static_cast<std::size_t>(y) * (stride - 1) + x];
      sums[std::size_t(y + 1) * stride + x + 1] = sums[std::size_t(y) * stride + x + 1] + row;
    }
  }
  Field out{field.width, field.height, margin - radius};
  const int side = 2 * radius + 1;
  for (int y = 0; y < out.height + 2 * out.margin; ++y)
    for (int x = 0; x < out.width + 2 * out.margin; ++x) {
      const std::size_t top = std::size_t(y) * stride + x,
                        bottom = top + std::size_t(side) * stride;
      const long double sum = sums[bottom + side] - sums[bottom] - sums[top + side] + sums[top];
      out.at(x - out.margin, y - out.margin) =
          static_cast<double>(sum / (static_cast<long double>(side) * side));
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

  // Where colors are seen from does not matter; from ½ the sums lose fewer digits.
  const auto field = [&](const std::function<double(const Color& p, const Color& i)>& f) {
    Field all{in.width, in.height, 2 * radius};
    for (int y = -2 * radius; y < in.height + 2 * radius; ++y)
      for (int x = -2 * radius; x < in.width + 2 * radius; ++x)
        all.at(x, y) = f(sample(p, x, y, border), sample(i, x - dx, y - dy, border));
    return means(all, radius);
  };
  std::vector<Field> mean_i, mean_p, mean_ii, mean_ip;
  for (int c = 0; c < 3; ++c) {
    mean_i.push_back(field([=](const Color&, const Color& g) { return g[c] - 0.5; }));
    mean_p.push_back(field([=](const Color& q, const Color&) { return q[c] - 0.5; }));
    for (int k = 0; k < 3; ++k) {
      mean_ii.push_back(
          field([=](const Color&, const Color& g) { return (g[c] - 0.5) * (g[k] - 0.5); }));
      mean_ip.push_back(
          field([=](const Color& q, const Color& g) { return (q[c] - 0.5) * (g[k] - 0.5); }));
    }
  }
  Picture out = p;
  for (int c = 0; c < 3; ++c) {
    std::vector<Field> a(4, Field{in.width, in.height, radius});  // and b
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
    for (Field& each : a) each = means(each, radius);
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
