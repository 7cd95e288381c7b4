// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of the surface blur of bytes, at every level of the instruction set.
#include "gpu/algorithms/surface/surface_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int codes = 256, count = 83;

/// Compares a row with its definition, from random histograms with counts up to `largest`.
template <class Count, class Blur>
void check(Blur blur, int radius, int reach, unsigned largest, const char* level) {
  std::mt19937 random{static_cast<unsigned>(radius + reach)};
  std::vector<Count> columns(static_cast<std::size_t>(count + 2 * radius) * codes);
  for (Count& number : columns) number = static_cast<Count>(random() % (largest + 1));
  std::vector<double> weights(2 * codes), differences(2 * codes);
  for (int d = -reach; d <= reach; ++d) {
    weights[d + 255] = reach + 0.5 - std::abs(d);
    differences[d + 255] = weights[d + 255] * d;
  }
  std::vector<std::uint8_t> in(3 * count), out(3 * count, 7);
  for (std::uint8_t& code : in) code = static_cast<std::uint8_t>(random());
  in[0] = 0, in[3] = 255;
  blur(
      {columns.data(), radius, weights.data(), differences.data(), reach, in.data(), out.data(), 3},
      count);
  for (int x = 0; x < count; ++x) {
    double sum = 0.0, all = 0.0;
    for (int i = x; i <= x + 2 * radius; ++i)
      for (int k = 0; k < codes; ++k) {
        const double near = std::max(0.0, reach + 0.5 - std::abs(k - in[3 * x]));
        sum += near * k * columns[static_cast<std::size_t>(i) * codes + k];
        all += near * columns[static_cast<std::size_t>(i) * codes + k];
      }
    ASSERT_NEAR(out[3 * x], all > 0.0 ? sum / all : in[3 * x], 0.5 + 1e-9)
        << level << ", pixel " << x;
    ASSERT_EQ(out[3 * x + 1], 7) << level;
  }
}

TEST(SurfaceKernels, AreMeansOfWhatIsNear) {
  for (const Level& level : levels())
    for (const int radius : {0, 4, 17})
      for (const int reach : {0, 1, 37, 255}) {
        check<std::uint16_t>(level.surface_kernels->blur_words, radius, reach, 3, level.name);
        check<std::uint32_t>(level.surface_kernels->blur_integers, radius, reach, 4000, level.name);
      }
}

TEST(SurfaceKernels, KeepWhatHasNothingNear) {
  for (const Level& level : levels())
    check<std::uint16_t>(level.surface_kernels->blur_words, 3, 20, 0, level.name);
}

}  // namespace
}  // namespace cuda_filters::cpu
