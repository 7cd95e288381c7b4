// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpu/algorithms/aperture/aperture.hpp"
#include "gpu/algorithms/aperture/terms.hpp"

namespace cuda_filters::aperture {
namespace {

using Weight = std::function<double(int, int)>;

constexpr int width = 2 * columns;

/// Looks at sums of rows of random pixels, as a block of threads computes them.
void expect_sums(const std::string& what, Halo reach, std::size_t room, const Weight& weight) {
  SCOPED_TRACE(what);
  const Terms terms = Terms::of(make_matrix(reach.x, reach.y, weight), width, room);
  if (terms.planes() > 1) {
    EXPECT_LE(static_cast<std::size_t>(terms.planes()) * terms.stride, room);
  } else {
    EXPECT_TRUE(room < 1000 || reach.x < 20) << "there are pieces where there is room for them";
  }
  std::mt19937 random{7};
  std::uniform_real_distribution<float> value;
  const int count = width + 2 * reach.x;
  double sum_of_weights = 0.0;
  for (int dy = -reach.y; dy <= reach.y; ++dy) {
    std::vector<Pixel> row(static_cast<std::size_t>(terms.planes()) * terms.stride,
                           Pixel{1e9f, 1e9f, 1e9f, 1e9f});
    const auto at = [&](int plane, int x) -> Pixel& {
      return row[static_cast<std::size_t>(plane) * terms.stride + x];
    };
    for (int x = 0; x < count; ++x)
      at(0, x) = {value(random), value(random), value(random), value(random)};
    for (int plane = 1; plane < terms.planes(); ++plane)
      for (int x = 0; x + terms.lengths[plane] <= count; ++x) {
        Pixel sum{};
        for (int i = 0; i < terms.lengths[plane]; ++i) sum = sum + at(0, x + i);
        at(plane, x) = sum;
      }
    for (int first = 0; first < width; first += columns) {
      Pixel sums[columns] = {};
      for (int t = terms.first[dy + reach.y]; t < terms.first[dy + reach.y + 1]; ++t)
        add_term(terms.terms[t], row.data() + first, sums);
      for (int c = 0; c < columns; ++c) {
        double wanted = 0.0;
        for (int dx = -reach.x; dx <= reach.x; ++dx)
          wanted += weight(dx, dy) * at(0, first + c + dx + reach.x).g;
        ASSERT_NEAR(sums[c].g, wanted, 1e-5 * (1.0 + wanted)) << first + c << ", " << dy;
      }
    }
    for (int dx = -reach.x; dx <= reach.x; ++dx) sum_of_weights += weight(dx, dy);
  }
  EXPECT_NEAR(terms.sum, sum_of_weights, 1e-9 * sum_of_weights);
}

TEST(ApertureTerms, AddUpWhatTheShapesCover) {
  for (const double radius : {0.3, 1.0, 2.7, 8.0, 25.0, 61.5})
    for (const Shape shape : {Shape::disc, Shape::polygon, Shape::ring}) {
      const Coverage coverage{{shape, radius, 5, 13.0}};
      for (const std::size_t room : {0, 600, 4000})
        expect_sums("radius " + std::to_string(radius), coverage.reach(), room, coverage);
    }
}

TEST(ApertureTerms, AddUpAnyWeights) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random{seed};
    // Pixels of weight 1 and of weight 0, of which several lie side by side, and other ones.
    std::vector<double> weights(81);
    for (std::size_t i = 0; i < weights.size();) {
      const double chosen[]{1.0, 0.0, 0.25};
      const double weight = chosen[random() % 3];
      const std::size_t end = std::min(weights.size(), i + 1 + random() % (3 * columns));
      for (; i < end; ++i) weights[i] = weight == 0.25 ? 0.01 * (1 + random() % 99) : weight;
    }
    expect_sums("random", {40, 0}, 600, [&](int dx, int) { return weights[dx + 40]; });
  }
}

TEST(ApertureTerms, ReadNoPixelWithoutWeight) {
  // What is not a number beside the weights must not get into a sum.
  const Aperture aperture{Shape::disc, 6.0, 6, 0.0};
  const Coverage coverage{aperture};
  const Terms terms = Terms::of(weights_of(aperture), width, 4000);
  const int reach = coverage.reach().x;
  for (int dy = -reach; dy <= reach; ++dy)
    for (int poisoned = 0; poisoned < width + 2 * reach; ++poisoned) {
      std::vector<Pixel> row(static_cast<std::size_t>(terms.planes()) * terms.stride);
      const float nan = std::numeric_limits<float>::quiet_NaN();
      for (int plane = 0; plane < terms.planes(); ++plane)
        for (int x = 0; x < width + 2 * reach; ++x)
          if (x <= poisoned && poisoned < x + terms.lengths[plane])
            row[static_cast<std::size_t>(plane) * terms.stride + x] = {nan, nan, nan, nan};
      for (int first = 0; first < width; first += columns) {
        Pixel sums[columns] = {};
        for (int t = terms.first[dy + reach]; t < terms.first[dy + reach + 1]; ++t)
          add_term(terms.terms[t], row.data() + first, sums);
        for (int c = 0; c < columns; ++c) {
          const int dx = poisoned - reach - first - c;
          const bool counts = std::abs(dx) <= reach && coverage(dx, dy) > 0.0;
          ASSERT_EQ(std::isnan(sums[c].r), counts) << dx << ", " << dy;
        }
      }
    }
}

}  // namespace
}  // namespace cuda_filters::aperture
