// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loop of noise reduction, at every level of the instruction set.
#include "gpu/algorithms/noise_reduction/noise_reduction_kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

/// The value at `center`, whose neighbors are `step` floats apart in a row, from the definition.
float smoothed(const float* above, const float* center, const float* below, int step) {
  const float around[8]{above[-step], above[0],     above[step], center[-step],
                        center[step], below[-step], below[0],    below[step]};
  const auto difference = [&](float value, int axis) {
    return std::abs((2.0f * value - around[axis]) - around[7 - axis]);
  };
  float sum = *center;
  int count = 1;
  for (const float neighbor : around) {
    const float value = 0.5f * (neighbor + *center);
    bool is_smoother = true;
    for (int axis = 0; axis < 4; ++axis)
      is_smoother = is_smoother && difference(value, axis) <= difference(*center, axis);
    if (is_smoother) sum += value, ++count;
  }
  return sum / static_cast<float>(count);
}

TEST(NoiseReductionKernels, GiveTheBitsOfTheDefinition) {
  constexpr int columns = 67;
  for (const Level& level : levels())
    for (const int channels : {1, 3}) {
      const int tiles = level.noise_reduction_kernels->tiles, step = channels * tiles;
      std::mt19937 random{7};
      std::vector<float> rows[3];
      for (std::vector<float>& row : rows)
        for (int i = 0; i < columns * step; ++i)
          row.push_back(static_cast<float>(random() % 16) / 15.0f);  // many of them equal
      rows[1][20 * step] = -0.0f;
      rows[1][5 * step] = std::numeric_limits<float>::quiet_NaN();
      rows[0][9 * step] = std::numeric_limits<float>::infinity();
      std::vector<int> ends(tiles);
      for (int k = 0; k < tiles; ++k) ends[k] = k == 0 ? columns - 1 : 3 * k;
      std::vector<float> wanted = rows[1];
      for (int x = 1; x < columns - 1; ++x)
        for (int i = 0; i < step; ++i)
          if (x < ends[i % tiles])
            wanted[x * step + i] = smoothed(&rows[0][x * step + i], &wanted[x * step + i],
                                            &rows[2][x * step + i], step);
      level.noise_reduction_kernels->smooth(channels, rows[0].data(), rows[1].data(),
                                            rows[2].data(), columns - 1, ends.data());
      for (int i = 0; i < columns * step; ++i)
        ASSERT_TRUE(std::bit_cast<int>(rows[1][i]) == std::bit_cast<int>(wanted[i]) ||
                    (std::isnan(rows[1][i]) && std::isnan(wanted[i])))
            << level.name << ", " << i;
      ASSERT_TRUE(std::isnan(rows[1][5 * step]) && std::isfinite(rows[1][4 * step]) &&
                  std::isfinite(rows[1][6 * step]));
    }
}

}  // namespace
}  // namespace cuda_filters::cpu
