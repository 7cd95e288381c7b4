// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Some pixels of a level of a pyramid; what lies beyond its ends is as these are.
struct Piece {
  int x0, y0, x1, y1;  ///< the first ones, and the last ones
  std::vector<double> values;

  Piece(int left, int top, int right, int bottom) : x0{left}, y0{top}, x1{right}, y1{bottom} {
    values.resize(static_cast<std::size_t>(x1 - x0 + 1) * (y1 - y0 + 1));
  }
  double& at(int x, int y) {
    return values[static_cast<std::size_t>(y - y0) * (x1 - x0 + 1) + (x - x0)];
  }
  double at(int x, int y) const { return const_cast<Piece&>(*this).at(x, y); }
};

struct Level {
  int width, height;
  int column(int x) const { return std::clamp(x, 0, width - 1); }
  int row(int y) const { return std::clamp(y, 0, height - 1); }
  /// The part of a rectangle that there is.
  Piece piece(int x0, int y0, int x1, int y1) const {
    return {column(x0), row(y0), column(x1), row(y1)};
  }
};

constexpr double taps[5] = {1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0};

void reduce(const Piece& fine, const Level& level, Piece& coarse) {
  for (int y = coarse.y0; y <= coarse.y1; ++y)
    for (int x = coarse.x0; x <= coarse.x1; ++x) {
      double sum = 0.0;
      for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
          sum += taps[i + 2] * taps[j + 2] * fine.at(level.column(2 * x + i), level.row(2 * y + j));
      coarse.at(x, y) = sum;
    }
}

/// EXPAND at a pixel: of the taps those that fall on pixels of the coarse level, twice an axis.
double expanded(const Piece& coarse, const Level& level, int x, int y) {
  double sum = 0.0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i)
      if ((x + i) % 2 == 0 && (y + j) % 2 == 0)
        sum += 4.0 * taps[i + 2] * taps[j + 2] *
               coarse.at(level.column((x + i) / 2), level.row((y + j) / 2));
  return sum;
}

struct Remapping {
  double amount, edge, shadows, highlights;
  double operator()(double value, double g) const {
    const double c = value - g;
    double h = c;
    if (c > edge) h = edge + highlights * (c - edge);
    if (c < -edge) h = -edge - shadows * (-c - edge);
    return g + h + amount * c * std::exp(-3.0 * c * c / (2.0 * edge * edge));
  }
};

/// The coefficient of level `l` at (x, y) of the Laplacian pyramid of the picture that is remapped
/// for g, from no more of it than that takes.
double coefficient(const Piece& picture, const std::vector<Level>& levels, std::size_t l, int x,
                   int y, double g, const Remapping& remapping) {
  std::vector<Piece> pieces;
  pieces.push_back(levels[l + 1].piece((x - 2) / 2 - 1, (y - 2) / 2 - 1, x / 2 + 1, y / 2 + 1));
  for (std::size_t i = l + 1; i-- > 0;) {
    const Piece above = pieces.back();
    Piece here =
        levels[i].piece(2 * above.x0 - 2, 2 * above.y0 - 2, 2 * above.x1 + 2, 2 * above.y1 + 2);
    pieces.push_back(here);
  }
  std::ranges::reverse(pieces);
  Piece& bottom = pieces[0];
  for (int j = bottom.y0; j <= bottom.y1; ++j)
    for (int i = bottom.x0; i <= bottom.x1; ++i) bottom.at(i, j) = remapping(picture.at(i, j), g);
  for (std::size_t i = 0; i <= l; ++i) reduce(pieces[i], levels[i], pieces[i + 1]);
  return pieces[l].at(x, y) - expanded(pieces[l + 1], levels[l + 1], x, y);
}

/// The local Laplacian filter of Paris, Hasinoff and Kautz, coefficient by coefficient.
Piece filtered(const Piece& picture, const Remapping& remapping) {
  std::vector<Level> levels{{picture.x1 + 1, picture.y1 + 1}};
  std::vector<Piece> gaussian{picture};
  while (levels.back().width > 1 || levels.back().height > 1) {
    const Level fine = levels.back();
    levels.push_back({(fine.width + 1) / 2, (fine.height + 1) / 2});
    Piece coarse{0, 0, levels.back().width - 1, levels.back().height - 1};
    reduce(gaussian.back(), fine, coarse);
    gaussian.push_back(coarse);
  }
  Piece result = gaussian.back();
  for (std::size_t l = levels.size() - 1; l-- > 0;) {
    Piece finer = gaussian[l];
    for (int y = 0; y < levels[l].height; ++y)
      for (int x = 0; x < levels[l].width; ++x)
        finer.at(x, y) = coefficient(picture, levels, l, x, y, gaussian[l].at(x, y), remapping) +
                         expanded(result, levels[l + 1], x, y);
    result = finer;
  }
  return result;
}

Picture apply(const Picture& in, const Values& values) {
  const Remapping remapping{number(values[0]), number(values[1]), number(values[2]),
                            number(values[3])};
  if (remapping.amount == 0.0 && remapping.shadows == 1.0 && remapping.highlights == 1.0) return in;
  Picture out = recoded(in, Coding::srgb);
  Piece luminance{0, 0, in.width - 1, in.height - 1};
  const auto limited = [](double value) { return std::clamp(value, 0.0, 1.0); };
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    const Color& c = out.pixels[i];
    luminance.values[i] = 0.2126 * limited(c[0]) + 0.7152 * limited(c[1]) + 0.0722 * limited(c[2]);
  }
  const Piece wanted = filtered(luminance, remapping);
  for (std::size_t i = 0; i < out.pixels.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      double& color = out.pixels[i][c];
      const double before = luminance.values[i], more = wanted.values[i] - before;
      color += before > 1e-6 ? limited(color) * more / before : more;
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_local_contrast{
    "local-contrast",
    apply,
    {{0.5, 0.2, 1.0, 1.0},
     {-1.0, 0.1, 0.3, 0.5},
     {2.0, 0.4, 1.0, 0.0},
     {0.0, 0.1, 2.0, 3.0},
     {1.0, 0.02, 1.0, 1.0}},
    // Of luminance 2e-3; a color is off by as many times more as it is larger.
    [](const Values&) { return 4e-3; }};

}  // namespace cuda_filters::reference
