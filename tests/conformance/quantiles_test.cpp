// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What filters that go by ranks must get right on every device: pictures of one value or two,
// single pixels, values of every size, and what is no number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

// Neither is a multiple of what blocks and tiles are made of.
constexpr int width = 1201, height = 517;

class Ranks : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  MemoryImage autocontrast(MemoryImage in, double low, double high, double mode) {
    MemoryImage out = in;
    Observer observer;
    const Job job = make_job(*find_filter("autocontrast"), Values{low, high, mode});
    run_on(test::make_backend(GetParam()), nullptr, job, in, out, {0, 0, width, height}, observer);
    return out;
  }

  /// A gray picture of floats.
  MemoryImage gray(auto value) {
    MemoryImage image = test::empty_image(width, height, {SampleType::f32, false, false}, true);
    for (int i = 0; i < width * height; ++i) test::store_sample(image, i, value(i));
    return image;
  }

  /// By sorting all numbers.
  void expect_cut(const MemoryImage& in, double low, double high) {
    const MemoryImage out = autocontrast(in, low, high, 0.0);
    std::vector<float> sorted;
    for (int i = 0; i < width * height; ++i) {
      const auto value = static_cast<float>(test::load_sample(in, i));
      if (std::isfinite(value)) sorted.push_back(value);
    }
    std::ranges::sort(sorted);
    const double n = static_cast<double>(sorted.size());
    const float dark = sorted[static_cast<std::size_t>(low * n)];
    const float bright = sorted[sorted.size() - 1 - static_cast<std::size_t>(high * n)];
    for (int i = 0; i < width * height; ++i) {
      const auto before = static_cast<float>(test::load_sample(in, i));
      const double got = test::load_sample(out, i);
      if (std::isnan(before)) {
        ASSERT_TRUE(std::isnan(got));
        continue;
      }
      const double wanted = std::clamp((double{before} - dark) / (double{bright} - dark), 0., 1.);
      ASSERT_NEAR(got, wanted, 1e-5) << before << " between " << dark << " and " << bright;
    }
  }
};

TEST_P(Ranks, FlatPicturesStayAsTheyAre) {
  for (const Format& format : test::all_formats()) {
    MemoryImage in = test::empty_image(width, height, format, true);
    for (std::size_t i = 0; i < in.codes().size() / bytes_of(format.type); ++i)
      test::store_sample(in, i, 0.25 + 0.125 * static_cast<double>(i % format.channels()));
    for (const double fraction : {0.0, 0.4})
      for (const double mode : {0.0, 1.0})
        EXPECT_EQ(autocontrast(in, fraction, fraction, mode).codes(), in.codes())
            << test::name_of(format);
  }
}

TEST_P(Ranks, OnePixelIsFound) {
  for (const int at : {0, 1, 600 * 517 + 5, width * height - 1}) {
    const MemoryImage in = gray([=](int i) { return i == at ? 0.75 : 0.5; });
    const MemoryImage all = autocontrast(in, 0.0, 0.0, 0.0);
    EXPECT_EQ(test::load_sample(all, at), 1.0);
    EXPECT_EQ(test::load_sample(all, at == 0 ? 1 : at - 1), 0.0);
    const double one_pixel = 1.5 / (width * height);
    EXPECT_EQ(autocontrast(in, 0.0, one_pixel, 0.0).codes(), in.codes());
  }
}

TEST_P(Ranks, FractionsAreExact) {
  std::mt19937 random{5};
  std::normal_distribution<double> noise{0.4, 0.3};
  for (const auto& [low, high] : {std::pair{0.0, 0.0}, {0.05, 0.02}, {0.4, 0.4}, {1e-5, 0.0}}) {
    expect_cut(gray([&](int) { return noise(random); }), low, high);
    expect_cut(gray([](int i) { return i % 2 == 0 ? -1.5 : 2.0; }), low, high);
    expect_cut(gray([](int i) { return i / width; }), low, high);
  }
}

TEST_P(Ranks, NumbersOfEverySizeAreInOrder) {
  std::mt19937 random{6};
  std::uniform_real_distribution<double> exponent{-130.0, 100.0};
  const MemoryImage in = gray([&](int i) {
    if (i % 11 == 0) return i % 2 == 0 ? 0.0 : -0.0;
    if (i % 13 == 0) return std::numeric_limits<double>::quiet_NaN();
    if (i % 17 == 0) return (i % 2 == 0 ? 1.0 : -1.0) * std::numeric_limits<double>::infinity();
    return (i % 3 == 0 ? -1.0 : 1.0) * std::exp2(exponent(random));
  });
  for (const auto& [low, high] : {std::pair{0.0, 0.0}, {0.1, 0.2}, {0.3, 0.3}})
    expect_cut(in, low, high);
}

INSTANTIATE_TEST_SUITE_P(Devices, Ranks, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
