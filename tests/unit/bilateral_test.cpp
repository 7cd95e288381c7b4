// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The bilateral blur by a grid, on every device, against sums over discs in double.
#include "gpu/algorithms/bilateral/bilateral.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "gpu/core/run_on.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

using bilateral::BilateralSettings, bilateral::Guide;

constexpr Format floats{SampleType::f32, true, true};
constexpr Size size{331, 240};

using Colors = std::vector<std::array<double, 4>>;

/// A picture of each kind that levels of values and cells of pixels might serve badly.
enum class Kind { noise, step_with_outliers, stars, blobs, ramp };
constexpr Kind kinds[] = {Kind::noise, Kind::step_with_outliers, Kind::stars, Kind::blobs,
                          Kind::ramp};

Colors colors_of(Kind kind) {
  std::mt19937 random{static_cast<unsigned>(kind) + 1};
  std::uniform_real_distribution<double> value{0.0, 1.0};
  std::normal_distribution<double> grain{0.0, 0.03};
  const auto any = [&] { return std::array{value(random), value(random), value(random), 1.0}; };
  Colors colors(static_cast<std::size_t>(size.width) * size.height);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      auto& color = colors[static_cast<std::size_t>(y) * size.width + x];
      const double dark = kind == Kind::step_with_outliers ? x < size.width / 2 ? 0.2 : 0.7 : 0.05;
      color = {dark, dark, dark, 1.0};
      const double share = kind == Kind::noise                ? 1.0
                           : kind == Kind::step_with_outliers ? 0.01
                           : kind == Kind::stars              ? 0.001
                                                              : 0.0;
      if (value(random) < share) color = any();
      if (kind == Kind::ramp)
        color = {0.003 * x + grain(random), 0.004 * y + grain(random), 0.5 + grain(random), 1.0};
    }
  if (kind == Kind::blobs)
    for (int i = 0; i < 90; ++i) {
      const auto color = any();
      const int left = static_cast<int>(value(random) * (size.width - 4)),
                top = static_cast<int>(value(random) * (size.height - 4));
      for (int y = top; y < top + 4; ++y)
        for (int x = left; x < left + 4; ++x)
          colors[static_cast<std::size_t>(y) * size.width + x] = color;
    }
  // Some are not opaque, and some not there.
  for (std::size_t i = 0; i < colors.size(); i += 3) colors[i][3] = i % 11 == 0 ? 0.0 : 0.6;
  return colors;
}

double luminance_of(const std::array<double, 4>& c) {
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

/// The definition, of one pixel whose disc lies inside.
std::array<double, 4> mean_at(const Colors& colors, int x, int y, double std_dev, double range,
                              Guide guide) {
  const auto at = [&](int column, int row) -> const std::array<double, 4>& {
    return colors[static_cast<std::size_t>(row) * size.width + column];
  };
  const int radius = static_cast<int>(std::ceil(3.0 * std_dev));
  const auto& own = at(x, y);
  std::array<double, 4> sums{}, weights{};
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      if (dx * dx + dy * dy > radius * radius) continue;
      const auto& other = at(x + dx, y + dy);
      const double of_distance = -0.5 * (dx * dx + dy * dy) / (std_dev * std_dev);
      const double between = luminance_of(other) - luminance_of(own);
      for (std::size_t c = 0; c < 4; ++c) {
        const double d = guide == Guide::luminance ? between : other[c] - own[c];
        const double weight =
            std::exp(of_distance - 0.5 * d * d / (range * range)) * (c < 3 ? other[3] : 1.0);
        sums[c] += weight * other[c];
        weights[c] += weight;
      }
    }
  for (std::size_t c = 0; c < 4; ++c) sums[c] = weights[c] > 0.0 ? sums[c] / weights[c] : own[c];
  return sums;
}

class BilateralGrid : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }
};

TEST_P(BilateralGrid, IsNearTheSumOverTheDiscWhateverThePicture) {
  for (const auto& [std_dev, range] :
       {std::pair{12.0, 0.1}, {15.9, 0.3}, {20.0, 0.1}, {20.0, 2.0}, {23.5, 0.05}})
    for (const Guide guide : {Guide::luminance, Guide::channels}) {
      ASSERT_TRUE(
          BilateralSettings(std_dev, range, guide).uses_grid({0, 0, size.width, size.height}))
          << std_dev << " " << range;
      for (const Kind kind : kinds) {
        const Colors colors = colors_of(kind);
        MemoryImage in{size.width, size.height, floats};
        for (std::size_t i = 0; i < colors.size(); ++i)
          for (std::size_t c = 0; c < 4; ++c) test::store_sample(in, 4 * i + c, colors[i][c]);
        MemoryImage out = in;
        Observer silent;
        run_on(test::make_backend(GetParam()), nullptr,
               make_job(*find_filter("bilateral-blur"),
                        Values{std_dev, range, static_cast<double>(guide), 0.0}),
               in, out, {0, 0, size.width, size.height}, silent);
        const int radius = static_cast<int>(std::ceil(3.0 * std_dev));
        double worst = 0.0;
        for (int y = radius; y < size.height - radius; y += 9)
          for (int x = radius + y % 7; x < size.width - radius; x += 7) {
            const auto wanted = mean_at(colors, x, y, std_dev, range, guide);
            const std::size_t pixel = static_cast<std::size_t>(y) * size.width + x;
            for (std::size_t c = 0; c < 4; ++c)
              worst = std::max(worst, std::abs(test::load_sample(out, 4 * pixel + c) - wanted[c]));
          }
        EXPECT_LE(worst, 7e-4) << std_dev << " " << range << " " << static_cast<int>(guide)
                               << " picture " << static_cast<int>(kind);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, BilateralGrid, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
