// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The texts of matrices: what is read is written as a text that reads as the same.
#include "gpu/algorithms/convolution/matrix.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  const std::string_view text = fuzz::text_of(data, size);
  Matrix matrix;
  if (!fuzz::accepted(text, [&] { matrix = parse_matrix(text); })) return 0;
  const Matrix again = parse_matrix(matrix_text(matrix));
  fuzz::require(
      again.width == matrix.width && again.height == matrix.height && again.values == matrix.values,
      "the same matrix again");
  separate(matrix);
  const Matrix larger = resized(matrix, matrix.width + 2, matrix.height + 4);
  fuzz::require(resized(larger, matrix.width, matrix.height).values == matrix.values,
                "the middle of a larger matrix");
  return 0;
}
