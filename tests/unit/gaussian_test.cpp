// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/gaussian/gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

namespace cuda_filters::gaussian {
namespace {

TEST(Gaussian, WeightsSumToOne) {
  for (const double sigma : {0.05, 0.3, 1.0, 5.0, 8.9}) {
    const auto weights = Axis{sigma}.weights();
    EXPECT_EQ(static_cast<int>(weights.size()), 2 * Axis{sigma}.radius() + 1);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-6);
  }
  EXPECT_EQ(Axis{0.0}.weights(), std::vector<float>{1.0f});
}

TEST(Gaussian, CoarseAndFineSpansCoverEachOther) {
  for (int begin = -9; begin < 9; ++begin)
    for (int end = begin + 1; end < begin + 9; ++end) {
      const IndexSpan coarse = coarse_for({begin, end});
      for (int pixel = begin; pixel < end; ++pixel) {
        const int cell = static_cast<int>(std::floor(pixel / 4.0));
        const int first = cell + interpolate_first(pixel - 4 * cell);
        EXPECT_LE(coarse.begin, first);
        EXPECT_GE(coarse.end, first + interpolate_taps);
      }
      const IndexSpan fine = fine_for(coarse);
      EXPECT_EQ(fine.end - fine.begin, 4 * (coarse.end - coarse.begin - 1) + decimate_taps);
    }
}

TEST(Gaussian, HaloHoldsThePyramid) {
  for (const double sigma : {9.0, 20.0, 55.0, 300.0, 1500.0}) {
    const Axis axis{sigma};
    const int left = axis.coarse().halo();
    for (int pixel = 0; pixel < 4; ++pixel) {
      IndexSpan span = coarse_for({pixel, pixel + 1});
      span = fine_for({span.begin - left, span.end + left});
      EXPECT_LE(pixel - span.begin, axis.halo()) << sigma;
      EXPECT_LE(span.end - 1 - pixel, axis.halo()) << sigma;
    }
    EXPECT_LE(axis.halo(), 7.0 * sigma + 60.0);  // no more is read than the blur is worth
  }
}

/// One level of the pyramid on a wave of `frequency` cycles a pixel: what it adds to an ideal blur.
double worst_error(double sigma, double frequency) {
  using Complex = std::complex<double>;
  const auto wave = [&](double x) {
    return 0.5 * std::exp(Complex{0.0, 2.0 * std::numbers::pi * frequency * x});
  };
  const auto down = decimate_weights();
  const auto across = interpolate_weights();
  const auto bottom = Axis{sigma}.coarse().weights();
  const int radius = static_cast<int>(bottom.size() / 2);
  double worst = 0.0;
  for (int pixel = 0; pixel < 4; ++pixel) {
    Complex got{};
    for (int j = 0; j < interpolate_taps; ++j)
      for (int i = -radius; i <= radius; ++i)
        for (int t = 0; t < decimate_taps; ++t) {
          const int cell = interpolate_first(pixel) + j + i;
          got += static_cast<double>(across[pixel][j]) * static_cast<double>(bottom[i + radius]) *
                 static_cast<double>(down[t]) * wave(4 * cell - decimate_before + t);
        }
    const double response = std::exp(-2.0 * std::pow(std::numbers::pi * sigma * frequency, 2.0));
    worst = std::max(worst, std::abs(got - response * wave(pixel)));
  }
  return worst;
}

TEST(Gaussian, PyramidIsExactForEveryFrequency) {
  for (const double sigma : {9.0, 10.0, 14.0, 25.0})
    for (double frequency = 0.0; frequency <= 0.5; frequency += 1.0 / 512.0)
      EXPECT_LE(worst_error(sigma, frequency), 1e-5) << sigma << " at " << frequency;
}

}  // namespace
}  // namespace cuda_filters::gaussian
