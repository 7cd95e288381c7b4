// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Mistakes that programs of this kind have made, one test each, by name. Elsewhere: the spiral in
// canny_test.cpp, images that no int can count in huge_test.cpp, and every filter at odd and tiny
// sizes in conformance_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr Format gray_floats{SampleType::f32, false, false};

class Traps : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  MemoryImage filtered(const char* name, const Values& values, MemoryImage in) {
    const ResolvedJob job = resolved(make_job(*find_filter(name), values), in.size());
    MemoryImage out = job.output == in.size() ? in : in.like(job.output);
    Observer silent;
    run_on(test::make_backend(GetParam()), nullptr, job, in, out, {0, 0, out.width(), out.height()},
           silent);
    return out;
  }
};

/// A gray picture whose samples are value_of(x, y).
template <class F>
MemoryImage gray_image(int width, int height, F value_of) {
  MemoryImage image{width, height, gray_floats};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      test::store_sample(image, static_cast<std::size_t>(y) * width + x, value_of(x, y));
  return image;
}

/// Gray floats that mean the same in every light.
MemoryImage plain_image(int width, int height, unsigned seed) {
  MemoryImage image{width, height, gray_floats};
  image.codes() = test::random_image(width, height, gray_floats, false, seed).codes();
  return image;
}

double sample_at(const MemoryImage& gray, int x, int y) {
  return test::load_sample(gray, static_cast<std::size_t>(y) * gray.width() + x);
}

TEST_P(Traps, GaussianBlurOfSigma5IsThatOfATruncated31By31Kernel) {
  constexpr int width = 83, height = 61, radius = 15;
  const MemoryImage in = plain_image(width, height, 5);
  const MemoryImage blurred = filtered("gaussian-blur", {5.0, 5.0, 0.0}, in);
  std::string matrix;
  double sum = 0.0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const double weight = std::exp(-(dx * dx + dy * dy) / 50.0);
      sum += weight;
      matrix += format_text("%.9g%c", weight, dx < radius ? ',' : ';');
    }
  matrix.pop_back();
  const MemoryImage convolved =
      filtered("convolution-matrix", {matrix, 1.0, 0.0, 1.0, 1.0, 0.0}, in);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double wanted = 0.0;
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
          wanted +=
              std::exp(-(dx * dx + dy * dy) / 50.0) / sum *
              sample_at(in, std::clamp(x + dx, 0, width - 1), std::clamp(y + dy, 0, height - 1));
      ASSERT_NEAR(sample_at(blurred, x, y), wanted, 1e-2) << x << ", " << y;
      ASSERT_NEAR(sample_at(convolved, x, y), wanted, 2e-5) << x << ", " << y;
    }
}

TEST_P(Traps, ConvolutionMatrixOfA1By9IdentityKeepsEveryBit) {
  for (const Format& format : test::all_formats())
    for (const char* weight : {"1", "0.5"}) {
      const MemoryImage in = test::random_image(37, 29, format, true, 6);
      const std::string matrix = format_text("0,0,0,0,%s,0,0,0,0", weight);
      const Values values{matrix, std::stod(weight), 0.0, 0.0, 1.0, 0.0};
      EXPECT_EQ(filtered("convolution-matrix", values, in).codes(), in.codes())
          << test::name_of(format) << " " << matrix;
    }
}

TEST_P(Traps, WrapOfTenColumnsTwoOutGoesOnAtTheOtherEnd) {
  constexpr double wrap = 3.0;
  const MemoryImage in = gray_image(10, 3, [](int x, int y) { return x + 10.0 * y; });
  const MemoryImage left =
      filtered("convolution-matrix", {"1,0,0,0,0", 1.0, 0.0, 0.0, 0.0, wrap}, in);
  const MemoryImage right =
      filtered("convolution-matrix", {"0,0,0,0,1", 1.0, 0.0, 0.0, 0.0, wrap}, in);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 10; ++x) {
      EXPECT_EQ(sample_at(left, x, y), (x + 8) % 10 + 10.0 * y);
      EXPECT_EQ(sample_at(right, x, y), (x + 2) % 10 + 10.0 * y);
    }
}

TEST_P(Traps, CannyThinsEveryDirectionAlongItself) {
  // Soft steps across a line through the middle: their gradients point at 0, 45, 90 and 135
  // degrees.
  constexpr int size = 41, middle = 20;
  constexpr int across[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};
  constexpr double step[] = {0.0, 0.0625, 0.25, 0.5, 0.75, 0.9375, 1.0};
  for (const auto& [dx, dy] : across) {
    const auto distance = [dx = dx, dy = dy](int x, int y) {
      return dx * (x - middle) + dy * (y - middle);
    };
    const MemoryImage in = gray_image(
        size, size, [&](int x, int y) { return step[std::clamp(distance(x, y), -3, 3) + 3]; });
    const MemoryImage edges = filtered("canny", {0.0, 10.0, 20.0, 0.0, 0.0, 0.0}, in);
    for (int y = 1; y < size - 1; ++y)
      for (int x = 1; x < size - 1; ++x)
        ASSERT_EQ(sample_at(edges, x, y), distance(x, y) == 0 ? 1.0 : 0.0)
            << dx << ", " << dy << " at " << x << ", " << y;
  }
}

TEST_P(Traps, LowerClampKeepsGreenAndBlueApart) {
  const MemoryImage in{5, 4, Format{SampleType::f32, true, true}};
  const MemoryImage out = filtered("lower-clamp", {0.125, 0.25, 0.75, 0.5, 0.0}, in);
  for (std::size_t i = 0; i < 5 * 4 * 4; ++i)
    EXPECT_EQ(test::load_sample(out, i), (std::array{0.125, 0.25, 0.75, 0.5})[i % 4]);
}

TEST_P(Traps, BlueScreenKeyingGivesAlpha0OnPureBlue) {
  for (const SampleType type : {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32})
    for (const bool srgb : {true, false})
      for (const double despill : {0.0, 1.0}) {
        // Pure blue, pure green, white, and a dark blue.
        constexpr double pixels[4][4] = {
            {0.0, 0.0, 1.0, 1.0}, {0.0, 1.0, 0.0, 1.0}, {1.0, 1.0, 1.0, 1.0}, {0.0, 0.0, 0.4, 1.0}};
        MemoryImage in = test::empty_image(4, 1, {type, true, true}, srgb);
        for (std::size_t i = 0; i < 16; ++i) test::store_sample(in, i, pixels[i / 4][i % 4]);
        const MemoryImage out = filtered("matte-difference", {0.0, 0.0, despill}, in);
        const auto alpha = [&](std::size_t x) { return test::load_sample(out, 4 * x + 3); };
        EXPECT_EQ(alpha(0), 0.0);
        EXPECT_EQ(alpha(1), 1.0);
        EXPECT_EQ(alpha(2), 1.0);
        EXPECT_GT(alpha(3), 0.0);
        EXPECT_LT(alpha(3), 1.0);
        for (std::size_t i = 4; i < 11; ++i)
          EXPECT_EQ(test::load_sample(out, i), pixels[i / 4][i % 4]);
        EXPECT_EQ(test::load_sample(out, 2), despill == 1.0 ? 0.0 : 1.0);
      }
}

TEST_P(Traps, StretchContrastFindsAMaximumThatOccursOnce) {
  for (const int at : {0, 1, 512 * 512 - 1, 262'143 / 2, 512 * 31 + 33}) {
    MemoryImage in{512, 512, Format{SampleType::u8, false, false}};
    for (std::size_t i = 0; i < in.codes().size(); ++i)
      in.codes()[i] = static_cast<std::byte>(92 + i % 104);  // up to 195
    in.codes()[static_cast<std::size_t>(at)] = std::byte{202};
    const MemoryImage out = filtered("stretch-contrast", {1.0, 1.0}, in);
    for (std::size_t i = 0; i < in.codes().size(); ++i) {
      const double exact = (std::to_integer<int>(in.codes()[i]) - 92) * 255.0 / (202 - 92);
      ASSERT_NEAR(std::to_integer<int>(out.codes()[i]), exact, 0.5 + 1e-3) << i;
    }
  }
}

TEST_P(Traps, ConstantDiffusionIsAGaussianBlur) {
  constexpr int width = 149, height = 131, margin = 40;
  const MemoryImage in = plain_image(width, height, 8);
  for (const auto& [iterations, step] : {std::pair{20.0, 0.2}, {100.0, 0.24}, {400.0, 0.05}}) {
    const double sigma = std::sqrt(2.0 * iterations * step);
    const MemoryImage diffused = filtered("diffusion", {0.0, iterations, step, 20.0, 1.0}, in);
    const MemoryImage blurred = filtered("gaussian-blur", {sigma, sigma, 0.0}, in);
    double squares = 0.0;
    for (int y = margin; y < height - margin; ++y)
      for (int x = margin; x < width - margin; ++x)
        squares += std::pow(sample_at(diffused, x, y) - sample_at(blurred, x, y), 2);
    EXPECT_LE(std::sqrt(squares / ((width - 2 * margin) * (height - 2 * margin))), 1e-3)
        << iterations << " · " << step;
  }
}

TEST_P(Traps, NanAndInfinityCrashNoFilter) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const FilterEntry& filter : filters())
    for (const Values& values : reference::find(filter.info.name)->examples)
      for (const SampleType type : {SampleType::f16, SampleType::f32}) {
        if (filter.creates_image()) continue;  // three plates need more room
        const Format format{type, true, true};
        MemoryImage hopeless = test::empty_image(67, 35, format, false);
        for (std::size_t i = 0; i < 67 * 35 * 4; ++i)
          test::store_sample(hopeless, i, (std::array{nan, infinity, -infinity, 0.5, 1.0})[i % 5]);
        filtered(filter.info.name, values, hopeless);
        for (std::size_t i = 0; i < 67 * 35 * 4; ++i) test::store_sample(hopeless, i, nan);
        filtered(filter.info.name, values, hopeless);
      }
}

TEST_P(Traps, StatisticsLeaveNanAndInfinityWhereTheyAre) {
  const Format format{SampleType::f32, true, true};
  const std::size_t poisoned = (std::size_t{17} * 67 + 31) * 4;
  for (const FilterEntry& filter : filters())
    for (const Values& values : reference::find(filter.info.name)->examples) {
      const Plan plan = make_job(filter, values).plan;
      if (plan.analysis != AnalysisScope::region) continue;
      // Of a filter that looks at neighbors they stay where it sees them.
      const int height = 35 + 2 * plan.halo_y;
      MemoryImage in = test::random_image(67, height, format, false, 12);
      test::store_sample(in, poisoned + 3, 1.0);
      for (const double poison :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        for (std::size_t c = 0; c < 3; ++c) test::store_sample(in, poisoned + c, poison);
        const MemoryImage out = filtered(filter.info.name, values, in);
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < 67; ++x) {
            if (std::abs(x - 31) <= plan.halo_x && std::abs(y - 17) <= plan.halo_y) continue;
            for (std::size_t c = 0; c < 4; ++c)
              ASSERT_TRUE(std::isfinite(test::load_sample(out, (std::size_t{67} * y + x) * 4 + c)))
                  << filter.info.name << " " << x << ", " << y;
          }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Traps, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
