// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/bilateral/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace cuda_filters::bilateral {
namespace {

/// Nodes lie so many range standard deviations apart.
constexpr double relative_spacing = 0.45;
/// Below, cells would be single pixels, and there would be more nodes than bins.
constexpr double least_std_dev = 8.0, least_range = 0.01;

using Row = std::array<double, mixed_nodes>;

/// Solves a · x = b, for a symmetric positive definite a.
Row solved(std::array<Row, mixed_nodes> a, Row b) {
  for (int i = 0; i < mixed_nodes; ++i)
    for (int r = i + 1; r < mixed_nodes; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (int c = i; c < mixed_nodes; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  for (int i = mixed_nodes - 1; i >= 0; --i) {
    for (int c = i + 1; c < mixed_nodes; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return b;
}

/// The mixture of Gaussians at the nodes that is next to the one at a place between the middle two,
/// by the sum of squares. The scalar product of two Gaussians falls with their distance as a
/// Gaussian of √2 times the standard deviation does.
std::vector<float> mixing_table() {
  const auto product = [](double a, double b) {
    const double distance = (a - b) * relative_spacing;
    return std::exp(-0.25 * distance * distance);
  };
  std::array<Row, mixed_nodes> all;
  for (int i = 0; i < mixed_nodes; ++i)
    for (int k = 0; k < mixed_nodes; ++k) all[i][k] = product(i, k);
  std::vector<float> table;
  for (int step = 0; step <= mixing_steps; ++step) {
    const double place = nodes_before + static_cast<double>(step) / mixing_steps;
    Row with_place;
    for (int i = 0; i < mixed_nodes; ++i) with_place[i] = product(i, place);
    for (const double weight : solved(all, with_place)) table.push_back(static_cast<float>(weight));
  }
  return table;
}

/// How much of a cell lies in the disc.
double covered(int dx, int dy, int step, double radius) {
  constexpr int parts = 16;
  const auto place = [&](int cell, int part) { return (cell + (part + 0.5) / parts - 0.5) * step; };
  int count = 0;
  for (int i = 0; i < parts; ++i)
    for (int k = 0; k < parts; ++k) {
      const double x = place(dx, k), y = place(dy, i);
      if (x * x + y * y <= radius * radius + 0.5) ++count;
    }
  return static_cast<double>(count) / (parts * parts);
}

}  // namespace

GridPlan::GridPlan(double std_dev, double range_std_dev) {
  if (std_dev < least_std_dev || range_std_dev < least_range) return;
  step = static_cast<int>(std_dev / 4.0);
  range = static_cast<float>(0.5 * std::numbers::log2e / (range_std_dev * range_std_dev));
  spacing = static_cast<float>(relative_spacing * range_std_dev);
  least = static_cast<float>(least_share * 2.0 * std::numbers::pi * std_dev * std_dev *
                             (1.0 - std::exp(-4.5)));
  for (int i = 0; i < 3 * step; ++i) {
    const double d = (i + 0.5) / step - 1.5;
    spline.push_back(static_cast<float>(std::abs(d) < 0.5 ? 0.75 - d * d
                                                          : 0.5 * std::pow(1.5 - std::abs(d), 2)));
  }
  mixing = mixing_table();
  const double radius = std::ceil(3.0 * std_dev);
  reach = static_cast<int>(std::sqrt(radius * radius + 0.5) / step + 0.5);
  // The splines of both ways have a quarter of a cell's square each.
  const double all = std_dev * std_dev, left = all - 0.5 * step * step;
  for (int dy = 0; dy <= reach; ++dy) {
    ends.push_back(0);
    for (int dx = -reach; dx <= reach; ++dx) {
      const double squared = (static_cast<double>(dx) * dx + dy * dy) * step * step;
      const double weight =
          all / left * std::exp(-0.5 * squared / left) * covered(dx, dy, step, radius);
      kernel.push_back(static_cast<float>(weight));
      if (weight > 0.0) ends.back() = std::max(ends.back(), dx);
    }
  }
}

double GridPlan::cost(int sums) const {
  const double nodes = 1.0 / spacing + mixed_nodes;
  const double cells = 1.0 / (static_cast<double>(step) * step);
  double taps = 0.0;
  for (const int end : ends) taps += 2.0 * (2.0 * end + 1.0);
  return 100.0 + 30.0 * sums + nodes * (4.0 + sums * (1.5 + 0.07 * taps * cells));
}

bool GridPlan::pays(Size image, double other_cost, int sums) const {
  const double padded =
      (image.width + 2.0 * halo()) * static_cast<double>(image.height + 2.0 * halo());
  return cost(sums) * padded < other_cost * image.pixels();
}

Nodes::Nodes(const std::uint8_t* found) : first_of_bin(bin_count, -1) {
  for (int bin = 0; bin < bin_count; ++bin) {
    if (found[bin] == 0) continue;
    for (int n = bin - nodes_before; n < bin - nodes_before + mixed_nodes; ++n)
      if (numbers.empty() || numbers.back() < first_bin + n) numbers.push_back(first_bin + n);
    first_of_bin[bin] = static_cast<int>(numbers.size()) - mixed_nodes;
  }
}

}  // namespace cuda_filters::bilateral
