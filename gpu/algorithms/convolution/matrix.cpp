// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/convolution/matrix.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The parts of `text` between the separators; always one at least.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

double parse_weight(std::string_view text, std::size_t row, std::size_t column) {
  std::string_view word = trimmed(text);
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    throw ArgumentError{format_text(
        tr(N_("The matrix has no number in row %zu, column %zu: it says '%s' there. Write rows "
              "split by ';' and numbers split by ','.")),
        row + 1, column + 1, std::string{trimmed(text)}.c_str())};
  return value;
}

}  // namespace

Matrix parse_matrix(std::string_view text) {
  Matrix matrix;
  matrix.values.clear();
  const auto rows = split(text, ';');
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const auto words = split(rows[y], ',');
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
