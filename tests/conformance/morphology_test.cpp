// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Extremes of squares of any radius, in pictures that are large enough for every way to find them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

/// Dark, with about three bright samples of each channel in a square of that radius; or the other
/// way round. Of floats, one in 97 is NaN.
MemoryImage spots(Size size, Format format, int radius, bool dark_spots) {
  MemoryImage image{size.width, size.height, format};
  std::mt19937 random{static_cast<unsigned>(radius + size.width)};
  std::uniform_real_distribution<double> values{0.0, 1.0};
  const double seen =
      double(std::min(2 * radius + 1, size.width)) * std::min(2 * radius + 1, size.height);
  const std::size_t count = static_cast<std::size_t>(size.pixels()) * format.channels();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_spot = values(random) * seen < 3.0;
    const double value = values(random) * (is_spot ? 1.0 : 0.1);
    const bool is_nan = !is_integer(format.type) && i % 97 == 0;
    test::store_sample(
        image, i,
        is_nan ? std::numeric_limits<double>::quiet_NaN() : (dark_spots ? 1.0 - value : value));
  }
  return image;
}

/// Of the numbers up to `radius` away from each one, as far as there are any, the largest one (with
/// a sign of 1) or the smallest one (-1); NaN where there is nothing else.
std::vector<double> extremes(const std::vector<double>& numbers, int radius, double sign) {
  const int count = static_cast<int>(numbers.size());
  std::vector<double> result(numbers.size());
  const auto less = [&](double a, double b) {
    return std::isnan(a) ? !std::isnan(b) : sign * a < sign * b;
  };
  int best = -1;
  for (int i = 0; i < count; ++i) {
    const int begin = std::max(0, i - radius), end = std::min(count, i + radius + 1);
    if (best < begin)
      best = static_cast<int>(
          std::max_element(numbers.begin() + begin, numbers.begin() + end, less) - numbers.begin());
    else if (less(numbers[best], numbers[end - 1]))
      best = end - 1;
    result[i] = numbers[best];
  }
  return result;
}

/// What morphology makes of a channel, one axis after the other.
std::vector<double> of_squares(const MemoryImage& image, int channels, int c, int radius,
                               double sign) {
  const int width = image.width(), height = image.height();
  std::vector<double> picture(static_cast<std::size_t>(width) * height), line;
  for (std::size_t i = 0; i < picture.size(); ++i)
    picture[i] = test::load_sample(image, i * channels + c);
  const auto along = [&](std::size_t first, int step, int count) {
    line.clear();
    for (int i = 0; i < count; ++i) line.push_back(picture[first + std::size_t(step) * i]);
    line = extremes(line, radius, sign);
    for (int i = 0; i < count; ++i) picture[first + std::size_t(step) * i] = line[i];
  };
  for (int y = 0; y < height; ++y) along(std::size_t(width) * y, 1, width);
  for (int x = 0; x < width; ++x) along(x, width, height);
  return picture;
}

class Squares : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  static MemoryImage filtered(const Job& job, MemoryImage in, bool cramped) {
    auto backend = test::make_backend(GetParam());
    if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
    MemoryImage out = in;
    Observer observer;
    run_on(std::move(backend), nullptr, job, in, out, {0, 0, in.width(), in.height()}, observer);
    return out;
  }
};

TEST_P(Squares, HaveTheExtremesOfEachAxis) {
  for (const Format& format :
       {Format{SampleType::u8, true, true}, Format{SampleType::u16, false, false},
        Format{SampleType::f16, true, true}, Format{SampleType::f32, true, false}})
    for (const Size size : {Size{35, 1303}, Size{4101, 19}})
      for (const int radius : {7, 8, 20, 47, 48, 203, 1000})
        for (const bool least : {false, true}) {
          const MemoryImage in = spots(size, format, radius, least);
          const Job job = make_job(*find_filter("morphology"),
                                   Values{least ? 1.0 : 0.0, 0.0, double(radius), 0.0});
          const MemoryImage whole = filtered(job, in, false);
          EXPECT_EQ(filtered(job, in, true).codes(), whole.codes()) << radius;
          for (int c = 0; c < format.channels(); ++c) {
            const std::vector<double> wanted =
                of_squares(in, format.channels(), c, radius, least ? -1.0 : 1.0);
            long wrong = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
              const double got = test::load_sample(whole, i * format.channels() + c);
              wrong += std::isnan(wanted[i]) ? !std::isnan(got) : got != wanted[i];
            }
            EXPECT_EQ(wrong, 0) << test::name_of(format) << " radius " << radius << ", "
                                << size.width << " x " << size.height << ", channel " << c;
          }
        }
}

INSTANTIATE_TEST_SUITE_P(Devices, Squares, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
