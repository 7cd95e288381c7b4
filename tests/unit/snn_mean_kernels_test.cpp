// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The mean of symmetric nearest neighbors: its inner loop at every level of the instruction set,
// and what a GPU computes it with.
#include "gpu/algorithms/symmetric_neighbors/snn_mean_kernels.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <span>
#include <vector>

#include "gpu/algorithms/symmetric_neighbors/symmetric_neighbors.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

using symmetric_neighbors::SnnSettings;
using symmetric_neighbors::sum_of_nearest;

/// A row of pixels and what is around it, once as pixels and once in planes. Many are alike or as
/// far from each other; if `wild`, some are far away, infinite or NaN.
struct Neighborhood {
  Neighborhood(int count, int radius, int colors, bool wild)
      : radius{radius},
        stride{count + 2 * radius + lanes},
        height{2 * radius + 1},
        pixels(static_cast<std::size_t>(stride) * height),
        planes(pixels.size() * (colors + 1) + lanes) {
    constexpr float infinity = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN();
    std::mt19937 random{static_cast<unsigned>(count + radius)};
    std::uniform_real_distribution<float> between{0.0f, 1.0f};
    const auto value = [&] {
      if (wild && random() % 40 == 0)
        return random() % 2 == 0 ? 100.0f : random() % 2 == 0 ? infinity : nan;
      return random() % 2 == 0 ? static_cast<float>(random() % 4) / 4.0f : between(random);
    };
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      Pixel& p = pixels[i];
      p.r = p.g = p.b = planes[i] = value();
      if (colors == 3) {
        p.g = planes[pixels.size() + i] = value();
        p.b = planes[2 * pixels.size() + i] = value();
      }
      p.a = planes[colors * pixels.size() + i] = between(random);
    }
  }
  /// Where the first pixel of the row lies in both.
  std::ptrdiff_t first() const { return static_cast<std::ptrdiff_t>(radius) * stride + radius; }
  const Pixel& at(int i, int dx, int dy) const { return pixels[first() + dy * stride + i + dx]; }

  int radius, stride, height;
  std::vector<Pixel> pixels;
  std::vector<float> planes;
};

/// The nearest one, as the definition has it.
Pixel nearest(const Pixel& from, std::span<const Pixel> pixels) {
  Pixel found = from;
  float least = symmetric_neighbors::far_away;
  for (const Pixel& p : pixels) {
    const float r = p.r - from.r, g = p.g - from.g, b = p.b - from.b;
    const float squared = r * r + g * g + b * b;
    if (squared < least) least = squared, found = p;
  }
  return found;
}

Pixel mean(const Neighborhood& around, int i, const SnnSettings& settings) {
  const Pixel from = around.at(i, 0, 0);
  Pixel sum = from * static_cast<float>(settings.own_count());
  for (int dy = 1; dy <= settings.radius; ++dy) {
    Pixel of_row{};
    for (int dx = 1; dx <= settings.radius; ++dx) {
      const Pixel all[4] = {around.at(i, -dx, -dy), around.at(i, dx, dy), around.at(i, dx, -dy),
                            around.at(i, -dx, dy)};
      const std::span pixels{all};
      of_row = of_row + (settings.pairs == 2
                             ? nearest(from, pixels)
                             : nearest(from, pixels.first(2)) + nearest(from, pixels.last(2)));
    }
    sum = sum + of_row;
  }
  return sum * (1.0f / static_cast<float>(settings.count()));
}

void expect_same(float got, float wanted) {
  if (wanted != wanted)
    EXPECT_NE(got, got);
  else
    EXPECT_EQ(got, wanted);
}

/// The same bits, whatever the count, at every level.
TEST(SnnMeanKernels, GiveTheBitsOfOnePixelAtATime) {
  for (const int count : {1, 3, 16, 37})
    for (const int radius : {1, 2, 9})
      for (const int colors : {1, 3})
        for (const bool wild : {false, true}) {
          const Neighborhood around{count, radius, colors, wild};
          for (const int pairs : {1, 2})
            for (const bool has_alpha : {false, true})
              for (const Level& level : levels()) {
                SCOPED_TRACE(level.name);
                const SnnSettings settings{radius, pairs};
                std::vector<float> means(4 * (count + lanes));
                float* rows[4]{};
                for (int c = 0; c < colors + has_alpha; ++c) rows[c] = &means[c * (count + lanes)];
                level.snn_mean_kernels->mean(
                    {radius, pairs, static_cast<float>(settings.own_count()),
                     1.0f / static_cast<float>(settings.count()), colors, has_alpha,
                     &around.planes[around.first()], around.stride,
                     static_cast<std::ptrdiff_t>(around.pixels.size())},
                    count, rows);
                for (int i = 0; i < count; ++i) {
                  const Pixel wanted = mean(around, i, settings);
                  expect_same(rows[0][i], wanted.r);
                  if (colors == 3) expect_same(rows[1][i], wanted.g);
                  if (colors == 3) expect_same(rows[2][i], wanted.b);
                  if (has_alpha) expect_same(rows[colors][i], wanted.a);
                }
              }
        }
}

/// What a GPU computes is what the definition says, with and without the question what is far.
TEST(SumOfNearest, IsWhatTheDefinitionSays) {
  constexpr int count = 300;
  const auto expect_pixel = [](const Pixel& got, const Pixel& wanted) {
    for (const auto channel : {&Pixel::r, &Pixel::g, &Pixel::b, &Pixel::a})
      expect_same(got.*channel, wanted.*channel);
  };
  for (const bool wild : {false, true}) {
    const Neighborhood around{count, 1, 3, wild};
    for (int i = 0; i < count; ++i) {
      const Pixel from = around.at(i, 0, 0);
      const Pixel all[4] = {around.at(i, -1, -1), around.at(i, 1, 1), around.at(i, 1, -1),
                            around.at(i, -1, 1)};
      const std::span pixels{all};
      const Pixel of_four = nearest(from, pixels);
      const Pixel of_pairs = nearest(from, pixels.first(2)) + nearest(from, pixels.last(2));
      expect_pixel(sum_of_nearest<2>(from, all[0], all[1], all[2], all[3]), of_four);
      expect_pixel(sum_of_nearest<1>(from, all[0], all[1], all[2], all[3]), of_pairs);
      if (wild) continue;
      expect_pixel(sum_of_nearest<2, true>(from, all[0], all[1], all[2], all[3]), of_four);
      expect_pixel(sum_of_nearest<1, true>(from, all[0], all[1], all[2], all[3]), of_pairs);
    }
  }
}

}  // namespace
}  // namespace cuda_filters::cpu
