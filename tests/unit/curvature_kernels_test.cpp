// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loop of mean curvature motion, at every level of the instruction set.
#include "gpu/algorithms/curvature/curvature_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gpu/algorithms/curvature/mean_curvature.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

/// The same bits, of numbers that differ, are alike, or are none, whatever the count.
TEST(CurvatureKernels, GiveTheBitsOfOnePixelAtATime) {
  std::mt19937 random{1};
  std::uniform_real_distribution<float> between{0.0f, 1.0f};
  for (const int count : {1, 2, 3, 4, 5, 16, 133}) {
    std::vector<Pixel> rows(3 * (count + 2) + lanes);
    for (Pixel& pixel : rows)
      pixel = {between(random), random() % 2 != 0 ? 0.5f : between(random), 0.25f, between(random)};
    if (count > 16) rows[count + 20].g = std::numeric_limits<float>::quiet_NaN();
    const Pixel* const row[3] = {&rows[0], &rows[count + 2], &rows[2 * (count + 2)]};
    const float* const floats[3] = {&row[0]->r, &row[1]->r, &row[2]->r};
    for (const Level& level : levels()) {
      std::vector<Pixel> got(count + lanes);
      level.curvature_kernels->step(floats, count, &got[0].r);
      for (int i = 0; i < count; ++i) {
        const Pixel around[3][3] = {{row[0][i], row[0][i + 1], row[0][i + 2]},
                                    {row[1][i], row[1][i + 1], row[1][i + 2]},
                                    {row[2][i], row[2][i + 1], row[2][i + 2]}};
        const Pixel wanted = MeanCurvature{}(around);
        const auto expect = [&](float Pixel::*channel) {
          if (wanted.*channel != wanted.*channel)
            EXPECT_NE(got[i].*channel, got[i].*channel);
          else
            EXPECT_EQ(got[i].*channel, wanted.*channel) << level.name << ", " << i;
        };
        for (const auto channel : {&Pixel::r, &Pixel::g, &Pixel::b, &Pixel::a}) expect(channel);
      }
    }
  }
}

}  // namespace
}  // namespace cuda_filters::cpu
