// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Statistics of pictures, on every device that is here, against the naive ones.
#include "gpu/core/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/cpu/parallel.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

/// Of the finite numbers of channel `c` in `region`, as their definitions say.
ChannelMeasures naive(const MemoryImage& image, const Format& format, Rect region, int c) {
  std::vector<double> numbers;
  for (int y = region.y; y < region.bottom(); ++y)
    for (int x = region.x; x < region.right(); ++x) {
      const std::size_t pixel = static_cast<std::size_t>(y) * image.width() + x;
      const std::size_t first = pixel * format.channels();
      if (!image.selection.empty() && image.selection[pixel] < 128) continue;
      if (format.alpha && !(test::load_sample(image, first + format.colors()) > 0.0)) continue;
      const double number = test::load_sample(image, first + c);
      if (std::isfinite(number)) numbers.push_back(number);
    }
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const double n = static_cast<double>(numbers.size());
  double sum = 0.0, squares = 0.0;
  for (const double number : numbers) sum += number;
  for (const double number : numbers) squares += (number - sum / n) * (number - sum / n);
  const std::size_t middle = numbers.size() / 2;
  const double below = numbers[(numbers.size() - 1) / 2];
  return {numbers.front(), numbers.back(), sum / n, std::sqrt(squares / n),
          (below + numbers[middle]) / 2.0};
}

class Measuring : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  void expect_naive(MemoryImage& image, const Format& format, Rect region, bool cramped = false) {
    auto backend = test::make_backend(GetParam());
    if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
    Observer observer;
    const Measured got = measure_on(backends(std::move(backend), nullptr), image, region, observer);
    ASSERT_EQ(static_cast<int>(got.channels.size()), format.channels());
    for (int c = 0; c < format.channels(); ++c) {
      const ChannelMeasures wanted = naive(image, format, region, c), &found = got.channels[c];
      const auto what = test::name_of(format) + " channel " + std::to_string(c);
      EXPECT_NEAR(found.min, wanted.min, 1e-7) << what;
      EXPECT_NEAR(found.max, wanted.max, 1e-7) << what;
      EXPECT_NEAR(found.mean, wanted.mean, 1e-7) << what;
      EXPECT_NEAR(found.standard_deviation, wanted.standard_deviation, 1e-7) << what;
      EXPECT_NEAR(found.median, wanted.median, 1e-7) << what;
    }
  }
};

TEST_P(Measuring, GivesTheNaiveNumbersInEveryFormat) {
  for (const Format& format : test::all_formats())
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {67, 401}, {256, 3}})
      for (const bool cramped : {false, true}) {
        MemoryImage image = test::random_image(width, height, format, true, 9);
        expect_naive(image, format, {0, 0, width, height}, cramped);
        image.selection.assign(static_cast<std::size_t>(width) * height, 128);
        for (std::size_t i = 0; i < image.selection.size(); i += 3) image.selection[i] = 127;
        if (height > 30) expect_naive(image, format, {3, 7, 41, 333}, cramped);
      }
}

TEST_P(Measuring, KnowsSmallDifferencesOfLargeNumbers) {
  const Format format{SampleType::f32, false, false};
  MemoryImage image = test::empty_image(300, 200, format, true);
  for (std::size_t i = 0; i < 60000; ++i)
    test::store_sample(image, i, 1.0 + 1e-4 * static_cast<double>(i % 7));
  expect_naive(image, format, {0, 0, 300, 200});
}

TEST_P(Measuring, LeavesOutWhatIsNotFinite) {
  const Format format{SampleType::f32, true, true};
  MemoryImage image = test::random_image(31, 37, format, true, 4);
  for (std::size_t i = 0; i < 400; i += 7)
    test::store_sample(image, i,
                       i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : -std::numeric_limits<double>::infinity());
  expect_naive(image, format, {0, 0, 31, 37});
}

TEST_P(Measuring, CountsThePixelsThatCount) {
  const Format format{SampleType::u8, true, true};
  MemoryImage image = test::empty_image(50, 40, format, true);
  Observer observer;
  const Rect all{0, 0, 50, 40};
  const Measured none =
      measure_on(backends(test::make_backend(GetParam()), nullptr), image, all, observer);
  EXPECT_EQ(none.count, 0u);
  for (const ChannelMeasures& channel : none.channels)
    EXPECT_TRUE(channel.min == 0.0 && channel.max == 0.0 && channel.median == 0.0);
  for (std::size_t pixel = 0; pixel < 700; ++pixel) test::store_sample(image, 4 * pixel + 3, 0.01);
  const Measured some =
      measure_on(backends(test::make_backend(GetParam()), nullptr), image, all, observer);
  EXPECT_EQ(some.count, 700u);
}

TEST_P(Measuring, ShowsProgressToTheEnd) {
  struct Log final : Observer {
    bool progress(double fraction) override {
      EXPECT_GE(fraction, last);
      last = fraction;
      return true;
    }
    double last = 0.0;
  };
  for (const SampleType type : {SampleType::u8, SampleType::f32}) {
    Log log;
    MemoryImage image = test::random_image(64, 1000, {type, true, true}, true, 4);
    measure_on(backends(std::make_unique<test::Cramped>(test::make_backend(GetParam())), nullptr),
               image, {0, 0, 64, 1000}, log);
    EXPECT_EQ(log.last, 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Measuring, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
