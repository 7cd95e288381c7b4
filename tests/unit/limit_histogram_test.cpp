// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/limit_histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

Job analysis_of(const char* filter, const Values& values) {
  return make_job(*find_filter(filter)->limit_histogram(), values);
}

LimitCounts counted(const Job& analysis, MemoryImage& image, Rect area) {
  LimitCounts counts;
  count_limits(analysis, image, area, counts);
  return counts;
}

std::uint64_t total(const LimitCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// The middle of what a level stands for, as a share of the whole.
std::size_t level_of(const LimitCounts& counts, double share) {
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(counts.size() - 1)));
}

TEST(LimitHistogram, IsThereForFiltersWithLimits) {
  for (const FilterEntry& filter : filters()) {
    bool has_limits = false;
    for (const Param& param : filter.params) {
      if (param.upper_limit == nullptr) continue;
      has_limits = true;
      const auto upper =
          std::ranges::find(filter.params, std::string_view{param.upper_limit}, &Param::name);
      ASSERT_NE(upper, filter.params.end()) << filter.info.name;
      EXPECT_EQ(upper->slider.min, param.slider.min);
      EXPECT_EQ(upper->slider.max, param.slider.max);
    }
    EXPECT_EQ(filter.limit_histogram() != nullptr, has_limits) << filter.info.name;
    if (!has_limits) continue;
    EXPECT_EQ(filter.limit_histogram()->params.size(), filter.params.size());
  }
}

TEST(LimitHistogram, CountsTheChannelThatIsCompared) {
  const Format format{SampleType::u8, true, true};
  MemoryImage image = test::random_image(70, 45, format, true, 3);
  const Rect area{10, 3, 41, 30};
  for (int channel = 1; channel <= 5; ++channel) {  // red, green, blue, alpha, value
    const LimitCounts counts =
        counted(analysis_of("threshold", {0.5, 1.0, static_cast<double>(channel)}), image, area);
    LimitCounts wanted(counts.size());
    for (int y = area.y; y < area.bottom(); ++y)
      for (int x = area.x; x < area.right(); ++x) {
        const auto* codes = image.codes().data() + 4 * (std::size_t{70} * y + x);
        const auto code = [&](int c) { return std::to_integer<int>(codes[c]); };
        if (code(3) == 0) continue;
        const int value = channel == 5 ? std::max({code(0), code(1), code(2)}) : code(channel - 1);
        ++wanted[level_of(wanted, value / 255.0)];
      }
    EXPECT_EQ(counts, wanted) << channel;
  }
}

TEST(LimitHistogram, CountsWhatIsSelected) {
  MemoryImage image = test::random_image(30, 20, {SampleType::f32, false, false}, true, 3);
  image.selection.assign(600, 127);
  std::fill_n(image.selection.begin() + 60, 90, 128);
  const Job analysis = analysis_of("threshold", {0.5, 1.0, 0.0});
  EXPECT_EQ(total(counted(analysis, image, {0, 0, 30, 20})), 90u);
}

/// A straight edge of a known height has one gradient, four times that.
TEST(LimitHistogram, CountsTheGradientsOfCanny) {
  MemoryImage image{40, 12, Format{SampleType::u8, false, false}};
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 40; ++x) image.codes()[40 * y + x] = std::byte(x < 20 ? 100 : 150);
  for (const double norm : {0.0, 1.0}) {
    const LimitCounts counts =
        counted(analysis_of("canny", {0.0, 70.0, 130.0, norm, 0.0, 0.0}), image, {0, 0, 40, 12});
    EXPECT_EQ(counts[level_of(counts, 4 * 50 / 500.0)], 24u);
    EXPECT_EQ(counts[0], 38u * 12u);
  }
  // A blur makes it wider and lower.
  const LimitCounts blurred =
      counted(analysis_of("canny", {2.0, 70.0, 130.0, 0.0, 0.0, 0.0}), image, {0, 0, 40, 12});
  EXPECT_EQ(blurred[level_of(blurred, 4 * 50 / 500.0)], 0u);
  EXPECT_LT(blurred[0], 38u * 12u);
  EXPECT_EQ(total(blurred), 480u);
  // The thresholds do not matter, even if they cannot go together.
  EXPECT_EQ(
      counted(analysis_of("canny", {2.0, 300.0, 130.0, 0.0, 0.0, 0.0}), image, {0, 0, 40, 12}),
      blurred);
}

/// What is counted in parts is what is counted at once, also around the parts' borders.
TEST(LimitHistogram, AddsUpInParts) {
  MemoryImage image = test::random_image(300, 280, {SampleType::u16, true, false}, true, 8);
  const Rect region{5, 7, 290, 260};
  for (const char* name : {"canny", "threshold"}) {
    const Job analysis =
        make_job(*find_filter(name)->limit_histogram(), initial_values(*find_filter(name)));
    LimitCounts parts;
    for (const Rect area : sampled_areas(region, 1e9)) count_limits(analysis, image, area, parts);
    EXPECT_EQ(parts, counted(analysis, image, region)) << name;
  }
}

TEST(SampledAreas, AreAllOfASmallRegion) {
  const Rect region{100, 200, 300, 90};
  double pixels = 0.0;
  for (const Rect area : sampled_areas(region, 1e6)) {
    EXPECT_FALSE(area.empty());
    EXPECT_EQ(intersected(area, region), area);
    pixels += area.size().pixels();
  }
  EXPECT_EQ(pixels, region.size().pixels());
  EXPECT_TRUE(sampled_areas({}, 1e6).empty());
}

TEST(SampledAreas, OfALargeRegionAreEvenlySpaced) {
  for (const Rect region : {Rect{0, 0, 6000, 4000}, Rect{0, 0, 400000, 60}, Rect{0, 0, 60, 400000},
                            Rect{333, 77, 30000, 20000}}) {
    const auto areas = sampled_areas(region, 2e6);
    double pixels = 0.0;
    Rect around = areas.front();
    for (const Rect area : areas) {
      EXPECT_FALSE(area.empty());
      pixels += area.size().pixels();
      around = united(around, area);
    }
    EXPECT_LE(pixels, 2.2e6) << region.width;
    EXPECT_GE(pixels, 0.8e6) << region.width;
    EXPECT_GE(around.size().pixels(), 0.6 * region.size().pixels()) << region.width;
  }
}

TEST(BarHeights, ShowAllCounts) {
  EXPECT_EQ(bar_heights({}, 3), (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_EQ(bar_heights({0, 0}, 1), (std::vector<double>{0.0}));
  EXPECT_EQ(bar_heights({1, 1, 2, 2}, 2), (std::vector<double>{std::sqrt(0.5), 1.0}));
  EXPECT_EQ(bar_heights({4, 2}, 4),
            (std::vector<double>{1.0, 1.0, std::sqrt(0.5), std::sqrt(0.5)}));
}

TEST(BarHeights, AreNotPressedDownByOneValue) {
  LimitCounts counts(256, 10);
  counts[0] = 1000000;
  const auto heights = bar_heights(counts, 128);
  EXPECT_EQ(heights[0], 1.0);
  EXPECT_DOUBLE_EQ(heights[1], std::sqrt(0.8));
}

}  // namespace
}  // namespace cuda_filters
