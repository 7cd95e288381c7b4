// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

std::vector<std::vector<double>> parse(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::string plain = text;
  std::ranges::replace(plain, '\n', ';');
  std::ranges::replace(plain, ',', ' ');
  std::istringstream lines{plain};
  for (std::string line; std::getline(lines, line, ';');) {
    rows.emplace_back();
    std::istringstream words{line};
    for (double word = 0.0; words >> word;) rows.back().push_back(word);
  }
  return rows;
}

Picture apply(const Picture& picture, const Values& values) {
  const Picture in = recoded(picture, Coding::srgb);
  const auto matrix = parse(std::get<std::string>(values[0]));
  const int height = static_cast<int>(matrix.size()), width = static_cast<int>(matrix[0].size());
  double divisor = number(values[1]), sum_of_weights = 0.0, sum_of_sizes = 0.0;
  for (const auto& row : matrix)
    for (const double weight : row) sum_of_weights += weight, sum_of_sizes += std::abs(weight);
  if (number(values[3]) != 0.0) divisor = sum_of_weights == 0.0 ? 1.0 : sum_of_weights;
  const double offset = number(values[2]);
  const bool weighted = number(values[4]) != 0.0;
  const auto border = static_cast<Border>(number(values[5]));

  Picture out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      Color sum{};
      double coverage = 0.0;
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
          const double weight = matrix[j][i];
          if (weight == 0.0) continue;
          const Color color = sample(in, x + i - width / 2, y + j - height / 2, border);
          for (int c = 0; c < 3; ++c) sum[c] += weight * color[c] * (weighted ? color[3] : 1.0);
          sum[3] += weight * color[3];
          coverage += std::abs(weight) * color[3];
        }
      Color& result = out.at(x, y);
      if (!weighted) {
        for (int c = 0; c < 4; ++c) result[c] = sum[c] / divisor + offset;
      } else if (sum_of_sizes == 0.0) {
        result = {offset, offset, offset, result[3]};
      } else {
        const double alpha = coverage / sum_of_sizes;
        for (int c = 0; c < 3 && alpha >= least_alpha; ++c)
          result[c] = sum[c] / divisor / alpha + offset;
        result[3] = alpha;
      }
    }
  return recoded(out, picture.coding);
}

std::string ones(int width, int height) {
  std::string text;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      text += std::string{x > 0 ? "," : y > 0 ? ";" : ""} + ((x + y) % 5 == 0 ? "1.5" : "1");
  return text;
}

}  // namespace

extern const Reference reference_convolution_matrix{
    "convolution-matrix",
    apply,
    {{"0,0,0;0,1,0;0,0,0", 1.0, 0.0, 0.0, 1.0, 0.0},
     {"1,2,1;2,4,2;1,2,1", 16.0, 0.0, 0.0, 1.0, 0.0},
     {"0 -1 0\n-1 5 -1\n0 -1 0", 1.0, 0.0, 0.0, 1.0, 1.0},
     {"-2,-1,0; -1,1,1; 0,1,2", 1.0, 0.25, 1.0, 0.0, 2.0},
     {"1,0,-1;2,0,-2;1,0,-1", 2.0, 0.5, 0.0, 1.0, 3.0},
     {"1,2,3,4,5", 1.0, 0.0, 1.0, 1.0, 4.0},
     {"1;-2;3", -2.5, 0.0, 0.0, 0.0, 4.0},
     {"0,0,0;0,0,0;0,0,0", 1.0, 0.25, 0.0, 1.0, 0.0},
     {ones(7, 5), 1.0, 0.0, 1.0, 1.0, 4.0},
     {ones(31, 33), 1.0, 0.0, 1.0, 1.0, 1.0}},
    [](const Values&) { return 1e-5; },
    [](const Values& values) {
      double sizes = 0.0, sum = 0.0;
      for (const auto& row : parse(std::get<std::string>(values[0])))
        for (const double weight : row) sizes += std::abs(weight), sum += weight;
      const double divisor = number(values[3]) == 0.0 ? number(values[1]) : sum == 0.0 ? 1.0 : sum;
      // Rounding grows with the terms that are added up, however small their sum.
      return std::max(1.0, sizes / std::abs(divisor));
    }};

}  // namespace cuda_filters::reference
