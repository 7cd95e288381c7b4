// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/motion/motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "gpu/algorithms/motion/polar.hpp"

namespace cuda_filters::motion {
namespace {

/// Weights of pixels, by their places along and across a line.
using Weights = std::map<std::pair<int, int>, double>;

void add(Weights& weights, const Segment& segment, int line, int along, int across, double share) {
  for (int i = 0; i < segment.count(); ++i)
    for (int k = 0; k < Segment::width; ++k)
      weights[{segment.begin + i + along, segment.first[i] + k + across}] +=
          share * segment.lines[line][i].of[k];
}

/// What SumOfPieces makes of the pieces.
Weights weights_of(const Repetition& repetition) {
  Weights weights;
  const Segment part = repetition.part(), rest = repetition.rest();
  const int last = repetition.lines() - 1, count = repetition.count;
  for (int piece = 0; piece <= count; ++piece) {
    const int pieces = piece - repetition.middle();
    const int along = pieces * repetition.steps, across = pieces * repetition.across;
    const double share = last > 0 ? double(piece) / count : 1.0;
    for (int line = 0; line <= last; ++line) {
      const double of_line = line == last ? share : 1.0 - share;
      add(weights, part, line, along, across, of_line);
      if (piece < count) add(weights, rest, line, along, across, of_line);
    }
  }
  return weights;
}

/// By how much the sum of a picture from 0 to 1 may differ, at most.
double difference(const Weights& weights, const Weights& expected) {
  Weights differences = weights;
  for (const auto& [place, weight] : expected) differences[place] -= weight;
  double sum = 0.0;
  for (const auto& [place, each] : differences) sum += std::abs(each);
  return 0.5 * sum;
}

Direction direction(double length, double angle) {
  return Direction{{Kind::linear, length, angle, 0.0, 0.0, 0.0}};
}

Weights weights_of(const Direction& line) {
  Weights weights;
  add(weights, Segment{line}, 0, 0, 0, 1.0);
  return weights;
}

double sum_of(const Weights& weights) {
  double sum = 0.0;
  for (const auto& [place, weight] : weights) sum += weight;
  return sum;
}

TEST(Segment, WeightsOfALineAreOneTogether) {
  for (const double length : {0.1, 0.7, 1.0, 2.0, 33.3, 400.0})
    for (const double angle : {0.0, 0.01, 30.0, 45.0, 90.0, -135.0, 171.0})
      EXPECT_NEAR(sum_of(weights_of(direction(length, angle))), 1.0, 1e-5)
          << length << " px, " << angle << "°";
}

TEST(Repetition, IsTheLineToAThousandthOfThePicture) {
  std::mt19937 random{20261128};
  std::uniform_real_distribution<> angles{-180.0, 180.0}, lengths{200.0, 2000.0};
  int repeated = 0;
  for (int i = 0; i < 200; ++i) {
    const double length = lengths(random), angle = angles(random);
    const Direction line = direction(length, angle);
    const auto repetition = Repetition::of(line);
    if (!repetition) continue;
    ++repeated;
    EXPECT_LE(difference(weights_of(*repetition), weights_of(line)), 1e-3)
        << length << " px, " << angle << "°";
  }
  EXPECT_GE(repeated, 180);
}

TEST(Repetition, IsThatNearRowsColumnsAndDiagonals) {
  for (const double axis : {0.0, 45.0, 90.0, 180.0})
    for (const double beside : {0.001, 0.003, 0.01, 0.02, 0.04, 0.1, 0.2})
      for (const double length : {15.0, 60.0, 122.0, 246.0, 700.0, 1587.0, 2000.0})
        for (const double angle : {axis - beside, axis + beside}) {
          const Direction line = direction(length, angle);
          const auto repetition = Repetition::of(line);
          if (!repetition) continue;
          EXPECT_LE(difference(weights_of(*repetition), weights_of(line)), 1e-3)
              << length << " px, " << angle << "°";
        }
}

TEST(Repetition, IsThatAtAnglesOfTheDialog) {
  for (int tenths = 0; tenths <= 450; tenths += 3)
    for (const double length : {300.0, 454.7, 1000.0, 1773.33}) {
      const Direction line = direction(length, tenths / 10.0);
      const auto repetition = Repetition::of(line);
      if (!repetition) continue;
      EXPECT_LE(difference(weights_of(*repetition), weights_of(line)), 1e-3)
          << length << " px, " << tenths / 10.0 << "°";
    }
}

TEST(Repetition, OfRowsColumnsAndDiagonalsIsTheLine) {
  for (const double angle : {0.0, 45.0, 90.0, 135.0, 180.0, -45.0, -90.0}) {
    const Direction line = direction(1000.0, angle);
    const auto repetition = Repetition::of(line);
    ASSERT_TRUE(repetition) << angle;
    EXPECT_EQ(repetition->lines(), 1) << angle;
    EXPECT_LE(difference(weights_of(*repetition), weights_of(line)), 1e-6) << angle;
  }
}

TEST(Repetition, LooksNoFartherThanItSays) {
  for (const double length : {50.0, 99.5, 1000.0, 2000.0})
    for (const double angle : {0.0, 3.1, 30.0, 45.0, 77.7, -120.0}) {
      const MotionSettings settings{Kind::linear, length, angle, 0.0, 0.0, 0.0};
      const auto repetition = settings.repetition();
      if (!repetition) continue;
      const Halo piece = repetition->reach_of_piece(), pieces = repetition->reach_of_pieces();
      const auto is_within = [&](int along, int across, Halo halo) {
        if (repetition->direction.is_steep) std::swap(along, across);
        return std::abs(along) <= halo.x && std::abs(across) <= halo.y;
      };
      for (const Segment& segment : {repetition->part(), repetition->rest()})
        for (const auto& line : segment.lines)
          for (int i = 0; i < segment.count(); ++i)
            for (int k = 0; k < Segment::width; ++k)
              if (line[i].of[k] > 0.0f) {
                EXPECT_TRUE(is_within(segment.begin + i, segment.first[i] + k, piece))
                    << length << " px, " << angle << "°, step " << segment.begin + i;
              }
      for (const int piece_index : {0, repetition->count}) {
        const int away = piece_index - repetition->middle();
        EXPECT_TRUE(is_within(away * repetition->steps, away * repetition->across, pieces));
      }
    }
}

/// Whether each end of the path of a pixel is found among the points of the block that it is in.
void expect_place(const PolarRings& polar, int x, int y) {
  const PolarGrid& grid = polar.grid;
  const Vector v = grid.from_center(x, y);
  if (!grid.has(v)) return;
  SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
  const float distance = PolarGrid::distance(v);
  const auto ring = std::ranges::find_if(polar.rings, [&](const PolarRing& each) {
    return distance >= each.inner && distance < each.outer;
  });
  ASSERT_NE(ring, polar.rings.end());
  const auto in_block = [&](int section, int block) {
    return grid.block(polar.rings.data(),
                      ring->first_block + section * grid.blocks_of_section(*ring) + block);
  };
  const int section = grid.place(in_block(0, 0), v, distance).section;
  const PolarPlace place = grid.place(in_block(section, 0), v, distance);
  const PolarBlock block = in_block(section, static_cast<int>(place.line) / (PolarGrid::lines - 1));
  const Rect pixel{x, y, 1, 1};
  EXPECT_TRUE(grid.meets(block, pixel));
  for (const PathEnd end : {PathEnd::far, PathEnd::near}) {
    if (grid.is_at_boundary(end)) continue;
    const float steps = end == PathEnd::far ? place.far : place.near;
    const int chunk = static_cast<int>(steps) / PolarGrid::depth;
    EXPECT_LT(chunk, grid.chunks(*ring, end)) << steps;
    EXPECT_TRUE(grid.end(block, v, distance, end, chunk).is_here);
    EXPECT_TRUE(grid.meets(block, end, chunk / 32 * 32, 32, pixel));
    const Patch patch = grid.patch(block, end, chunk);
    EXPECT_TRUE(patch.meets(pixel) && patch.is_near(v));
    const int along = (patch.is_steep ? y : x) - patch.first, across = patch.is_steep ? x : y;
    EXPECT_TRUE(along >= 0 && along < patch.count);
    EXPECT_GE(across, patch.across_at(along));
    EXPECT_LT(across, patch.across_at(along) + patch.width);
  }
}

TEST(PolarRings, HaveAPlaceForBothEndsOfEachPath) {
  struct Case {
    Size image;
    MotionSettings settings;
  };
  const auto spin = [](double angle, double x, double y) {
    return MotionSettings{Kind::spin, 0.0, angle, 0.0, x, y};
  };
  const auto zoom = [](double factor, double x, double y) {
    return MotionSettings{Kind::zoom, 0.0, 0.0, factor, x, y};
  };
  // The first ones have whole rows at a boundary.
  const Case cases[]{{{4499, 3103}, spin(8.0, 0.5, 0.5)},   {{3753, 1309}, spin(8.0, 0.5, 0.5)},
                     {{5089, 1981}, spin(8.0, 0.5, 0.5)},   {{2885, 4351}, spin(4.0, 0.5, 0.5)},
                     {{6000, 4000}, spin(10.0, 0.5, 0.5)},  {{6000, 4000}, spin(-180.0, 0.4, 0.6)},
                     {{2000, 60000}, spin(12.0, 0.5, 2.0)}, {{1500, 1000}, spin(77.0, -1.0, 2.0)},
                     {{6000, 4000}, zoom(0.2, 0.5, 0.5)},   {{5000, 4000}, zoom(0.1, 0.5, 0.5)},
                     {{900, 700}, zoom(1.0, 0.3, 0.5)},     {{900, 700}, zoom(0.99999, 0.5, 0.5)},
                     {{60000, 3000}, zoom(0.02, 2.0, -1.0)}};
  std::mt19937 random{20261128};
  for (const Case& each : cases) {
    const auto& [image, settings] = each;
    SCOPED_TRACE(&each - cases);
    const PolarRings polar{Paths{settings, image}, image};
    ASSERT_FALSE(polar.rings.empty());
    const int middle_x = image.width / 2, middle_y = image.height / 2;
    for (int x = 0; x < image.width; ++x) expect_place(polar, x, middle_y);
    for (int y = 0; y < image.height; ++y) expect_place(polar, middle_x, y);
    for (int i = 0; i < std::min(middle_x, middle_y); ++i)
      expect_place(polar, middle_x - i, middle_y + i);
    for (int i = 0; i < 3000; ++i)
      expect_place(polar, static_cast<int>(random() % image.width),
                   static_cast<int>(random() % image.height));
  }
}

TEST(PolarRings, AreNoneWhereHardlyAnyPixelsShareALine) {
  const MotionSettings far{Kind::spin, 0.0, 0.1, 0.0, 2.0, 0.5};
  for (const Size image : {Size{36000, 300}, Size{30000, 30000}, Size{223, 5000}, Size{1, 1}}) {
    const PolarRings polar{Paths{far, image}, image};
    EXPECT_TRUE(polar.rings.empty());
    EXPECT_EQ(polar.grid.ring_count, 0);
    EXPECT_EQ(polar.grid.block_count, 0);
  }
}

}  // namespace
}  // namespace cuda_filters::motion
