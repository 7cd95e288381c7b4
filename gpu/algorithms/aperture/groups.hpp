// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <vector>

namespace cuda_filters::aperture {

/// How many numbers may go into one sum of floats. The fewer these are, the less its rounding adds
/// up to: of equal ones, 4e-9 of the sum for each was seen.
inline constexpr int max_additions = 256;

/// The rows of an aperture that are the last ones of their groups, each of which has a sum of its
/// own: as many rows as add up no more than `max_additions` numbers, or one that has more.
/// `additions`: how many numbers each row adds.
inline std::vector<bool> ends_of_groups(const std::vector<int>& additions) {
  std::vector<bool> ends(additions.size());
  int sum = 0;
  for (std::size_t row = 0; row < additions.size(); ++row) {
    sum += additions[row];
    ends[row] = row + 1 == additions.size() || sum + additions[row + 1] > max_additions;
    if (ends[row]) sum = 0;
  }
  return ends;
}

}  // namespace cuda_filters::aperture
