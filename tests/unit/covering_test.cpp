// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/covering.hpp"

#include <gtest/gtest.h>

#include "gpu/algorithms/gaussian/gaussian.hpp"

namespace cuda_filters {
namespace {

constexpr Border borders[] = {Border::clamp, Border::mirror, Border::reflect, Border::wrap,
                              Border::transparent};

TEST(Covering, WeighsThePixelsOfTheImageByAllOfTheirPlaces) {
  const std::vector<float> weights{0.5f, 0.25f, 1.0f, 2.0f, 4.0f, 8.0f, 16.0f};
  for (const Border border : borders)
    for (const int size : {1, 2, 3, 5}) {
      const covering::Axis axis = covering::make_axis(weights, size, border);
      for (int i = 0; i < size; ++i) {
        std::vector<float> wanted(size);
        for (int k = -3; k <= 3; ++k)
          if (const int place = border_index(i + k, size, border); place >= 0)
            wanted[place] += weights[k + 3];
        for (int k = 0; k < size; ++k) EXPECT_EQ(axis.weights[i * size + k], wanted[k]);
      }
    }
}

TEST(Covering, KeepsTheSumOfAGaussian) {
  for (const double sigma : {1.0, 20.0, 1500.0})
    for (const Border border : borders)
      for (const int size : {1, 2, 17}) {
        const covering::Axis axis = gaussian::Axis{sigma}.covering(size, border);
        if (!axis) continue;  // larger than the halo
        for (int i = 0; i < size; ++i) {
          double sum = 0.0;
          for (int k = 0; k < size; ++k) sum += axis.weights[i * size + k];
          if (border == Border::transparent)
            EXPECT_LT(sum, 1.0);
          else
            EXPECT_NEAR(sum, 1.0, 1e-6);
        }
      }
}

TEST(Covering, IsForImagesThatEveryWindowSeesAllOf) {
  for (const double sigma : {0.0, 0.5, 5.0, 12.0, 100.0, 1500.0})
    for (int size = 1; size < 3000; ++size)
      if (gaussian::Axis{sigma}.covering(size, Border::transparent)) {
        EXPECT_LE(size, gaussian::Axis{sigma}.halo());
        if (sigma == 1500.0) break;  // its weights take a while
      }
  EXPECT_TRUE(covering::pays(1, 1, 12));
  EXPECT_FALSE(covering::pays(2, 1, 12));
  EXPECT_TRUE(covering::pays(400, 7300, 12));
  EXPECT_FALSE(covering::pays(7000, 7300, 12)) << "a pyramid takes less";
}

}  // namespace
}  // namespace cuda_filters
