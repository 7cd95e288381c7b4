// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Motion blur along long paths, in pictures that are large enough for pieces of lines that repeat,
// and for lines that the rays and arcs of many pixels share.
#include "gpu/algorithms/motion/motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "gpu/algorithms/motion/polar.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr int width = 460, height = 380;

/// Noise of linear light.
MemoryImage noise(Size size = {width, height}) {
  MemoryImage image{size.width, size.height, Format{SampleType::f32, false, false}};
  std::mt19937 random{7};
  std::uniform_real_distribution<double> values{0.0, 1.0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(size.pixels()); ++i)
    test::store_sample(image, i, values(random));
  return image;
}

double sample(const MemoryImage& image, int x, int y, Border border) {
  const int column = border_index(x, width, border), row = border_index(y, height, border);
  return test::load_sample(image, std::size_t{width} * row + column);
}

/// The mean of at least 16 samples a pixel of a path, whose place after some share of it
/// place_of(share) returns.
template <class PlaceOf>
double mean(const MemoryImage& image, double length, Border border, PlaceOf place_of) {
  const int count = static_cast<int>(16.0 * length) + 32;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const auto [at_x, at_y] = place_of((i + 0.5) / count);
    const int left = static_cast<int>(std::floor(at_x)), top = static_cast<int>(std::floor(at_y));
    for (int down = 0; down <= 1; ++down)
      for (int right = 0; right <= 1; ++right)
        sum += (1.0 - std::abs(at_x - (left + right))) * (1.0 - std::abs(at_y - (top + down))) *
               sample(image, left + right, top + down, border);
  }
  return sum / count;
}

struct Place {
  double x, y;
};

double mean(const MemoryImage& image, int x, int y, double length, double angle, Border border) {
  const double turn = angle * std::numbers::pi / 180.0;
  return mean(image, length, border, [&](double share) {
    const double place = length * (share - 0.5);
    return Place{x + place * std::cos(turn), y - place * std::sin(turn)};
  });
}

struct LongLine {
  double length, angle;
  Border border;
};
constexpr LongLine lines[]{{300.0, 0.0, Border::clamp},    {250.0, 90.0, Border::reflect},
                           {260.0, 3.0, Border::wrap},     {220.0, 25.0, Border::clamp},
                           {230.0, -115.0, Border::clamp}, {240.0, 45.0, Border::reflect}};

class LongMotion : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  static MemoryImage run(const Values& values, const MemoryImage& in, Rect region) {
    MemoryImage source = in, out = in;
    Observer silent;
    run_on(test::make_backend(GetParam()), nullptr, make_job(*find_filter("motion-blur"), values),
           source, out, region, silent);
    return out;
  }
  static MemoryImage filtered(const LongLine& line, const MemoryImage& in, Rect region) {
    return run({0.0, line.length, line.angle, 0.1, 0.5, 0.5, static_cast<double>(line.border)}, in,
               region);
  }
};

TEST_P(LongMotion, IsTheMeanOfManySamples) {
  const MemoryImage in = noise();
  for (const LongLine& line : lines) {
    const motion::MotionSettings settings{motion::Kind::linear, line.length, line.angle, 0, 0, 0};
    const auto repetition = settings.repetition();
    ASSERT_TRUE(repetition && repetition->pays({width, height})) << line.angle;
    const MemoryImage out = filtered(line, in, {0, 0, width, height});
    std::mt19937 random{11};
    for (int i = 0; i < 300; ++i) {
      const int x = static_cast<int>(random() % width), y = static_cast<int>(random() % height);
      EXPECT_NEAR(test::load_sample(out, std::size_t{width} * y + x),
                  mean(in, x, y, line.length, line.angle, line.border), 2e-3)
          << line.angle << "° at " << x << ", " << y;
    }
  }
}

TEST_P(LongMotion, OfAPartHasTheBitsOfTheWhole) {
  const MemoryImage in = noise();
  constexpr Rect part{101, 57, 137, 211};
  for (const LongLine& line : lines) {
    const MemoryImage whole = filtered(line, in, {0, 0, width, height});
    const MemoryImage some = filtered(line, in, part);
    for (int y = part.y; y < part.bottom(); ++y)
      for (int x = part.x; x < part.right(); ++x) {
        const std::size_t i = std::size_t{width} * y + x;
        ASSERT_EQ(test::load_sample(some, i), test::load_sample(whole, i))
            << line.angle << "° at " << x << ", " << y;
      }
  }
}

TEST_P(LongMotion, OfAPartHasTheBitsOfTheWholeWhereColumnsAreTakenAtOnce) {
  constexpr Size size{3000, 400};
  constexpr Rect part{1000, 0, 800, 400};
  const MemoryImage in = noise(size);
  const LongLine line{220.0, 34.0, Border::clamp};
  const MemoryImage whole = filtered(line, in, {0, 0, size.width, size.height});
  const MemoryImage some = filtered(line, in, part);
  for (int y = part.y; y < part.bottom(); ++y)
    for (int x = part.x; x < part.right(); ++x) {
      const std::size_t i = std::size_t{3000} * y + x;
      ASSERT_EQ(test::load_sample(some, i), test::load_sample(whole, i)) << x << ", " << y;
    }
}

TEST_P(LongMotion, KeepsInfinityOnTheLine) {
  MemoryImage in = noise();
  constexpr int bright_x = 200, bright_y = 180;
  test::store_sample(in, std::size_t{width} * bright_y + bright_x,
                     std::numeric_limits<double>::infinity());
  for (const LongLine& line : lines) {
    if (line.border != Border::clamp) continue;  // others show it elsewhere, too
    const MemoryImage out = filtered(line, in, {0, 0, width, height});
    const double turn = line.angle * std::numbers::pi / 180.0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double along = (x - bright_x) * std::cos(turn) - (y - bright_y) * std::sin(turn);
        const double across = (x - bright_x) * std::sin(turn) + (y - bright_y) * std::cos(turn);
        const double value = test::load_sample(out, std::size_t{width} * y + x);
        const bool is_on_line = std::abs(across) < 0.5 && std::abs(along) < 0.5 * line.length - 1.0;
        const bool is_beside = std::abs(across) > 1.6 || std::abs(along) > 0.5 * line.length + 1.6;
        ASSERT_FALSE(is_on_line && !std::isinf(value)) << line.angle << "° at " << x << ", " << y;
        ASSERT_FALSE(is_beside && !std::isfinite(value)) << line.angle << "° at " << x << ", " << y;
      }
  }
}

struct Turning {
  motion::Kind kind;
  double angle, factor, center_x, center_y;
  Border border;

  motion::MotionSettings settings() const { return {kind, 0.0, angle, factor, center_x, center_y}; }
};
using motion::Kind;
constexpr Turning turnings[]{{Kind::zoom, 0.0, 0.7, 0.5, 0.5, Border::clamp},
                             {Kind::zoom, 0.0, 1.0, 0.4, 0.6, Border::wrap},
                             {Kind::zoom, 0.0, 0.9, 0.5, 0.5, Border::reflect},
                             {Kind::zoom, 0.0, 0.2, -0.6, 1.3, Border::clamp},
                             {Kind::spin, 60.0, 0.0, 0.5, 0.5, Border::clamp},
                             {Kind::spin, -180.0, 0.0, 0.45, 0.5, Border::reflect},
                             {Kind::spin, 100.0, 0.0, 0.5, 0.6, Border::wrap},
                             {Kind::spin, 14.0, 0.0, 1.6, -0.4, Border::clamp}};

double mean(const MemoryImage& image, int x, int y, const Turning& turning) {
  const motion::Paths paths{turning.settings(), {width, height}};
  const double right = x - paths.center_x, down = y - paths.center_y;
  const double length = std::abs(paths.extent) * std::hypot(right, down);
  return mean(image, length, turning.border, [&](double share) {
    if (!paths.turns)
      return Place{x - right * paths.extent * share, y - down * paths.extent * share};
    const double c = std::cos(paths.extent * (share - 0.5)),
                 s = std::sin(paths.extent * (share - 0.5));
    return Place{paths.center_x + right * c + down * s, paths.center_y + down * c - right * s};
  });
}

/// Rays and arcs, of which most are summed up by lines that they share.
class SharedMotion : public LongMotion {
 protected:
  static MemoryImage filtered(const Turning& turning, const MemoryImage& in, Rect region) {
    return run({static_cast<double>(turning.kind), 0.0, turning.angle, turning.factor,
                turning.center_x, turning.center_y, static_cast<double>(turning.border)},
               in, region);
  }
  static motion::PolarGrid grid_of(const Turning& turning) {
    constexpr Size size{width, height};
    return motion::PolarRings{motion::Paths{turning.settings(), size}, size}.grid;
  }
};

TEST_P(SharedMotion, IsTheMeanOfManySamples) {
  const MemoryImage in = noise();
  for (const Turning& turning : turnings) {
    const MemoryImage out = filtered(turning, in, {0, 0, width, height});
    const motion::PolarGrid grid = grid_of(turning);
    std::mt19937 random{11};
    int shared = 0;
    for (int i = 0; i < 300; ++i) {
      const int x = static_cast<int>(random() % width), y = static_cast<int>(random() % height);
      shared += grid.has(grid.from_center(x, y));
      EXPECT_NEAR(test::load_sample(out, std::size_t{width} * y + x), mean(in, x, y, turning), 2e-3)
          << &turning - turnings << " at " << x << ", " << y;
    }
    EXPECT_GE(shared, 100) << &turning - turnings;
  }
}

TEST_P(SharedMotion, HasEachColorAtEachPixel) {
  constexpr double color[]{0.75, 0.25, 0.5, 1.0};
  MemoryImage in{width, height, Format{SampleType::f32, true, true}};
  const std::size_t count = std::size_t{4} * width * height;
  for (std::size_t i = 0; i < count; ++i) test::store_sample(in, i, color[i % 4]);
  for (const Turning& turning : turnings) {
    const MemoryImage out = filtered(turning, in, {0, 0, width, height});
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_NEAR(test::load_sample(out, i), color[i % 4], 2e-5)
          << &turning - turnings << " at " << i / 4 % width << ", " << i / 4 / width;
  }
}

TEST_P(SharedMotion, OfAPartHasTheBitsOfTheWhole) {
  const MemoryImage in = noise();
  constexpr Rect part{101, 57, 137, 211};
  for (const Turning& turning : turnings) {
    const MemoryImage whole = filtered(turning, in, {0, 0, width, height});
    const MemoryImage some = filtered(turning, in, part);
    const motion::PolarGrid grid = grid_of(turning);
    int shared = 0;
    for (int y = part.y; y < part.bottom(); ++y)
      for (int x = part.x; x < part.right(); ++x) {
        const std::size_t i = std::size_t{width} * y + x;
        shared += grid.has(grid.from_center(x, y));
        ASSERT_EQ(test::load_sample(some, i), test::load_sample(whole, i))
            << &turning - turnings << " at " << x << ", " << y;
      }
    EXPECT_GE(shared, 100) << &turning - turnings;
  }
}

TEST_P(SharedMotion, KeepsInfinityOnPathsThatPassIt) {
  MemoryImage in = noise();
  constexpr int bright_x = 25, bright_y = 40;
  test::store_sample(in, std::size_t{width} * bright_y + bright_x,
                     std::numeric_limits<double>::infinity());
  for (const Turning& turning : turnings) {
    if (turning.border != Border::clamp) continue;  // others show it elsewhere, too
    const MemoryImage out = filtered(turning, in, {0, 0, width, height});
    const motion::Paths paths{turning.settings(), {width, height}};
    const motion::PolarGrid grid = grid_of(turning);
    int infinite = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        double nearest = 1e9;
        const double right = x - paths.center_x, down = y - paths.center_y;
        for (int i = 0; i <= 400; ++i) {
          const double part = paths.turns ? paths.extent * (i / 400.0 - 0.5) : i / 400.0;
          const double c = std::cos(part), s = std::sin(part), far = 1.0 - paths.extent * part;
          const double at_x = paths.turns ? right * c + down * s : far * right;
          const double at_y = paths.turns ? down * c - right * s : far * down;
          nearest = std::min(nearest, std::hypot(paths.center_x + at_x - bright_x,
                                                 paths.center_y + at_y - bright_y));
        }
        const double value = test::load_sample(out, std::size_t{width} * y + x);
        infinite += grid.has(grid.from_center(x, y)) && !std::isfinite(value);
        ASSERT_FALSE(nearest < 0.4 && std::isfinite(value))
            << &turning - turnings << " at " << x << ", " << y;
        ASSERT_FALSE(nearest > 2.5 && !std::isfinite(value))
            << &turning - turnings << " at " << x << ", " << y;
      }
    EXPECT_GE(infinite, 3) << &turning - turnings;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SharedMotion, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });
INSTANTIATE_TEST_SUITE_P(Devices, LongMotion, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
