// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

using Three = std::array<double, 3>;

/// Colors at the nodes of one axis or of three, red fastest.
struct Nodes {
  int size = 0;
  Three min{0.0, 0.0, 0.0}, max{1.0, 1.0, 1.0};
  std::vector<Three> colors;

  const Three& at(int r, int g, int b) const { return colors[r + size * (g + size * b)]; }
};

struct Table {
  Nodes curves, cube;
};

/// Reads a file that is as it should be.
Table parse(const std::string& name) {
  Table table;
  Nodes domain;
  std::ifstream file{name};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    std::istringstream words{line.substr(0, line.find('#'))};
    std::string word;
    if (!(words >> word) || word == "TITLE") continue;
    Three ends{};
    if (word == "LUT_1D_SIZE") {
      words >> table.curves.size;
    } else if (word == "LUT_3D_SIZE") {
      words >> table.cube.size;
    } else if (word == "DOMAIN_MIN") {
      words >> domain.min[0] >> domain.min[1] >> domain.min[2];
    } else if (word == "DOMAIN_MAX") {
      words >> domain.max[0] >> domain.max[1] >> domain.max[2];
    } else if (word == "LUT_1D_INPUT_RANGE" || word == "LUT_3D_INPUT_RANGE") {
      Nodes& nodes = word == "LUT_1D_INPUT_RANGE" ? table.curves : table.cube;
      words >> ends[0] >> ends[1];
      nodes.min.fill(ends[0]), nodes.max.fill(ends[1]);
      if (&nodes == &table.curves || table.curves.size == 0) domain = nodes;
    } else {
      ends[0] = std::stod(word);
      words >> ends[1] >> ends[2];
      const bool curve = table.curves.colors.size() < std::size_t(table.curves.size);
      (curve ? table.curves : table.cube).colors.push_back(ends);
    }
  }
  Nodes& first = table.curves.size > 0 ? table.curves : table.cube;
  first.min = domain.min, first.max = domain.max;
  return table;
}

/// Where a value lies among the nodes, counted from 0.
double place(const Nodes& nodes, double value, int c) {
  const double along = (value - nodes.min[c]) / (nodes.max[c] - nodes.min[c]);
  return std::clamp(along, 0.0, 1.0) * (nodes.size - 1);
}

Three through_curves(const Nodes& curves, const Three& color) {
  Three result;
  for (int c = 0; c < 3; ++c) {
    const double at = place(curves, color[c], c);
    const int cell = std::min(int(at), curves.size - 2);
    result[c] =
        curves.colors[cell][c] * (1.0 - (at - cell)) + curves.colors[cell + 1][c] * (at - cell);
  }
  return result;
}

Three through_cube(const Nodes& cube, const Three& color, bool trilinear) {
  int cell[3];
  Three fraction;
  for (int c = 0; c < 3; ++c) {
    const double at = place(cube, color[c], c);
    cell[c] = std::min(int(at), cube.size - 2), fraction[c] = at - cell[c];
  }
  Three result{};
  const auto add = [&](const int(&step)[3], double weight) {
    const Three& node = cube.at(cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]);
    for (int c = 0; c < 3; ++c) result[c] += weight * node[c];
  };
  if (trilinear) {
    for (int corner = 0; corner < 8; ++corner) {
      const int step[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
      double weight = 1.0;
      for (int c = 0; c < 3; ++c) weight *= step[c] == 1 ? fraction[c] : 1.0 - fraction[c];
      add(step, weight);
    }
    return result;
  }
  // From the first corner to the last one, along the axes in the order of their fractions.
  int order[3] = {0, 1, 2};
  std::ranges::sort(order, [&](int a, int b) { return fraction[a] > fraction[b]; });
  int step[3] = {0, 0, 0};
  add(step, 1.0 - fraction[order[0]]);
  for (int k = 0; k < 3; ++k) {
    step[order[k]] = 1;
    add(step, fraction[order[k]] - (k < 2 ? fraction[order[k + 1]] : 0.0));
  }
  return result;
}

Picture apply(const Picture& in, const Values& values) {
  const std::string& file = std::get<std::string>(values[0]);
  if (file.empty()) return in;
  const Table table = parse(file);
  const double amount = number(values[2]);
  Picture out = recoded(in, Coding::srgb);
  for (Color& color : out.pixels) {
    Three changed{color[0], color[1], color[2]};
    if (table.curves.size > 0) changed = through_curves(table.curves, changed);
    if (table.cube.size > 0) changed = through_cube(table.cube, changed, number(values[1]) == 1.0);
    if (in.gray) changed.fill(0.2126 * changed[0] + 0.7152 * changed[1] + 0.0722 * changed[2]);
    for (int c = 0; c < 3; ++c) color[c] = (1.0 - amount) * color[c] + amount * changed[c];
  }
  return recoded(out, in.coding);
}

/// The steepest way from one node to the next, in values of the result for one of the picture.
double slope(const Nodes& nodes, bool is_cube) {
  double steepest = 0.0;
  const int size = nodes.size;
  for (int axis = 0; axis < (is_cube ? 3 : 1); ++axis) {
    const int step = axis == 0 ? 1 : axis == 1 ? size : size * size;
    for (int i = 0; i < int(nodes.colors.size()); ++i)
      for (int c = 0; c < 3 && i / step % size < size - 1; ++c)
        steepest = std::max(steepest, std::abs(nodes.colors[i + step][c] - nodes.colors[i][c]));
  }
  double shortest = nodes.max[0] - nodes.min[0];
  for (int c = 1; c < 3; ++c) shortest = std::min(shortest, nodes.max[c] - nodes.min[c]);
  return size == 0 ? 1.0 : steepest * (size - 1) / shortest;
}

}  // namespace

extern const Reference reference_color_lut{
    "color-lut",
    apply,
    {{TABLES "look.cube", 0.0, 1.0},
     {TABLES "random.cube", 0.0, 0.75},
     {TABLES "random.cube", 1.0, 1.0},
     {TABLES "shaper.cube", 0.0, 1.0},
     {TABLES "curves.cube", 0.0, 0.5}},
    [](const Values&) { return 1e-5; },
    // Rounding of the picture's values grows as these do.
    [](const Values& values) {
      const std::string& file = std::get<std::string>(values[0]);
      if (file.empty()) return 1.0;
      const Table table = parse(file);
      return std::max(1.0, slope(table.curves, false)) * std::max(1.0, slope(table.cube, true));
    }};

}  // namespace cuda_filters::reference
