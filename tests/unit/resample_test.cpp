// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/resample/resample.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::resample {
namespace {

constexpr int sizes[] = {1, 2, 3, 5, 17, 64, 131, 1000, 4099};

/// Calls f(axis) for many sizes and all settings.
template <class F>
void for_axes(F f) {
  for (const int in : sizes)
    for (const int out : sizes)
      for (int interpolation = 0; interpolation < 5; ++interpolation)
        for (const bool antialias : {false, true})
          for (const Grid grid : {Grid::centers, Grid::corners}) {
            SCOPED_TRACE(testing::Message() << in << " to " << out << ", " << interpolation
                                            << antialias << static_cast<int>(grid));
            f(Axis{in, out, {static_cast<Interpolation>(interpolation), antialias, grid}});
          }
}

TEST(Resample, WindowsLieInsideAndRise) {
  for_axes([](const Axis& axis) {
    IndexRange last{0, 0};
    for (int i = 0; i < axis.out(); ++i) {
      const IndexRange window = axis.window(i);
      ASSERT_GE(window.begin, last.begin);
      ASSERT_GE(window.end, last.end);
      ASSERT_LT(window.begin, window.end);
      ASSERT_LE(window.end, axis.in());
      last = window;
    }
  });
}

TEST(Resample, WeightsAddUpToOne) {
  for_axes([](const Axis& axis) {
    const auto weights = axis.weights();
    for (int i = 0; i < axis.out(); ++i) {
      const float* first = &weights.values[static_cast<std::size_t>(i) * weights.taps];
      ASSERT_NEAR(std::accumulate(first, first + weights.windows[i].size(), 0.0), 1.0, 1e-6);
    }
  });
}

TEST(Resample, HalfByLanczosHasTwelveTapsThatMirrorEachOther) {
  const auto weights = Axis{100, 50, {}}.weights();
  EXPECT_EQ(weights.taps, 12);
  EXPECT_EQ(weights.windows[20], (IndexRange{35, 47}));
  for (int t = 0; t < 6; ++t)
    EXPECT_FLOAT_EQ(weights.values[20 * 12 + t], weights.values[20 * 12 + 11 - t]);
}

TEST(Resample, CornersLieOnCorners) {
  const auto weights = Axis{5, 9, {Interpolation::bilinear, true, Grid::corners}}.weights();
  for (const int end : {0, 8}) {
    const int center = end / 2;
    const IndexRange window = weights.windows[end];
    for (int k = window.begin; k < window.end; ++k)
      EXPECT_EQ(weights.values[end * weights.taps + k - window.begin], k == center ? 1.0f : 0.0f);
  }
  EXPECT_EQ((Axis{7, 1, {Interpolation::nearest, true, Grid::corners}}.window(0)),
            (IndexRange{3, 4}));
}

TEST(Resample, TheSameSizeIsNotTouched) {
  const Axis axis{33, 33, {Interpolation::mitchell, true, Grid::centers}};
  EXPECT_TRUE(axis.picks());
  EXPECT_EQ(axis.window(17), (IndexRange{17, 18}));
}

TEST(Resample, EveryLevelSumsRows) {
  for (const int out : {1, 7, 40, 333}) {
    const auto weights = Axis{100, out, {}}.weights();
    std::vector<float> pixels(4 * 100 + cpu::lanes), got(4 * out + cpu::lanes);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * i % 101);
    for (const cpu::Level& level : cpu::levels()) {
      level.sum_kernels->resample_row(pixels.data(), 0, weights.windows.data(),
                                      weights.values.data(), weights.taps, out, got.data());
      for (int i = 0; i < out; ++i)
        for (int c = 0; c < 4; ++c) {
          double sum = 0.0;
          for (int k = weights.windows[i].begin; k < weights.windows[i].end; ++k)
            sum += double{pixels[4 * k + c]} *
                   weights.values[i * weights.taps + k - weights.windows[i].begin];
          ASSERT_NEAR(got[4 * i + c], sum, 1e-4) << level.name << " " << out << " " << i;
        }
    }
  }
}

}  // namespace
}  // namespace cuda_filters::resample
