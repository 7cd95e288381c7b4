// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The surface blur's means of bytes in whole numbers.
#include "gpu/algorithms/surface/code_means.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace cuda_filters::surface {
namespace {

/// How often each code counts.
using Histogram = std::vector<std::uint64_t>;

CodeSums sums_of(const Histogram& histogram, int center, int reach) {
  CodeSums sums;
  for (int code = std::max(0, center - reach); code <= std::min(255, center + reach); ++code) {
    const int d = code - center;
    const std::uint64_t count = histogram[static_cast<std::size_t>(code)];
    sums.count += count;
    (d < 0 ? sums.below : sums.above) += count * static_cast<std::uint64_t>(std::abs(d));
    sums.squares += static_cast<std::int64_t>(count) * d * std::abs(d);
  }
  return sums;
}

/// The definition, in long doubles.
long double mean_of(const Histogram& histogram, int center, long double limit) {
  long double sum = 0.0L, weights = 0.0L;
  for (int code = 0; code < 256; ++code) {
    const long double near = limit - std::abs(code - center);
    if (!(near > 0.0L)) continue;
    const long double weight = near * static_cast<long double>(histogram[code]);
    sum += weight * (code - center), weights += weight;
  }
  return weights > 0.0L ? center + sum / weights : center;
}

TEST(CodeMeans, AreTheNearestCodes) {
  std::mt19937 random{5};
  for (const int threshold : {1, 15, 110, 255})
    // Single pixels, squares of 11 and of 255, and of 401 that count by alpha.
    for (const unsigned largest : {1u, 121u, 65025u, 41'004'255u})
      for (int i = 0; i < 300; ++i) {
        Histogram histogram(256);
        for (std::uint64_t& count : histogram)
          count = random() % 3 == 0 ? random() % (1 + largest / 128) : 0;
        const int center = static_cast<int>(random() % 256);
        const auto weights = CodeWeights::of(static_cast<float>(2.5 * threshold / 255.0));
        ASSERT_EQ(weights.limit, 2560u * static_cast<unsigned>(threshold));
        const int mean = sums_of(histogram, center, weights.reach).mean(center, weights);
        ASSERT_NEAR(static_cast<double>(mean_of(histogram, center, 2.5L * threshold)), mean,
                    0.5 + 1e-12)
            << threshold << " " << largest << " " << center;
      }
}

TEST(CodeMeans, RoundHalvesUp) {
  const auto weights = CodeWeights::of(1.0f);
  Histogram histogram(256);
  // The weights are 255, and 250 of two codes 5 away: 100 + 5 · 250 n / (255 m + 250 n) = 102.5.
  histogram[100] = 250, histogram[105] = 255;
  EXPECT_EQ(sums_of(histogram, 100, weights.reach).mean(100, weights), 103);
  histogram[105] = 254;
  EXPECT_EQ(sums_of(histogram, 100, weights.reach).mean(100, weights), 102);
  // And 5 below that.
  histogram[105] = 0, histogram[95] = 255;
  EXPECT_EQ(sums_of(histogram, 100, weights.reach).mean(100, weights), 98);
  histogram[95] = 256;
  EXPECT_EQ(sums_of(histogram, 100, weights.reach).mean(100, weights), 97);
}

TEST(CodeMeans, KeepWhatHasNothingNear) {
  EXPECT_EQ((CodeSums{}.mean(77, CodeWeights::of(0.1f))), 77);
}

TEST(CodeMeans, ReachAllThatHaveAWeight) {
  EXPECT_EQ(CodeWeights::of(static_cast<float>(2.5 / 255.0)).reach, 2);
  EXPECT_EQ(CodeWeights::of(static_cast<float>(5.0 / 255.0)).reach, 4);
  EXPECT_EQ(CodeWeights::of(2.5f).reach, 255);
}

}  // namespace
}  // namespace cuda_filters::surface
