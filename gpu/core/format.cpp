// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/format.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cuda_filters {

Curve::Curve(std::vector<float> given_values, std::vector<float> given_thresholds)
    : values{std::move(given_values)}, thresholds{std::move(given_thresholds)} {
  fill_buckets();
}

void Curve::follow(const Transfer& transfer) {
  const Transfer encoding = inverse(transfer);
  const double top = static_cast<double>(thresholds.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const double code = top * value_of(encoding, double{thresholds[i]});
    worst = std::max(worst, std::abs(code - (static_cast<double>(i) + 0.5)));
  }
  if (worst < 0.25) formula = transfer, deviation = worst;
}

void Curve::fill_buckets() {
  buckets.resize(encode_buckets + 1);
  const std::uint32_t first = std::bit_cast<std::uint32_t>(encode_low);
  for (std::uint32_t i = 0; i <= encode_buckets; ++i) {
    const float start = std::bit_cast<float>(first + (i << encode_shift));
    const auto end = std::upper_bound(thresholds.begin(), thresholds.end(), start);
    buckets[i] = static_cast<std::uint16_t>(end - thresholds.begin());
  }
}

}  // namespace cuda_filters
