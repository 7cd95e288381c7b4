// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// What a point becomes, or one of the factors that it becomes one after the other: the weight of
/// each place around it.
struct Psf {
  struct Place {
    int x, y;
    double weight;
  };
  std::vector<Place> places;

  void add(int x, int y, double weight) {
    if (weight > 0.0) places.push_back({x, y, weight});
  }
  void normalize() {
    double sum = 0.0;
    for (const Place& place : places) sum += place.weight;
    for (Place& place : places) place.weight /= sum;
  }
};

double tent(double distance) { return std::max(0.0, 1.0 - std::abs(distance)); }

/// A line of that length through the middle, each point of which is divided between four pixels.
void add_line(Psf& psf, double length, double angle) {
  const int reach = static_cast<int>(length / 2.0) + 2, points = 20000;
  const double right = std::cos(angle), down = -std::sin(angle);
  std::vector<double> weights((2 * reach + 1) * (2 * reach + 1));
  for (int i = 0; i < points; ++i) {
    const double along = length * ((i + 0.5) / points - 0.5);
    const int x = static_cast<int>(std::floor(along * right)),
              y = static_cast<int>(std::floor(along * down));
    for (const int dy : {0, 1})
      for (const int dx : {0, 1})
        weights[(y + dy + reach) * (2 * reach + 1) + x + dx + reach] +=
            tent(along * right - x - dx) * tent(along * down - y - dy);
  }
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x)
      // What is so little is a rounding error of the angle.
      if (const double weight = weights[(y + reach) * (2 * reach + 1) + x + reach]; weight > 1e-9)
        psf.add(x, y, weight);
}

void add_matrix(Psf& psf, std::string text) {
  std::ranges::replace(text, ',', ' ');
  std::istringstream lines{text};
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line, ';');) {
    rows.emplace_back();
    std::istringstream words{line};
    for (double word = 0.0; words >> word;) rows.back().push_back(word);
  }
  const int height = static_cast<int>(rows.size()), width = static_cast<int>(rows[0].size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) psf.add(x - width / 2, y - height / 2, rows[y][x]);
}

std::vector<Psf> factors_of(const Values& values) {
  const double size = number(values[2]), angle = number(values[3]) * std::numbers::pi / 180.0;
  Psf psf;
  switch (static_cast<int>(number(values[1]))) {
    case 0: {
      // The product of one along each axis.
      Psf down;
      const int reach = static_cast<int>(std::ceil(4.8 * size));
      for (int i = -reach; i <= reach; ++i) {
        const double weight = std::exp(-(i * i) / (2.0 * size * size));
        psf.add(i, 0, weight), down.add(0, i, weight);
      }
      psf.normalize(), down.normalize();
      return {psf, down};
    }
    case 1: {
      const int reach = static_cast<int>(size) + 1;
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x)
          psf.add(x, y, std::clamp(size + 0.5 - std::hypot(x, y), 0.0, 1.0));
      break;
    }
    case 2:
      add_line(psf, size, angle);
      break;
    default:
      add_matrix(psf, std::get<std::string>(values[4]));
  }
  psf.normalize();
  return {psf};
}

/// The pixels that each pixel is a sum of, so that borders are looked up once; `side` is 1, or -1
/// for a function that is turned by 180 degrees.
class Convolution {
 public:
  Convolution(const Psf& psf, int side, int width, int height, Border border)
      : weights_(static_cast<std::size_t>(width) * height) {
    std::vector<double> of_pixel(weights_.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::ranges::fill(of_pixel, 0.0);
        for (const auto& [dx, dy, weight] : psf.places) {
          const int column = border_index(x - side * dx, width, border),
                    row = border_index(y - side * dy, height, border);
          if (column >= 0 && row >= 0) of_pixel[row * width + column] += weight;
        }
        auto& mine = weights_[static_cast<std::size_t>(y) * width + x];
        for (std::size_t i = 0; i < of_pixel.size(); ++i)
          if (of_pixel[i] > 0.0) mine.push_back({i, of_pixel[i]});
      }
  }
  std::vector<Color> operator()(const std::vector<Color>& pixels) const {
    std::vector<Color> sums(pixels.size(), Color{});
    for (std::size_t i = 0; i < pixels.size(); ++i)
      for (const auto& [from, weight] : weights_[i])
        for (int c = 0; c < 4; ++c) sums[i][c] += weight * pixels[from][c];
    return sums;
  }

 private:
  std::vector<std::vector<std::pair<std::size_t, double>>> weights_;
};

/// D / I, damped by White's function of the deviance with N = 10.
double quotient(double d, double i, double threshold) {
  d = d < 0.0 ? 0.0 : d;
  if (i == 0.0) return 0.0;
  if (threshold == 0.0) return d / i;
  const double logarithm = d == 0.0 ? 0.0 : d * std::log(i / d);
  const double u = std::min(1.0, -2.0 / (threshold * threshold) * (logarithm - i + d));
  return 1.0 + std::pow(u, 9.0) * (10.0 - 9.0 * u) * (d - i) / i;
}

Picture apply(const Picture& in, const Values& values) {
  const auto border = static_cast<Border>(number(values[6]));
  const std::vector<Psf> factors = factors_of(values);
  const Picture straight = recoded(in, Coding::linear);
  const auto& places = factors[0].places;
  if (places.size() == 1 && places[0].x == 0 && places[0].y == 0) return in;
  Picture work = premultiplied(straight);
  const std::vector<Color> data = work.pixels;
  work.pixels.assign(data.size(), Color{0.5, 0.5, 0.5, 0.5});
  std::vector<Convolution> convolutions, turned;
  for (const Psf& factor : factors) {
    convolutions.emplace_back(factor, 1, in.width, in.height, border);
    turned.emplace_back(factor, -1, in.width, in.height, border);
  }
  for (int k = 0; k < static_cast<int>(number(values[0])); ++k) {
    std::vector<Color> model = work.pixels;
    for (const Convolution& convolution : convolutions) model = convolution(model);
    for (std::size_t i = 0; i < data.size(); ++i)
      for (int c = 0; c < 4; ++c)
        model[i][c] = quotient(data[i][c], model[i][c], number(values[5]));
    for (const Convolution& convolution : turned) model = convolution(model);
    for (std::size_t i = 0; i < data.size(); ++i)
      for (int c = 0; c < 4; ++c) work.pixels[i][c] *= model[i][c];
  }
  return recoded(unpremultiplied(work, straight), in.coding);
}

}  // namespace

extern const Reference reference_richardson_lucy{
    "richardson-lucy",
    apply,
    {{10.0, 0.0, 1.2, 0.0, "1", 0.0, 0.0},
     {2.0, 3.0, 2.0, 0.0, "0,1,0;2,4,1;0,0,1", 0.05, 1.0},
     {5.0, 1.0, 2.5, 0.0, "1", 0.0, 4.0},
     {4.0, 2.0, 7.5, 30.0, "1", 0.0, 2.0},
     {3.0, 0.0, 10.0, 0.0, "1", 0.1, 1.0},
     {2.0, 0.0, 40.0, 0.0, "1", 0.0, 2.0},
     {6.0, 2.0, 5.0, 90.0, "1", 0.02, 3.0},
     {3.0, 3.0, 2.0, 0.0, "1,2,3;2,4,6;1,2,3", 0.0, 0.0},
     {5.0, 3.0, 2.0, 0.0, "1", 0.0, 0.0}},
    [](const Values&) { return 5e-6; },
    [](const Values& values) {
      // Both convolutions of each iteration add their rounding, and later ones bring it out.
      const double iterations = number(values[0]);
      return iterations <= 10.0 ? 2.0 * iterations : std::numeric_limits<double>::infinity();
    }};

}  // namespace cuda_filters::reference
