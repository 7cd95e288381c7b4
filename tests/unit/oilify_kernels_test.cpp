// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of oilify_filter(), at every level of the instruction set, and what they go by.
#include "gpu/algorithms/oilify/oilify_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

using oilify::Disc;
using oilify::OilifySettings;
using oilify::Units;

constexpr int width = 41, radius = 5, wide = width + 2 * radius, high = 1 + 2 * radius;

/// A row with what is around it, converted by one level.
class Picture {
 public:
  Picture(const OilifyKernels& kernels, const OilifySettings& settings) : settings_{settings} {
    std::mt19937 random{7};
    std::uniform_real_distribution<float> value{-0.2f, 1.3f};
    std::vector<Pixel> pixels(wide * high);
    for (Pixel& p : pixels) p = {value(random), value(random), value(random), value(random)};
    pixels[3].g = NAN, pixels[70].r = INFINITY, pixels[71].g = -INFINITY;
    bins.resize((settings.by_luminance ? 1 : 4) * pixels.size());
    if (settings.by_luminance) units.resize(4 * pixels.size());
    kernels.convert(pixels.data(), wide * high, settings.intensities, units_.per_one,
                    settings.by_luminance ? units.data() : nullptr, bins.data());
  }

  /// Its results from left to right or from right to left, by one of a level's loops.
  template <class Bins, class Row>
  std::vector<float> computed(int step, Row compute) const {
    Bins found{};
    const OilifyPixels left = moved({units.data(), bins.data()}, radius * wide + radius, &found);
    const OilifyPixels first = moved(left, step > 0 ? 0 : width - 1, &found);
    std::vector<int> entering, leaving;
    for (int dy = -radius; dy <= radius; ++dy) {
      const int reach = disc_.reach[radius + dy];
      entering.push_back(dy * wide + (reach + 1) * step),
          leaving.push_back(dy * wide - reach * step);
      for (int dx = -reach; dx <= reach; ++dx)
        count(found, moved(first, dy * wide + dx, &found), 1);
    }
    std::vector<float> out(4 * width);
    compute({first,
             width,
             step,
             {entering.data(), leaving.data(), high},
             weights_.data(),
             settings_.intensities,
             units_.per_one,
             out.data() + (step > 0 ? 0 : 4 * (width - 1))},
            found);
    return out;
  }

  std::vector<std::int32_t> units;
  std::vector<std::uint8_t> bins;

 private:
  OilifySettings settings_;
  Disc disc_{radius};
  Units units_{disc_};
  std::vector<float> weights_ = oilify::weights_of(settings_, disc_.count);
};

TEST(OilifyKernels, AgreeAtEveryLevelInEveryDirection) {
  for (const bool by_luminance : {true, false}) {
    const OilifySettings settings{radius, 9, 50, by_luminance};
    const Picture best{oilify_kernels(), settings};
    std::vector<float> wanted;
    for (const Level& level : levels()) {
      const OilifyKernels& kernels = *level.oilify_kernels;
      const Picture picture{kernels, settings};
      EXPECT_EQ(picture.units, best.units) << level.name;
      EXPECT_EQ(picture.bins, best.bins) << level.name;
      for (const int step : {1, -1}) {
        std::vector<std::vector<float>> results;
        if (by_luminance) {
          results.push_back(
              picture.computed<LuminanceBins<std::int32_t>>(step, kernels.narrow_row));
          results.push_back(picture.computed<LuminanceBins<double>>(step, kernels.wide_row));
        } else {
          results.push_back(
              picture.computed<ChannelBins>(step, [&](const OilifyRow& row, ChannelBins& bins) {
                kernels.channel_row(row, bins, 15);
              }));
        }
        for (const auto& result : results) {
          if (wanted.empty()) wanted = result;
          EXPECT_EQ(result, wanted) << level.name << ", " << step;
        }
      }
    }
    EXPECT_GT(*std::ranges::max_element(wanted), 0.3f);
  }
}

TEST(Oilify, KnowsItsDiscs) {
  EXPECT_EQ(Disc{1}.count, 5);
  EXPECT_EQ(Disc{4}.count, 49);
  EXPECT_EQ(Disc{100}.count, 31417);
  for (int r = 1; r <= oilify::max_radius; ++r) {
    const Disc disc{r};
    const Units units{disc};
    EXPECT_EQ(units.narrow, r <= 25);
    if (units.narrow) {
      EXPECT_LT(disc.count * double{units.per_one}, 0x1p31) << r;
    }
    for (const int exponent : {1, 20}) {
      const auto weights = oilify::weights_of({r, exponent, 256, true}, disc.count);
      // Of the fullest bin, whose sum is a float, and of one that makes a difference of 1e-7.
      EXPECT_LT(double{weights[disc.count]} * disc.count * 0x1p23, 0x1p127);
      const int fullest = (disc.count + 255) / 256;
      EXPECT_GT(weights[fullest], 0x1p-126 / 1e-7);
    }
  }
}

}  // namespace
}  // namespace cuda_filters::cpu
