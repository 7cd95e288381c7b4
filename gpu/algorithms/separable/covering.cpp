// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/covering.hpp"

namespace cuda_filters::covering {

Axis make_axis(std::span<const float> weights, int size, Border border) {
  const int count = static_cast<int>(weights.size()), radius = count / 2;
  std::vector<int> places(size + 2 * radius);  // from -radius on
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = border_index(static_cast<std::int64_t>(i) - radius, size, border);
  Axis axis{size, std::vector<float>(static_cast<std::size_t>(size) * size)};
  std::vector<double> sums(size);
  for (int i = 0; i < size; ++i) {
    sums.assign(size, 0.0);
    for (int k = 0; k < count; ++k)
      if (const int place = places[i + k]; place >= 0) sums[place] += weights[k];
    for (int k = 0; k < size; ++k)
      axis.weights[static_cast<std::size_t>(i) * size + k] = static_cast<float>(sums[k]);
  }
  return axis;
}

}  // namespace cuda_filters::covering
