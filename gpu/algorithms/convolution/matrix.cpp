// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/convolution/matrix.hpp"

#include <charconv>
#include <cmath>
#include <numeric>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"
#include "gpu/core/param.hpp"

namespace cuda_filters {
namespace {

/// The words of a matrix, row by row. Where nothing stands between two separators, or at one of the
/// text's ends, there is an empty one.
std::vector<std::vector<std::string_view>> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n", ends = " \t\r\n,;";
  std::vector<std::vector<std::string_view>> rows(1);
  bool after_word = false;
  while (!text.empty()) {
    const std::string_view gap = text.substr(0, text.find_first_not_of(blanks));
    text.remove_prefix(gap.size());
    if (text.empty()) break;
    if (text.front() == ',' || text.front() == ';') {
      if (!after_word) rows.back().emplace_back();
      if (text.front() == ';') rows.emplace_back();
      text.remove_prefix(1);
      after_word = false;
      continue;
    }
    if (after_word && gap.find_first_of("\r\n") != std::string_view::npos) rows.emplace_back();
    rows.back().push_back(text.substr(0, text.find_first_of(ends)));
    text.remove_prefix(rows.back().back().size());
    after_word = true;
  }
  if (!after_word) rows.back().emplace_back();
  return rows;
}

double parse_weight(std::string_view text, std::size_t row, std::size_t column) {
  std::string_view word = text;
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    throw ArgumentError{format_text(
        tr(N_("The matrix has no number in row %zu, column %zu: it says '%s' there. Split rows by "
              "';' or line breaks, and numbers by ',' or blanks.")),
        row + 1, column + 1, std::string{text}.c_str())};
  return value;
}

}  // namespace

Matrix parse_matrix(std::string_view text) {
  Matrix matrix;
  matrix.values.clear();
  const auto rows = words_of(text);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const auto& words = rows[y];
    if (y == 0) matrix.width = static_cast<int>(words.size());
    if (static_cast<int>(words.size()) != matrix.width)
      throw ArgumentError{format_text(
          tr(N_("Row %zu of the matrix has %zu numbers, but the first row has %d; all rows must "
                "have the same length.")),
          y + 1, words.size(), matrix.width)};
    for (std::size_t x = 0; x < words.size(); ++x)
      matrix.values.push_back(parse_weight(words[x], y, x));
  }
  matrix.height = static_cast<int>(rows.size());
  if (matrix.width % 2 == 0 || matrix.height % 2 == 0)
    throw ArgumentError{format_text(
        tr(N_("The matrix has %d columns and %d rows; both must be odd, so that it has a middle.")),
        matrix.width, matrix.height)};
  if (matrix.width > largest_matrix || matrix.height > largest_matrix)
    throw ArgumentError{
        format_text(tr(N_("The matrix has %d columns and %d rows; %d of each is the most.")),
                    matrix.width, matrix.height, largest_matrix)};
  return matrix;
}

std::string matrix_text(const Matrix& matrix) {
  std::string text;
  for (int y = 0; y < matrix.height; ++y)
    for (int x = 0; x < matrix.width; ++x)
      text.append(x > 0 ? "," : y > 0 ? ";" : "").append(number_text(matrix.at(x, y)));
  return text;
}

Matrix resized(const Matrix& matrix, int width, int height) {
  Matrix result{width, height, std::vector<double>(std::size_t(width) * height)};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int from_x = x - result.radius_x() + matrix.radius_x();
      const int from_y = y - result.radius_y() + matrix.radius_y();
      if (from_x >= 0 && from_x < matrix.width && from_y >= 0 && from_y < matrix.height)
        result.values[std::size_t(y) * width + x] = matrix.at(from_x, from_y);
    }
  return result;
}

double weight_sum(const Matrix& matrix) {
  return std::accumulate(matrix.values.begin(), matrix.values.end(), 0.0);
}

std::optional<SeparatedMatrix> separate(const Matrix& matrix) {
  int pivot_x = 0, pivot_y = 0;
  double largest = 0.0;
  for (int y = 0; y < matrix.height; ++y)
    for (int x = 0; x < matrix.width; ++x)
      if (std::abs(matrix.at(x, y)) > largest) {
        largest = std::abs(matrix.at(x, y));
        pivot_x = x, pivot_y = y;
      }
  if (largest == 0.0) return std::nullopt;
  SeparatedMatrix parts;
  for (int y = 0; y < matrix.height; ++y) parts.column.push_back(matrix.at(pivot_x, y));
  for (int x = 0; x < matrix.width; ++x)
    parts.row.push_back(matrix.at(x, pivot_y) / matrix.at(pivot_x, pivot_y));
  for (int y = 0; y < matrix.height; ++y)
    for (int x = 0; x < matrix.width; ++x)
      if (std::abs(matrix.at(x, y) - parts.column[y] * parts.row[x]) > 1e-9 * largest)
        return std::nullopt;
  return parts;
}

}  // namespace cuda_filters
