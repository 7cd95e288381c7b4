// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Numbers at the pixels of a picture and of a margin around it.
struct Field {
  int width, height, margin;
  std::vector<double> values =
      std::vector<double>(static_cast<std::size_t>(width + 2 * margin) * (height + 2 * margin));

  double& at(int x, int y) {
    return values[static_cast<std::size_t>(y + margin) * (width + 2 * margin) + x + margin];
  }
  double at(int x, int y) const { return const_cast<Field&>(*this).at(x, y); }
};

/// Calls f(x, y) for the pixels of a field.
template <class F>
void for_all(const Field& field, F f) {
  for (int y = -field.margin; y < field.height + field.margin; ++y)
    for (int x = -field.margin; x < field.width + field.margin; ++x) f(x, y);
}

/// The least value of each square, of a picture that goes on as its ends are.
Field least(const Field& in, int radius, int margin) {
  const auto inside = [](int i, int size) { return std::clamp(i, 0, size - 1); };
  Field rows{in.width, in.height, margin}, out = rows;
  for_all(rows, [&](int x, int y) {
    double value = std::numeric_limits<double>::infinity();
    for (int i = inside(x - radius, in.width); i <= inside(x + radius, in.width); ++i)
      value = std::min(value, in.at(i, inside(y, in.height)));
    rows.at(x, y) = value;
  });
  for_all(out, [&](int x, int y) {
    double value = std::numeric_limits<double>::infinity();
    for (int i = inside(y - radius, in.height); i <= inside(y + radius, in.height); ++i)
      value = std::min(value, rows.at(x, i));
    out.at(x, y) = value;
  });
  return out;
}

/// The mean over each square, in a margin that is smaller by the radius.
Field means(const Field& in, int radius) {
  Field out{in.width, in.height, in.margin - radius};
  const int wide = in.width + 2 * in.margin, high = in.height + 2 * in.margin;
  std::vector<long double> sums(static_cast<std::size_t>(wide + 1) * (high + 1));
  const auto sum = [&](int x, int y) -> long double& {
    return sums[static_cast<std::size_t>(y) * (wide + 1) + x];
  };
  for (int y = 0; y < high; ++y)
    for (int x = 0; x < wide; ++x)
      sum(x + 1, y + 1) =
          in.at(x - in.margin, y - in.margin) + sum(x, y + 1) + sum(x + 1, y) - sum(x, y);
  const int side = 2 * radius + 1;
  for_all(out, [&](int x, int y) {
    const int left = x - radius + in.margin, top = y - radius + in.margin;
    out.at(x, y) = static_cast<double>((sum(left + side, top + side) - sum(left, top + side) -
                                        sum(left + side, top) + sum(left, top)) /
                                       (static_cast<long double>(side) * side));
  });
  return out;
}

Field product(const Field& a, const Field& b) {
  Field out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] *= b.values[i];
  return out;
}

/// The guided filter of He, Sun and Tang, with a guide of one channel.
Field guided(const Field& guide, const Field& in, int radius, double ridge) {
  const Field i = means(guide, radius), p = means(in, radius);
  const Field ii = means(product(guide, guide), radius), ip = means(product(guide, in), radius);
  Field a = i, b = i;
  for_all(a, [&](int x, int y) {
    const double variance = ii.at(x, y) - i.at(x, y) * i.at(x, y);
    a.at(x, y) = (ip.at(x, y) - i.at(x, y) * p.at(x, y)) / (variance + ridge);
    b.at(x, y) = p.at(x, y) - a.at(x, y) * i.at(x, y);
  });
  const Field mean_a = means(a, radius), mean_b = means(b, radius);
  Field out = mean_a;
  for_all(out,
          [&](int x, int y) { out.at(x, y) = mean_a.at(x, y) * guide.at(x, y) + mean_b.at(x, y); });
  return out;
}

double luminance(const Color& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

/// The mean of the brightest pixels among the thousandth of the largest dark channel and what is as
/// large.
Color air_light(const Picture& picture, int radius) {
  Field colors{picture.width, picture.height, 0};
  for_all(colors, [&](int x, int y) {
    const Color& c = picture.at(x, y);
    colors.at(x, y) = std::min({c[0], c[1], c[2]});
  });
  const Field dark = least(colors, radius, 0);
  std::vector<double> sorted;
  for_all(dark, [&](int x, int y) {
    if (picture.at(x, y)[3] > 0.0) sorted.push_back(dark.at(x, y));
  });
  Color sum{};
  if (sorted.empty()) return sum;
  std::ranges::sort(sorted);
  const double limit = sorted[sorted.size() - 1 - sorted.size() / 1000];
  // Gray has its own luminance, and rounding makes no difference between equal pixels.
  double brightest = -std::numeric_limits<double>::infinity(), count = 0.0;
  for_all(dark, [&](int x, int y) {
    const Color& c = picture.at(x, y);
    if (!(c[3] > 0.0) || dark.at(x, y) < limit || luminance(c) < brightest) return;
    if (luminance(c) > brightest) brightest = luminance(c), count = 0.0, sum = {};
    ++count;
    for (int k = 0; k < 3; ++k) sum[k] += c[k];
  });
  for (double& part : sum) part /= count;
  return sum;
}

Picture apply(const Picture& in, const Values& values) {
  const double amount = number(values[0]), darkest = number(values[3]);
  const int radius = static_cast<int>(number(values[1])),
            refine = static_cast<int>(number(values[2]));
  if (amount == 0.0) return in;
  Picture out = recoded(in, Coding::linear);
  const Color air = air_light(out, radius);
  if (air[0] <= 0.0 && air[1] <= 0.0 && air[2] <= 0.0) return in;

  Field shares{in.width, in.height, 0}, guide{in.width, in.height, 2 * refine};
  for_all(shares, [&](int x, int y) {
    double share = 1.0;
    for (int c = 0; c < 3; ++c)
      if (air[c] > 0.0) share = std::min(share, out.at(x, y)[c] / air[c]);
    shares.at(x, y) = std::max(share, 0.0);
  });
  for_all(guide, [&](int x, int y) {
    Color color = sample(out, x, y, Border::clamp);
    for (int c = 0; c < 3; ++c)
      color[c] = air[c] > 0.0 ? std::clamp(color[c] / air[c], 0.0, 1.0) : 0.0;
    guide.at(x, y) = luminance(color);
  });
  Field transmission = least(shares, radius, 2 * refine);
  for (double& t : transmission.values) t = 1.0 - amount * t;
  if (refine > 0) transmission = guided(guide, transmission, refine, 0.001);
  for_all(transmission, [&](int x, int y) {
    const double t = std::max(transmission.at(x, y), darkest);
    for (int c = 0; c < 3; ++c) out.at(x, y)[c] = (out.at(x, y)[c] - air[c]) / t + air[c];
  });
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_dehaze{
    "dehaze",
    apply,
    {{0.7, 7.0, 20.0, 0.1}, {1.0, 1.0, 0.0, 0.2}, {0.9, 3.0, 5.0, 0.3}, {0.5, 2.0, 60.0, 0.1}},
    [](const Values&) { return 1e-5; },
    // What is divided by the transmission, and what that is off by itself.
    [](const Values& values) {
      const double least = std::max(number(values[3]), 1.0 - number(values[0]));
      return 1.0 / (least * least);
    }};

}  // namespace cuda_filters::reference
