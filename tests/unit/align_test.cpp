// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/align/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/algorithms/align/align_kernels.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/support/plates.hpp"

namespace cuda_filters {
namespace {

using align::Metric;
using align::Placement;
using align::Shift;
using test::PlateSettings;

align::Placement placed(const std::vector<float>& scan, int width, int height,
                        const align::AlignSettings& settings) {
  align::Scan plates;
  plates.plate = {width, height};
  plates.here.reset(new float[scan.size()]);
  std::ranges::copy(scan, plates.here.get());
  return align::place(*cpu::make_matcher(plates), plates.plate, settings);
}

align::Placement placed(const PlateSettings& made, const align::AlignSettings& settings) {
  return placed(test::make_plates(made), made.width, made.height, settings);
}

void expect_shifts(const Placement& found, const PlateSettings& made, double tolerance) {
  const Shift wanted[3] = {made.first, {}, made.last};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.shifts[i].x, wanted[i].x, tolerance) << "plate " << i;
    EXPECT_NEAR(found.shifts[i].y, wanted[i].y, tolerance) << "plate " << i;
  }
}

class Plates : public testing::TestWithParam<Metric> {};
INSTANTIATE_TEST_SUITE_P(Metrics, Plates, testing::Values(Metric::correlation, Metric::mse));

TEST_P(Plates, ShiftsAreFoundExactly) {
  for (const auto& [first, last] : {std::pair{Shift{3, -5}, Shift{-7, 11}},
                                    {Shift{15, 15}, Shift{-15, -15}},
                                    {Shift{0, 0}, Shift{1, 0}},
                                    {Shift{-14, 2}, Shift{13, -9}}})
    for (unsigned seed = 1; seed < 4; ++seed) {
      const PlateSettings made{.first = first, .last = last, .seed = seed};
      expect_shifts(placed(made, {15, GetParam(), true, 1}), made, 0.0);
    }
}

TEST_P(Plates, NoiseGainExposureScratchesAndFramesDoNotMatter) {
  const PlateSettings plain{.width = 330, .height = 300, .first = {5, -9}, .last = {-12, 3}};
  std::vector<std::pair<const char*, PlateSettings>> all(6, {"", plain});
  const auto change = [&](std::size_t i, const char* name) -> PlateSettings& {
    all[i].first = name;
    return all[i].second;
  };
  change(0, "noise").noise = 0.05;
  PlateSettings& exposed = change(1, "exposure");
  exposed.gains = {0.6, 1.0, 0.8}, exposed.gammas = {1.8, 1.0, 0.6};
  change(2, "scratches").scratches = 8;
  change(3, "frames").frame = 12;
  PlateSettings& gain = change(4, "noise and gain");
  gain.noise = 0.05, gain.gains = {0.6, 1.0, 0.6};
  PlateSettings& worst = change(5, "everything");
  worst.noise = 0.05, worst.gains = {0.6, 1.0, 0.8}, worst.scratches = 4, worst.frame = 14;
  for (auto& [name, made] : all)
    for (const float border : {0.0f, 1.0f})
      for (unsigned seed = 1; seed < 4; ++seed) {
        SCOPED_TRACE(testing::Message() << name << ", border " << border << ", seed " << seed);
        made.seed = seed, made.border = border;
        expect_shifts(placed(made, {15, GetParam(), true, 1}), made, 0.0);
      }
}

TEST_P(Plates, ShiftsBetweenPixelsAreFoundToOneStep) {
  for (const int subpixel : {2, 4, 8, 16})
    for (unsigned seed = 1; seed < 4; ++seed) {
      const double step = 1.0 / subpixel;
      const PlateSettings made{
          .first = {3 + step, -5 - step}, .last = {-7.5, 2 + 3 * step}, .seed = seed};
      expect_shifts(placed(made, {15, GetParam(), true, subpixel}), made, step + 1e-9);
    }
}

TEST_P(Plates, NoiseAndGainDoNotDrawShiftsToWholePixels) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const PlateSettings made{.width = 400,
                             .height = 360,
                             .first = {4.25, -3.5},
                             .last = {-6.75, 1.25},
                             .gains = {0.6, 1.0, 1.0},
                             .noise = 0.05,
                             .seed = seed};
    expect_shifts(placed(made, {15, GetParam(), true, 4}), made, 0.25 + 1e-9);
  }
}

TEST_P(Plates, LargeShiftsAreFoundFromCoarseToFine) {
  const PlateSettings made{
      .width = 900, .height = 700, .first = {-103, 77}, .last = {60, -119}, .noise = 0.02};
  expect_shifts(placed(made, {120, GetParam(), false, 1}), made, 0.0);
}

TEST(Placement, StaysInRange) {
  const PlateSettings made{.first = {20, 0}, .last = {0, -20}};
  for (const int subpixel : {1, 4}) {
    const Placement found = placed(made, {6, Metric::correlation, true, subpixel});
    for (const Shift& shift : found.shifts) {
      EXPECT_LE(std::abs(shift.x), 6.0);
      EXPECT_LE(std::abs(shift.y), 6.0);
    }
  }
}

TEST(Placement, OverlapIsWhatAllPlatesShow) {
  PlateSettings made{.width = 100, .height = 90, .first = {3, -5}, .last = {-7.5, 6}};
  const Placement found = placed(made, {15, Metric::correlation, false, 2});
  EXPECT_EQ(found.overlap, (Rect{3, 6, 89, 79}));
}

TEST(Placement, FramesAreCutOff) {
  for (const float border : {0.0f, 1.0f}) {
    const PlateSettings made{
        .first = {4, 0}, .last = {0, -3}, .frame = 12, .border = border, .seed = 3};
    const Rect with = placed(made, {15, Metric::correlation, false, 1}).overlap;
    const Rect without = placed(made, {15, Metric::correlation, true, 1}).overlap;
    EXPECT_EQ(with, (Rect{4, 0, 236, 217}));
    // Frames are 12 to 15 pixels wide, and up to three lines more are cut.
    EXPECT_GE(without.x, 16);
    EXPECT_LE(without.x, 22);
    EXPECT_GE(without.y, 12);
    EXPECT_LE(without.y, 18);
    EXPECT_GE(without.right(), 218);
    EXPECT_LE(without.right(), 228);
    EXPECT_GE(without.bottom(), 198);
    EXPECT_LE(without.bottom(), 206);
  }
}

TEST(Placement, PicturesWithoutFramesLoseNothing) {
  for (unsigned seed = 1; seed < 9; ++seed) {
    const PlateSettings made{.seed = seed};
    EXPECT_EQ(placed(made, {4, Metric::correlation, true, 1}).overlap, (Rect{0, 0, 240, 220}));
  }
}

TEST(Placement, PlatesWithoutContoursStayWhereTheyAre) {
  for (const Metric metric : {Metric::correlation, Metric::mse}) {
    const Placement found =
        placed(std::vector<float>(3 * 40 * 30, 0.3f), 40, 30, {15, metric, true, 4});
    for (const Shift& shift : found.shifts) {
      EXPECT_EQ(shift.x, 0.0);
      EXPECT_EQ(shift.y, 0.0);
    }
    EXPECT_EQ(found.overlap, (Rect{0, 0, 40, 30}));
  }
}

TEST(Placement, WhatIsNotFiniteIsNotLookedAt) {
  const PlateSettings made{.first = {5, -9}, .last = {-12, 3}};
  std::vector<float> scan = test::make_plates(made);
  constexpr float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < scan.size(); i += 997) scan[i] = bad[i % 3];
  expect_shifts(placed(scan, made.width, made.height, {15, Metric::correlation, true, 1}), made,
                0.0);
}

TEST(Placement, EverySizeAndRangeIsSurvived) {
  for (const auto& [width, height] :
       {std::pair{16, 16}, {17, 40}, {16, 900}, {800, 16}, {63, 65}, {127, 128}})
    for (const int range : {1, 15, 500}) {
      const PlateSettings made{.width = width, .height = height};
      const Placement found = placed(made, {range, Metric::correlation, true, 3});
      EXPECT_FALSE(found.overlap.empty());
      EXPECT_GE(found.overlap.x, 0);
      EXPECT_LE(found.overlap.right(), width);
      EXPECT_GE(found.overlap.y, 0);
      EXPECT_LE(found.overlap.bottom(), height);
    }
}

TEST(Placement, DoesNotDependOnTheNumberOfThreads) {
  const std::vector<float> scan = test::make_plates({.first = {3.4, -5}, .last = {-7.5, 11}});
  const Placement wanted = placed(scan, 240, 220, {15, Metric::correlation, true, 16});
  for (const int threads : {1, 2, 7}) {
    cpu::set_thread_count(threads);
    const Placement found = placed(scan, 240, 220, {15, Metric::correlation, true, 16});
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(found.shifts[i].x, wanted.shifts[i].x);
      EXPECT_EQ(found.shifts[i].y, wanted.shifts[i].y);
    }
  }
  cpu::set_thread_count(0);
}

TEST(CubicWeights, AddUpToOneAndReproduceParabolas) {
  for (const double t : {0.0, 0.125, 0.5, 0.9}) {
    const auto [w] = align::cubic_weights(t);
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1.0, 1e-6);
    EXPECT_NEAR(-w[0] + w[2] + 2 * w[3], t, 1e-6);
    EXPECT_NEAR(w[0] + w[2] + 4 * w[3], t * t, 1e-6);
  }
}

}  // namespace
}  // namespace cuda_filters
