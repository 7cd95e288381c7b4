// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/atrous/noise.hpp"

#include <cmath>
#include <vector>

namespace cuda_filters::atrous {
namespace {

/// What a level's smoothing makes of the weights of all those before, along an axis.
std::vector<double> smoothed(const std::vector<double>& before, int level) {
  std::vector<double> after(before.size() + 2 * halo(level));
  for (std::size_t i = 0; i < before.size(); ++i)
    for (int t = 0; t < taps; ++t) after[i + t * spacing(level)] += weights[t] * before[i];
  return after;
}

/// The sum of the products of two levels' weights, both around the middle.
double product(const std::vector<double>& fine, const std::vector<double>& coarse) {
  const std::size_t margin = (coarse.size() - fine.size()) / 2;
  double sum = 0.0;
  for (std::size_t i = 0; i < fine.size(); ++i) sum += fine[i] * coarse[i + margin];
  return sum;
}

}  // namespace

std::array<double, max_levels> noise_gains() {
  std::array<double, max_levels> gains;
  std::vector<double> fine{1.0};
  for (int level = 0; level < max_levels; ++level) {
    const std::vector<double> coarse = smoothed(fine, level);
    // Both axes have the same weights, so sums over them are squares.
    const double of_fine = product(fine, fine), of_both = product(fine, coarse),
                 of_coarse = product(coarse, coarse);
    gains[level] = std::sqrt(of_fine * of_fine - 2.0 * of_both * of_both + of_coarse * of_coarse);
    fine = coarse;
  }
  return gains;
}

}  // namespace cuda_filters::atrous
