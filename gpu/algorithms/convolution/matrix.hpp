// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_filters {

/// The weights of a correlation: odd by odd, row by row, the middle one on the pixel itself.
struct Matrix {
  int width = 1, height = 1;
  std::vector<double> values{1.0};

  double at(int x, int y) const { return values[static_cast<std::size_t>(y) * width + x]; }
  int radius_x() const { return width / 2; }
  int radius_y() const { return height / 2; }
};

/// The matrix of the weights that weight(dx, dy) gives.
template <class Weight>
Matrix make_matrix(int radius_x, int radius_y, const Weight& weight) {
  Matrix matrix{2 * radius_x + 1, 2 * radius_y + 1, {}};
  matrix.values.reserve(static_cast<std::size_t>(matrix.width) * matrix.height);
  for (int dy = -radius_y; dy <= radius_y; ++dy)
    for (int dx = -radius_x; dx <= radius_x; ++dx) matrix.values.push_back(weight(dx, dy));
  return matrix;
}

inline constexpr int largest_matrix = 127;

/// Reads "1,2,1; 2,4,2; 1,2,1": rows split by ';' or line breaks, values by ',' or blanks. Around
/// ',' and ';' blanks and line breaks do not count. Throws ArgumentError, saying which row and
/// value is wrong, unless it is odd by odd, up to 127 by 127, with rows of one length and finite
/// numbers.
Matrix parse_matrix(std::string_view text);

/// The text from which parse_matrix() reads exactly this matrix, with ',' and ';'.
std::string matrix_text(const Matrix& matrix);

/// The matrix with another number of columns and rows, both odd, around the same middle: what is
/// new there is 0.
Matrix resized(const Matrix& matrix, int width, int height);

/// The sum of all values, row by row.
double weight_sum(const Matrix& matrix);

/// The matrix as column times row.
struct SeparatedMatrix {
  std::vector<double> column, row;
};
/// The factors of a matrix of rank 1 (to 1e-9 of its largest weight), or nothing.
std::optional<SeparatedMatrix> separate(const Matrix& matrix);

}  // namespace cuda_filters
