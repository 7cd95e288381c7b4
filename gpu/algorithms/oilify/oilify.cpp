// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/oilify/oilify.hpp"

#include <cmath>
#include <limits>

namespace cuda_filters::oilify {

Disc::Disc(int radius) : radius{radius}, count{0} {
  for (int dy = -radius; dy <= radius; ++dy) {
    int dx = radius;
    while (dx * dx + dy * dy > radius * radius) --dx;
    reach[radius + dy] = static_cast<std::uint8_t>(dx);
    count += 2 * dx + 1;
  }
}

Units::Units(const Disc& disc) : narrow{disc.radius <= max_narrow_radius} {
  int bits = max_bits;
  while (narrow && disc.count > std::numeric_limits<std::int32_t>::max() >> bits) --bits;
  per_one = static_cast<float>(1 << bits);
}

std::vector<float> weights_of(const OilifySettings& settings, int count) {
  // The fullest of up to 256 bins has at least 1/256 of the pixels: its weight is from 2^-95 to
  // 2^57, and that times a sum is a float.
  const double unit = count / 8.0;
  std::vector<float> weights(static_cast<std::size_t>(count) + 1);
  for (int n = 1; n <= count; ++n) {
    const double weight = std::pow(n / unit, settings.exponent - 1);
    weights[n] = weight >= std::numeric_limits<float>::min() ? static_cast<float>(weight) : 0.0f;
  }
  return weights;
}

}  // namespace cuda_filters::oilify
