// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// heal-selection, which has no exact result: what it must keep, what it must find, and that the
// patches of its results are as near to those around them as a naive PatchMatch gets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/reference/completion.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

using reference::Color;

const FilterEntry& filter() { return *find_filter("heal-selection"); }

/// The initial values but for those that are given.
Values values_with(std::initializer_list<std::pair<const char*, double>> given) {
  Values values = initial_values(filter());
  for (const auto& [name, value] : given)
    values[std::ranges::find(filter().params, std::string_view{name}, &Param::name) -
           filter().params.begin()] = value;
  return values;
}

/// A picture of colors that a function gives, 0 … 1.
MemoryImage picture(int width, int height, Format format,
                    const std::function<Color(int, int)>& color) {
  MemoryImage image = test::empty_image(width, height, format, true);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Color all = color(x, y);
      const std::size_t first = (static_cast<std::size_t>(y) * width + x) * format.channels();
      for (int c = 0; c < format.channels(); ++c)
        test::store_sample(image, first + c, all[c == format.colors() ? 3 : c]);
    }
  return image;
}

/// Selects what a function says, 0 … 255.
void select(MemoryImage& image, const std::function<int(int, int)>& selected) {
  image.selection.resize(static_cast<std::size_t>(image.width()) * image.height());
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.selection[static_cast<std::size_t>(y) * image.width() + x] =
          static_cast<std::uint8_t>(selected(x, y));
}
void select(MemoryImage& image, Rect area) {
  select(image, [&](int x, int y) {
    return x >= area.x && y >= area.y && x < area.right() && y < area.bottom() ? 255 : 0;
  });
}

Rect bounds_of(const MemoryImage& image) {
  if (image.selection.empty()) return {0, 0, image.width(), image.height()};
  Rect bounds;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.selection[static_cast<std::size_t>(y) * image.width() + x] > 0)
        bounds = bounds.empty() ? Rect{x, y, 1, 1} : united(bounds, {x, y, 1, 1});
  return bounds;
}

/// As GIMP runs it: on the bounds of the selection.
MemoryImage healed(const std::string& backend, MemoryImage in, const Values& values,
                   std::optional<Aux> aux = std::nullopt, bool cramped = false) {
  MemoryImage out = in;
  auto device = test::make_backend(backend);
  if (cramped) device = std::make_unique<test::Cramped>(std::move(device));
  Observer observer;
  run_on(std::move(device), nullptr, make_job(filter(), values, std::move(aux)), in, out,
         bounds_of(in), observer);
  return out;
}

std::string refusal(const std::string& backend, const MemoryImage& in, const Values& values) {
  try {
    healed(backend, in, values);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return {};
}

class Heal : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }
  MemoryImage heal(const MemoryImage& in, const Values& values = initial_values(filter())) {
    return healed(GetParam(), in, values);
  }
};

constexpr Format rgba{SampleType::u8, true, true};

Color gray(double value) { return {value, value, value, 1.0}; }
double code(int value) { return (value & 255) / 255.0; }

TEST_P(Heal, CompletesPeriodicPatternsExactly) {
  const std::function<Color(int, int)> patterns[] = {
      [](int x, int y) { return gray((x / 4 + y / 4) % 2 != 0 ? 0.8 : 0.2); },
      [](int x, int) {
        return Color{code(x % 5 * 50), code(x % 5 * 20 + 7), 0.4, 1.0};
      },
      [](int x, int y) {
        return Color{code((x + y) % 8 * 31), 0.0, code((x - y) % 8 * 31), 1.0};
      },
      [](int, int) {
        return Color{0.3, 0.6, 0.9, 1.0};
      },
  };
  for (const auto& pattern : patterns)
    for (const SampleType type : {SampleType::u8, SampleType::u16}) {
      const MemoryImage wanted = picture(120, 100, {type, true, true}, pattern);
      MemoryImage in = wanted;
      select(in, Rect{40, 30, 31, 29});
      for (int y = 30; y < 59; ++y)
        for (int x = 40; x < 71; ++x)
          for (int c = 0; c < 3; ++c)
            test::store_sample(in, (std::size_t{120} * y + x) * 4 + c, code(x * y * 7));
      EXPECT_TRUE(heal(in).codes() == wanted.codes());
    }
}

TEST_P(Heal, CompletesALinearGradientWithinACode) {
  const MemoryImage wanted = picture(200, 160, rgba, [](int x, int) { return gray(code(20 + x)); });
  MemoryImage in = wanted;
  select(in, Rect{70, 50, 50, 60});
  const MemoryImage out = heal(in);
  EXPECT_LE(test::worst_difference(out, wanted, false), 1.0);
}

TEST_P(Heal, ChangesNothingOutsideOfTheSelection) {
  unsigned seed = 3;
  for (const Format& format : test::all_formats()) {
    MemoryImage in = test::random_image(90, 70, format, true, ++seed);
    select(in, [](int x, int y) {
      const int distance = (x - 45) * (x - 45) + (y - 33) * (y - 33);
      return distance < 100 ? 255 : distance < 144 ? 1 : 0;
    });
    const MemoryImage out = heal(in, values_with({{"patch", 3.0}}));
    const std::size_t bytes = format.bytes_per_pixel();
    std::size_t changed = 0;
    for (std::size_t i = 0; i < in.selection.size(); ++i) {
      const bool same = std::equal(&in.codes()[i * bytes], &in.codes()[i * bytes] + bytes,
                                   &out.codes()[i * bytes]);
      if (in.selection[i] == 0)
        ASSERT_TRUE(same) << test::name_of(format) << " " << i % 90 << ", " << i / 90;
      else
        changed += same ? 0 : 1;
    }
    EXPECT_GT(changed, 100u) << test::name_of(format);
  }
}

TEST_P(Heal, GivesTheSameBitsWhateverTheNumberOfThreadsAndTheBands) {
  for (const SampleType type : {SampleType::u8, SampleType::f32}) {
    MemoryImage in = test::random_image(150, 330, {type, true, true}, true, 8);
    select(in, Rect{60, 100, 33, 150});
    const MemoryImage wanted = heal(in);
    for (const int threads : {1, 3, 16}) {
      cpu::set_thread_count(threads);
      EXPECT_EQ(heal(in).codes(), wanted.codes()) << threads;
    }
    cpu::set_thread_count(0);
    EXPECT_EQ(healed(GetParam(), in, initial_values(filter()), std::nullopt, true).codes(),
              wanted.codes());
    EXPECT_NE(heal(in, values_with({{"seed", 1.0}})).codes(), wanted.codes());
  }
}

TEST_P(Heal, TakesFromWhereItIsTold) {
  // Red to the left and the right, green above and below, blue further away.
  MemoryImage in = picture(200, 200, rgba, [](int x, int y) -> Color {
    const bool near_x = std::abs(x - 100) < 60, near_y = std::abs(y - 100) < 60;
    const double noise = code(x * 31 + y * 17 + x * y) * 0.1;
    if (near_x && near_y)
      return std::abs(y - 100) < 14 ? Color{0.8, noise, 0.0, 1.0} : Color{noise, 0.8, 0.0, 1.0};
    return {noise, 0.0, 0.8, 1.0};
  });
  select(in, Rect{92, 92, 16, 16});
  const auto is_mainly = [&](const MemoryImage& out, int channel) {
    for (int y = 92; y < 108; ++y)
      for (int x = 92; x < 108; ++x)
        if (test::load_sample(out, (std::size_t{200} * y + x) * 4 + channel) < 0.5) return false;
    return true;
  };
  EXPECT_TRUE(is_mainly(heal(in, values_with({{"search", 0.0}, {"distance", 40.0}})), 0));

  const auto aux_of = [&](const std::function<double(int, int)>& white) {
    const MemoryImage mask = picture(200, 200, {SampleType::u8, false, false},
                                     [&](int x, int y) { return gray(white(x, y)); });
    return Aux{.source = std::make_shared<MemoryImage>(mask), .x = 0, .y = 0};
  };
  const Values everywhere = values_with({{"search", 2.0}});
  EXPECT_TRUE(is_mainly(healed(GetParam(), in, everywhere,
                               aux_of([](int x, int y) { return x < 40 && y < 90 ? 1.0 : 0.0; })),
                        2));
  EXPECT_TRUE(is_mainly(healed(GetParam(), in, everywhere, aux_of([](int x, int y) {
                                 return std::abs(x - 100) < 50 && y > 118 && y < 150;
                               })),
                        1));
  EXPECT_THROW(healed(GetParam(), in, everywhere, aux_of([](int, int) { return 0.4; })),
               ArgumentError);
}

TEST_P(Heal, KnowsNoDistanceEverywhere) {
  MemoryImage in = test::random_image(120, 90, {SampleType::u8, true, false}, true, 9);
  select(in, Rect{50, 30, 20, 20});
  const auto at = [&](double search, double distance) {
    return heal(in, values_with({{"search", search}, {"distance", distance}})).codes();
  };
  EXPECT_TRUE(at(2.0, 5.0) == at(2.0, 80.0));
  EXPECT_FALSE(at(1.0, 5.0) == at(1.0, 80.0));
}

TEST_P(Heal, TakesNothingTransparentAndNothingThatIsNoNumber) {
  const Format format{SampleType::f32, true, true};
  for (const double bad :
       {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MemoryImage in = picture(100, 80, format, [&](int x, int y) -> Color {
      if (x >= 60) return {bad, 0.9, 0.1, bad == 0.0 ? 0.0 : 1.0};
      return {0.5, 0.25, code(x * y), 1.0};
    });
    select(in, Rect{40, 20, 30, 30});  // over the edge
    const MemoryImage out = heal(in);
    for (int y = 20; y < 50; ++y)
      for (int x = 40; x < 70; ++x) {
        const std::size_t first = (std::size_t{100} * y + x) * 4;
        EXPECT_NEAR(test::load_sample(out, first), 0.5, 1e-6);
        EXPECT_NEAR(test::load_sample(out, first + 1), 0.25, 1e-6);
        EXPECT_EQ(test::load_sample(out, first + 3), 1.0);
      }
  }
}

TEST_P(Heal, CompletesManyPiecesAtOnceAndSelectionsAtTheBorder) {
  const MemoryImage wanted = picture(
      160, 140, rgba, [](int x, int y) { return gray((x / 8 + y / 8) % 2 != 0 ? 0.9 : 0.1); });
  MemoryImage in = wanted;
  select(in, [](int x, int y) {
    const bool dust = (x + y) % 3 != 0 && x % 50 > 44 && y % 40 < 6;
    return dust || (x < 12 && y < 30) || x > 150 ? 255 : 0;
  });
  for (std::size_t i = 0; i < in.selection.size(); ++i)
    if (in.selection[i] != 0) test::store_sample(in, 4 * i, 0.5);
  const MemoryImage out = heal(in, values_with({{"patch", 9.0}}));
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(Heal, RefusesWhatItCannotDo) {
  MemoryImage in = picture(100, 100, rgba, [](int x, int y) {
    return Color{code(x * y), code(x * 3 + y), code(y), 1.0};
  });
  select(in, Rect{0, 0, 100, 100});
  EXPECT_NE(refusal(GetParam(), in, initial_values(filter())).find("0 places of 7 × 7"),
            std::string::npos);
  select(in, Rect{0, 0, 100, 90});
  EXPECT_NE(refusal(GetParam(), in, values_with({{"patch", 31.0}})).find("31 × 31"),
            std::string::npos);
  // Half of the picture is enough.
  select(in, Rect{0, 0, 100, 50});
  EXPECT_EQ(refusal(GetParam(), in, initial_values(filter())), "");
  in.selection.clear();
  EXPECT_NE(refusal(GetParam(), in, initial_values(filter())), "");
}

/// Twenty pictures: stripes, edges, gradients, bricks, text and textures.
std::vector<std::pair<std::string, MemoryImage>> charts() {
  std::vector<std::pair<std::string, MemoryImage>> all;
  const auto add = [&](const std::string& name, const std::function<Color(int, int)>& color) {
    all.emplace_back(name, picture(96, 96, rgba, color));
  };
  for (int seed = 0; seed < 4; ++seed) {
    std::mt19937 random(100 + seed);
    std::vector<double> noise(96 * 96);
    for (double& value : noise) value = static_cast<double>(random() % 1000) / 1000.0;
    const auto at = [&](int x, int y) { return noise[(y + 96) % 96 * 96 + (x + 96) % 96]; };
    const std::string number = std::to_string(seed);
    const double slope = 0.3 * seed;
    add("stripes " + number, [&](int x, int y) {
      return gray(0.5 + 0.4 * std::sin((x + slope * y) * 0.5) + 0.05 * at(x, y));
    });
    add("edge " + number, [&](int x, int y) {
      return gray((x - 48 + slope * (y - 48) > 0.0 ? 0.8 : 0.2) + 0.04 * at(x, y));
    });
    add("gradient " + number, [&](int x, int y) {
      return Color{x / 96.0, (x + slope * y) / 400.0 + 0.3, 0.5 + 0.02 * at(x, y), 1.0};
    });
    add("bricks " + number, [&](int x, int y) -> Color {
      const int row = y / 12, column = (x + row % 2 * 10) % 20;
      const double shade = 0.05 * at(x, y) + 0.1 * at(column < 3 ? 0 : x / 20, row);
      if (y % 12 < 2 || column < 2) return gray(0.75 + shade);
      return {0.6 + shade, 0.3 + shade, 0.2 + shade, 1.0};
    });
    add("texture " + number, [&](int x, int y) {
      double sum = 0.0;
      for (int dy = -1 - seed; dy <= 1 + seed; ++dy)
        for (int dx = -1 - seed; dx <= 1 + seed; ++dx) sum += at(x + dx, y + dy);
      return gray(0.5 + (sum / ((3 + 2 * seed) * (3 + 2 * seed)) - 0.5) * (2 + seed));
    });
  }
  return all;
}

TEST_P(Heal, HasNoMoreEnergyThanANaivePatchMatch) {
  constexpr Rect area{34, 36, 28, 24};
  std::vector<bool> hole(96 * 96);
  for (int y = area.y; y < area.bottom(); ++y)
    for (int x = area.x; x < area.right(); ++x) hole[y * 96 + x] = true;
  double all = 0.0, all_naive = 0.0, ratios = 0.0;
  const auto pictures = charts();
  for (auto [name, image] : pictures) {
    select(image, area);
    const MemoryImage out = heal(image, values_with({{"search", 2.0}, {"iterations", 5.0}}));
    const reference::Picture before = test::picture_of(image, true);
    const double energy = reference::energy(test::picture_of(out, true), hole, 7);
    const double naive = reference::energy(reference::completed(before, hole, 7, 5, 1), hole, 7);
    // Both begin at random: of a single picture either may find the better one.
    EXPECT_LE(energy, 1.25 * naive) << name;
    all += energy, all_naive += naive, ratios += std::log(energy / naive);
  }
  EXPECT_LE(all, all_naive);
  EXPECT_LE(std::exp(ratios / static_cast<double>(pictures.size())), 0.95);
}

TEST_P(Heal, LooksAtNothingThatIsFurtherAway) {
  MemoryImage in = test::random_image(300, 900, {SampleType::u8, true, false}, true, 5);
  select(in, Rect{120, 400, 30, 50});
  test::Counting source{in};
  MemoryImage out = in;
  Observer observer;
  const Values values = values_with({{"distance", 60.0}});
  run_on(test::make_backend(GetParam()), nullptr, make_job(filter(), values), source, out,
         bounds_of(in), observer);
  EXPECT_LE(source.rows, 2 * (50 + 2 * 66));
  EXPECT_EQ(out.codes(), heal(in, values).codes());
}

INSTANTIATE_TEST_SUITE_P(Devices, Heal, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return info.param; });

TEST(HealAgreement, GpuAndCpuGiveTheSameBits) {
  SKIP_WITHOUT("cuda");
  unsigned seed = 40;
  for (const Format& format : test::all_formats())
    for (const double search : {0.0, 1.0, 2.0}) {
      MemoryImage in = test::random_image(140, 230, format, true, ++seed);
      select(in, [&](int x, int y) {
        return (x > 50 && x < 90 && y > 60 && y < 170) || (x * y) % 97 == 0 ? 200 : 0;
      });
      const Values values = values_with({{"search", search}, {"patch", 3.0 + 2.0 * search}});
      EXPECT_EQ(healed("cuda", in, values).codes(), healed("cpu", in, values).codes())
          << test::name_of(format) << " " << search;
    }
}

}  // namespace
}  // namespace cuda_filters
