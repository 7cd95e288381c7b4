// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of non-local means, at every level of the instruction set.
#include "gpu/algorithms/non_local_means/nl_means_kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

using non_local_means::Exponent;

constexpr int count = 133, stride = count + 2 * non_local_means::max_patch_radius + 2 * lanes;

/// Rows of random numbers, as many floats apart as `stride`.
std::vector<float> random_rows(int rows, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> between{0.0f, 1.0f};
  std::vector<float> values(static_cast<std::size_t>(rows) * stride);
  for (float& value : values) value = between(random);
  return values;
}

ColorRows rows_of(const std::vector<float>& values) {
  return {{&values[0], &values[stride], &values[2 * stride]}};
}

TEST(NlMeansKernels, SumSquaredDifferencesAlongRows) {
  const std::vector<float> from = random_rows(3, 1), to = random_rows(3, 2);
  for (const Level& level : levels())
    for (const int colors : {1, 3})
      for (int radius = 0; radius <= non_local_means::max_patch_radius; ++radius) {
        std::vector<float> buffer(stride), sums(stride);
        level.nl_means_kernels->row_sums(rows_of(from), rows_of(to), colors, radius, count,
                                         buffer.data(), sums.data());
        for (int i = 0; i < count; ++i) {
          double sum = 0.0;
          for (int c = 0; c < colors; ++c)
            for (int t = i; t <= i + 2 * radius; ++t) {
              const double difference = double{from[c * stride + t]} - to[c * stride + t];
              sum += difference * difference;
            }
          ASSERT_NEAR(sums[i], sum, 1e-6 * sum + 1e-7) << level.name << ", radius " << radius;
        }
      }
}

TEST(NlMeansKernels, WeighWhatIsNear) {
  for (const Level& level : levels())
    for (const int colors : {1, 3})
      for (int radius = 0; radius <= non_local_means::max_patch_radius; ++radius) {
        const int rows = 2 * radius + 1;
        std::vector<float> sums = random_rows(rows, 5);
        // What is no number takes no part, and neither does what is too far.
        sums[7] = std::numeric_limits<float>::quiet_NaN();
        sums[8] = std::numeric_limits<float>::infinity();
        std::vector<const float*> sum_rows;
        for (int t = 0; t < rows; ++t) sum_rows.push_back(&sums[std::size_t(t) * stride]);
        const Exponent exponent{{radius, 5, 0.3, 0.05}, colors};
        std::vector<float> weights(stride, 2.0f);
        level.nl_means_kernels->weigh(sum_rows.data(), radius, exponent, count, weights.data());
        for (int i = 0; i < count; ++i) {
          double sum = 0.0;
          for (const float* row : sum_rows) sum += row[i];
          const double distance = sum / (double(rows) * rows * colors) - 2.0 * 0.05 * 0.05;
          const double weight =
              i == 7 || i == 8 ? 0.0 : std::exp(-std::max(distance, 0.0) / (0.3 * 0.3));
          ASSERT_NEAR(weights[i], weight, 1e-6) << level.name << ", radius " << radius;
        }
      }
}

TEST(NlMeansKernels, AccumulateWhatWeighsAnything) {
  const std::vector<float> of = random_rows(3, 3);
  std::vector<float> ahead = random_rows(3, 4), behind = random_rows(3, 5);
  std::vector<float> weights_ahead = random_rows(1, 6), weights_behind = random_rows(1, 7);
  weights_ahead[7] = weights_behind[8] = weights_ahead[9] = weights_behind[9] = 0.0f;
  ahead[7] = behind[8] = std::numeric_limits<float>::quiet_NaN();
  for (const Level& level : levels())
    for (const int colors : {1, 3})
      for (const bool both : {false, true}) {
        std::vector<float> totals(4 * stride, 1.0f);
        level.nl_means_kernels->accumulate(
            rows_of(of), {weights_ahead.data(), rows_of(ahead)},
            {both ? weights_behind.data() : nullptr, rows_of(behind)}, colors, count,
            {&totals[0], {&totals[stride], &totals[2 * stride], &totals[3 * stride]}});
        for (int i = 0; i < count; ++i) {
          const double first = weights_ahead[i], second = both ? weights_behind[i] : 0.0f;
          ASSERT_NEAR(totals[i], 1.0 + first + second, 1e-6) << level.name;
          for (int c = 0; c < colors; ++c) {
            const int at = c * stride + i;
            double total = 1.0;
            if (first > 0.0) total += first * (double{ahead[at]} - of[at]);
            if (second > 0.0) total += second * (double{behind[at]} - of[at]);
            ASSERT_NEAR(totals[(c + 1) * stride + i], total, 1e-6) << level.name << ", at " << i;
          }
        }
      }
}

}  // namespace
}  // namespace cuda_filters::cpu
