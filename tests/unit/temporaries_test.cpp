// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Temporary channels, levels of a pyramid, and analyses of temporary pictures, on every device.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/core/band_plan.hpp"
#include "gpu/core/run_on.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/entry.hpp"
#include "tests/support/pictures.hpp"
#include "tests/unit/composed_filters.hpp"

namespace cuda_filters {
namespace {

using test::AnalyzedBlur, test::BlurredSurroundings, test::ChannelBlur, test::ChannelBox,
    test::ChannelExtremum, test::ChannelPyramid, test::PixelBox, test::Pyramid, test::Surroundings;

constexpr Format floats{SampleType::f32, true, true}, bytes{SampleType::u8, true, true},
    gray_floats{SampleType::f32, false, false}, gray_shorts{SampleType::u16, false, true};
constexpr Border borders[] = {Border::clamp, Border::mirror, Border::reflect, Border::wrap,
                              Border::transparent};
constexpr Size sizes[] = {{1, 1}, {1, 23}, {19, 1}, {2, 3}, {37, 41}, {64, 53}, {7, 130}};

template <class F>
Job job_of(Border border) {
  return make_job(test::entry_of<F>(), std::vector<Value>{double(border)});
}

class Temporaries : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT(GetParam());
    test::add_composed_filters();
  }

  template <class F>
  MemoryImage run_filter(const MemoryImage& in, Border border, Rect region, bool cramped = false) {
    auto backend = test::make_backend(GetParam());
    if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
    MemoryImage from = in, out = in;
    Observer observer;
    run_on(std::move(backend), nullptr, job_of<F>(border), from, out, region, observer);
    return out;
  }
  template <class F>
  MemoryImage run_filter(const MemoryImage& in, Border border) {
    return run_filter<F>(in, border, {0, 0, in.width(), in.height()});
  }

  /// One row at a time, and regions of every height: the bits of the whole image.
  template <class F>
  void expect_bits_of_the_whole(Format format, Border border) {
    SCOPED_TRACE(test::name_of(format) + " border " + std::to_string(int(border)));
    const MemoryImage in = test::random_image(45, 67, format, false, 5);
    const MemoryImage whole = run_filter<F>(in, border);
    EXPECT_EQ(run_filter<F>(in, border, {0, 0, 45, 67}, true).codes(), whole.codes());
    const std::size_t pixel_bytes = format.bytes_per_pixel();
    for (int height = 1; height <= 19; height += height < 6 ? 1 : 4)
      for (int y = height % 3; y + height <= 67; y += 11 + height) {
        const Rect region{height, y, 45 - 2 * height, height};
        if (region.empty()) continue;
        MemoryImage wanted = in;
        for (int row = y; row < region.bottom(); ++row)
          std::copy_n(whole.codes().begin() + (row * 45 + region.x) * pixel_bytes,
                      region.width * pixel_bytes,
                      wanted.codes().begin() + (row * 45 + region.x) * pixel_bytes);
        ASSERT_EQ(run_filter<F>(in, border, region).codes(), wanted.codes())
            << height << " rows at " << y;
      }
  }
};

/// A picture that goes on for ever, as an image does by its border, in double.
using Plane = std::function<double(int x, int y)>;

/// Remembers what was computed.
Plane remembered(const Plane& plane) {
  return [plane, known = std::make_shared<std::map<std::pair<int, int>, double>>()](int x, int y) {
    const auto [place, is_new] = known->try_emplace({x, y});
    if (is_new) place->second = plane(x, y);
    return place->second;
  };
}

/// One working channel of an image.
Plane channel_of(const MemoryImage& image, int channel, Border border) {
  const Format format = const_cast<MemoryImage&>(image).encoding(Trc::native).format;
  return [=, &image](int x, int y) {
    const int column = border_index(x, image.width(), border);
    const int row = border_index(y, image.height(), border);
    if (column < 0 || row < 0) return 0.0;
    const std::size_t pixel = (std::size_t(row) * image.width() + column) * format.channels();
    if (channel == 3) return format.alpha ? test::load_sample(image, pixel + format.colors()) : 1.0;
    return test::load_sample(image, pixel + (format.color ? channel : 0));
  };
}

Plane luma_of(const MemoryImage& image, Border border) {
  const Plane r = channel_of(image, 0, border), g = channel_of(image, 1, border),
              b = channel_of(image, 2, border), a = channel_of(image, 3, border);
  return [=](int x, int y) {
    return 0.25 * r(x, y) + 0.5 * g(x, y) + 0.125 * b(x, y) + 0.125 * a(x, y);
  };
}

/// Sums by weights along both axes, the middle ones of which are those of the pixel itself.
Plane summed(const Plane& plane, const std::vector<double>& across,
             const std::vector<double>& down) {
  const auto along = [](int at, const std::vector<double>& weights, const auto& value) {
    double sum = 0.0;
    const int radius = static_cast<int>(weights.size() / 2);
    for (int d = -radius; d <= radius; ++d) sum += weights[d + radius] * value(at + d);
    return sum;
  };
  const Plane rows = remembered(
      [=](int x, int y) { return along(x, across, [&](int column) { return plane(column, y); }); });
  return remembered(
      [=](int x, int y) { return along(y, down, [&](int row) { return rows(x, row); }); });
}

/// The least or the greatest number around each place; NaNs take no part.
Plane extreme(const Plane& plane, Halo radius, Extremum kind) {
  const auto along = [=](int at, int reach, const auto& value) {
    double found = kind == Extremum::minimum ? INFINITY : -INFINITY;
    for (int i = at - reach; i <= at + reach; ++i)
      found = kind == Extremum::minimum ? std::fmin(found, value(i)) : std::fmax(found, value(i));
    return found;
  };
  const Plane rows = remembered([=](int x, int y) {
    return along(x, radius.x, [&](int column) { return plane(column, y); });
  });
  return remembered(
      [=](int x, int y) { return along(y, radius.y, [&](int row) { return rows(x, row); }); });
}

std::vector<double> box(int radius) {
  return std::vector<double>(2 * radius + 1, 1.0 / (2 * radius + 1));
}
std::vector<double> gaussian(double sigma) {
  const int radius = static_cast<int>(7.0 * sigma);
  std::vector<double> weights;
  for (int d = -radius; d <= radius; ++d) weights.push_back(std::exp(-0.5 * d * d / sigma / sigma));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// REDUCE and EXPAND as Burt and Adelson define them.
constexpr double pyramid_weights[] = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
Plane reduced(const Plane& plane) {
  return remembered([=](int x, int y) {
    double sum = 0.0;
    for (int n = -2; n <= 2; ++n)
      for (int m = -2; m <= 2; ++m)
        sum += pyramid_weights[m + 2] * pyramid_weights[n + 2] * plane(2 * x + m, 2 * y + n);
    return sum;
  });
}
Plane expanded(const Plane& plane) {
  return remembered([=](int x, int y) {
    double sum = 0.0;
    for (int n = -2; n <= 2; ++n)
      for (int m = -2; m <= 2; ++m)
        if ((x - m) % 2 == 0 && (y - n) % 2 == 0)
          sum += 4.0 * pyramid_weights[m + 2] * pyramid_weights[n + 2] *
                 plane((x - m) / 2, (y - n) / 2);
    return sum;
  });
}
Plane up_and_down(const Plane& plane, int levels) {
  if (levels == 0) return summed(plane, box(1), box(2));
  return expanded(up_and_down(reduced(plane), levels - 1));
}

/// Compares what a channel of a result stores with what it should be, to codes' rounding.
void expect_channel(const MemoryImage& got, int channel, const Plane& wanted, double allowed) {
  const Format format = const_cast<MemoryImage&>(got).encoding(Trc::native).format;
  const bool codes = is_integer(format.type);
  const double step = codes ? 1.0 / (code_count(format.type) - 1) : 0.0;
  for (int y = 0; y < got.height(); ++y)
    for (int x = 0; x < got.width(); ++x) {
      const double value = wanted(x, y);
      const double stored =
          test::load_sample(got, (std::size_t(y) * got.width() + x) * format.channels() + channel);
      ASSERT_NEAR(stored, codes ? std::clamp(value, 0.0, 1.0) : value, allowed + 0.51 * step)
          << "at " << x << ", " << y << " of " << got.width() << "x" << got.height();
    }
}

/// Calls f(image, border) for every size and border, in a format or two.
template <class F>
void for_images(std::initializer_list<Format> formats, F f) {
  for (const Format& format : formats)
    for (const Size size : sizes)
      for (const Border border : borders) {
        SCOPED_TRACE(test::name_of(format) + " border " + std::to_string(int(border)));
        f(test::random_image(size.width, size.height, format, false, 7), border);
      }
}

/// What lies so far away.
Plane shifted(const Plane& plane, int dx, int dy) {
  return [=](int x, int y) { return plane(x + dx, y + dy); };
}

TEST_P(Temporaries, FunctionsSeeWhatIsAroundAPixel) {
  const auto expect = [&]<class F>() {
    for_images({floats, bytes, gray_floats}, [&](const MemoryImage& in, Border border) {
      const MemoryImage got = run_filter<F>(in, border);
      expect_channel(got, 0, summed(luma_of(in, border), box(F::halo.x), box(F::halo.y)), 2e-5);
      if (!const_cast<MemoryImage&>(in).encoding(Trc::native).format.color) return;
      expect_channel(got, 1, shifted(channel_of(in, 1, border), F::halo.x, -F::halo.y), 1e-6);
      expect_channel(got, 2, shifted(channel_of(in, 2, border), -F::halo.x, F::halo.y), 1e-6);
      expect_channel(got, 3, channel_of(in, 3, border), 1e-6);
    });
    expect_bits_of_the_whole<F>(bytes, Border::mirror);
    expect_bits_of_the_whole<F>(floats, Border::wrap);
  };
  expect.operator()<Surroundings<2, 3>>();
  expect.operator()<Surroundings<40, 17>>();
}

TEST_P(Temporaries, FunctionsSeeWhatIsAroundAPixelOfATemporaryPicture) {
  for_images({floats, bytes}, [&](const MemoryImage& in, Border border) {
    const MemoryImage got = run_filter<BlurredSurroundings>(in, border);
    for (int c = 0; c < 4; ++c)
      expect_channel(got, c, shifted(summed(channel_of(in, c, border), box(1), box(2)), 3, -1),
                     2e-5);
  });
  expect_bits_of_the_whole<BlurredSurroundings>(floats, Border::reflect);
}

TEST_P(Temporaries, ChannelsAreBlurredByBoxes) {
  const auto expect = [&]<class F>() {
    for_images({floats, bytes, gray_floats}, [&](const MemoryImage& in, Border border) {
      expect_channel(run_filter<F>(in, border), 0,
                     summed(luma_of(in, border), box(F::halo.x), box(F::halo.y)), 2e-5);
    });
  };
  expect.operator()<ChannelBox<2, 3>>();
  expect.operator()<ChannelBox<20, 3>>();
  expect.operator()<ChannelBox<3, 40>>();
  expect.operator()<ChannelBox<40, 17>>();
}

TEST_P(Temporaries, ChannelsHaveExtremes) {
  const auto expect = [&]<int radius_x, int radius_y, Extremum kind>() {
    using F = ChannelExtremum<radius_x, radius_y, kind>;
    for_images({floats, gray_shorts}, [&](const MemoryImage& in, Border border) {
      expect_channel(run_filter<F>(in, border), 0, extreme(luma_of(in, border), F::halo, kind),
                     1e-6);
    });
    expect_bits_of_the_whole<F>(floats, Border::mirror);
  };
  expect.operator()<0, 1, Extremum::minimum>();
  expect.operator()<2, 3, Extremum::maximum>();
  expect.operator()<7, 0, Extremum::maximum>();
  expect.operator()<40, 17, Extremum::minimum>();
  expect.operator()<70, 30, Extremum::minimum>();
}

TEST_P(Temporaries, NoNumberIsNoExtreme) {
  MemoryImage in = test::random_image(70, 50, floats, false, 3);
  const auto set = [&](int x, int y, double value) {
    test::store_sample(in, (std::size_t(y) * 70 + x) * 4, value);
  };
  set(20, 20, std::nan("")), set(21, 20, std::nan("")), set(69, 49, std::nan(""));
  const MemoryImage got = run_filter<ChannelExtremum<2, 3, Extremum::maximum>>(in, Border::wrap);
  expect_channel(got, 0, extreme(luma_of(in, Border::wrap), {2, 3}, Extremum::maximum), 1e-6);
  // Infinities do, and are what there is where there is nothing else.
  set(20, 19, std::nan("")), set(20, 21, std::nan("")), set(40, 10, -INFINITY);
  set(50, 40, INFINITY);
  const MemoryImage columns =
      run_filter<ChannelExtremum<0, 1, Extremum::minimum>>(in, Border::wrap);
  const auto red = [&](int x, int y) {
    return test::load_sample(columns, (std::size_t(y) * 70 + x) * 4);
  };
  EXPECT_EQ(red(20, 20), INFINITY);
  for (int y = 9; y <= 11; ++y) EXPECT_EQ(red(40, y), -INFINITY);
  for (int y = 39; y <= 41; ++y) EXPECT_TRUE(std::isfinite(red(50, y)));
}

TEST_P(Temporaries, ChannelsGiveTheBitsOfPixels) {
  for_images({floats, gray_shorts}, [&](const MemoryImage& in, Border border) {
    const auto small = run_filter<ChannelBox<2, 3>>(in, border);
    EXPECT_EQ(small.codes(), (run_filter<PixelBox<2, 3>>(in, border).codes()));
    const auto large = run_filter<ChannelBox<40, 17>>(in, border);
    EXPECT_EQ(large.codes(), (run_filter<PixelBox<40, 17>>(in, border).codes()));
  });
}

TEST_P(Temporaries, ChannelsAreBlurredByGaussians) {
  const auto expect = [&]<class F>() {
    for_images({floats, gray_floats}, [&](const MemoryImage& in, Border border) {
      const Plane luma = luma_of(in, border);
      const Plane half = [=](int x, int y) { return 0.5 * luma(x, y); };
      expect_channel(run_filter<F>(in, border), 0,
                     summed(half, gaussian(F::sigma_x), gaussian(F::sigma_y)), 4e-5);
    });
  };
  expect.operator()<ChannelBlur<12, 25>>();
  expect.operator()<ChannelBlur<120, 30>>();
  expect.operator()<ChannelBlur<30, 400>>();
}

TEST_P(Temporaries, PyramidsAreThoseOfBurtAndAdelson) {
  const auto expect = [&]<class F>(int levels) {
    for_images({floats, bytes}, [&](const MemoryImage& in, Border border) {
      const MemoryImage out = run_filter<F>(in, border);
      for (const int channel : {1, 3})
        expect_channel(out, channel, up_and_down(channel_of(in, channel, border), levels), 1e-5);
    });
  };
  expect.operator()<Pyramid<1>>(1);
  expect.operator()<Pyramid<3>>(3);
}

TEST_P(Temporaries, PyramidsOfChannelsAreToo) {
  const auto expect = [&]<class F>(int levels) {
    for_images({floats, gray_shorts}, [&](const MemoryImage& in, Border border) {
      expect_channel(run_filter<F>(in, border), 0, up_and_down(luma_of(in, border), levels), 1e-5);
    });
  };
  expect.operator()<ChannelPyramid<1>>(1);
  expect.operator()<ChannelPyramid<4>>(4);
}

TEST_P(Temporaries, BandsOfEveryHeightGiveTheBitsOfTheWholeImage) {
  for (const Border border : borders) {
    expect_bits_of_the_whole<ChannelBox<20, 3>>(floats, border);
    expect_bits_of_the_whole<ChannelBox<3, 40>>(floats, border);
    expect_bits_of_the_whole<ChannelBlur<120, 30>>(floats, border);
    expect_bits_of_the_whole<ChannelBlur<30, 400>>(floats, border);
    expect_bits_of_the_whole<Pyramid<3>>(floats, border);
    expect_bits_of_the_whole<ChannelPyramid<4>>(floats, border);
    for (const Format& format : {bytes, gray_floats, gray_shorts})
      expect_bits_of_the_whole<Pyramid<3>>(format, border);
  }
}

/// What AnalyzedBlur shows, from its definition.
std::array<double, 4> analyzed(const MemoryImage& in, Border border, Rect region) {
  const auto blurred = [&](const Plane& plane) {
    return summed(plane, box(AnalyzedBlur::halo.x), box(AnalyzedBlur::halo.y));
  };
  const Plane r = blurred(channel_of(in, 0, border)), g = blurred(channel_of(in, 1, border)),
              b = blurred(channel_of(in, 2, border)), a = blurred(channel_of(in, 3, border)),
              luma = blurred(luma_of(in, border));
  double count = 0.0, bright = 0.0, sum = 0.0, green = 0.0;
  std::vector<double> blues;
  for (int y = region.y; y < region.bottom(); ++y)
    for (int x = region.x; x < region.right(); ++x) {
      const bool selected = in.selection.empty() || in.selection[y * in.width() + x] >= 128;
      if (!selected || !(a(x, y) > 0.0)) continue;
      ++count, green += g(x, y);
      blues.push_back(b(x, y));
      if (r(x, y) > 0.51) ++bright, sum += luma(x, y);
    }
  std::ranges::sort(blues);
  return {sum / bright, green / count, blues[static_cast<std::size_t>(0.25 * count)], count};
}

/// Transparent on the left, so far that nothing of the right comes into some windows.
MemoryImage half_transparent(Format format) {
  MemoryImage image = test::random_image(90, 300, format, false, 11);
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 90; ++x) {
      const std::size_t pixel = (std::size_t(y) * 90 + x) * 4;
      test::store_sample(image, pixel + 3, x < 30 ? 0.0 : 1.0);
      // No blurred red lies where rounding could decide.
      test::store_sample(image, pixel, (x / 20 + y / 20) % 2 == 0 ? 0.1 : 0.8);
    }
  return image;
}

TEST_P(Temporaries, AreAnalyzedWhereTheyAreSelectedAndNotTransparent) {
  for (const Format& format : {floats, bytes})
    for (const bool selects : {false, true})
      for (const bool cramped : {false, true}) {
        SCOPED_TRACE(test::name_of(format) + (selects ? " selection" : "") +
                     (cramped ? " bands" : ""));
        MemoryImage in = half_transparent({SampleType::f32, true, true});
        if (format.type == SampleType::u8) {
          MemoryImage codes{90, 300, format};
          for (std::size_t i = 0; i < 90u * 300 * 4; ++i)
            test::store_sample(codes, i, std::clamp(test::load_sample(in, i), 0.0, 1.0));
          in = codes;
        }
        const Rect region = selects ? Rect{7, 31, 70, 222} : Rect{0, 0, 90, 300};
        if (selects)
          for (int i = 0; i < 90 * 300; ++i)
            in.selection.push_back(i * 7919 % 5 < 2 ? 127 : i % 2 == 0 ? 128 : 255);
        const auto wanted = analyzed(in, Border::mirror, region);
        const MemoryImage out = run_filter<AnalyzedBlur>(in, Border::mirror, region, cramped);
        const std::size_t pixel = (std::size_t(region.y) * 90 + region.x) * 4;
        const double step = format.type == SampleType::u8 ? 0.51 / 255 : 0.0;
        for (int c = 0; c < 3; ++c)
          EXPECT_NEAR(test::load_sample(out, pixel + c), wanted[c], 1e-5 + step) << "channel " << c;
        if (format.type != SampleType::f32) continue;  // which has no code for so many
        EXPECT_EQ(test::load_sample(out, pixel + 3), wanted[3]);
      }
}

INSTANTIATE_TEST_SUITE_P(Devices, Temporaries, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return info.param; });

TEST(TemporaryPlans, ChannelsAndLevelsTakeTheirShare) {
  const Plan plan = job_of<ChannelPyramid<1>>(Border::clamp).plan;
  ASSERT_EQ(plan.temporaries.size(), 4u);
  // To go back takes one pixel of the level; the box looks 1 × 2 further, and the way up takes
  // 2 · halo + 3.
  EXPECT_EQ(plan.temporaries[0], (TemporaryPlan{{7, 9}, 0, 4, 0, 1}));
  EXPECT_EQ(plan.temporaries[1], (TemporaryPlan{{0, 0}, 0, 4, 0, 1}));
  EXPECT_EQ(plan.temporaries[2], (TemporaryPlan{{2, 3}, 1, 3, 1, 1}));
  EXPECT_EQ(plan.temporaries[3], (TemporaryPlan{{1, 1}, 1, 3, 1, 1}));
  EXPECT_EQ(plan.halo_x, 7);
  EXPECT_EQ(plan.halo_y, 9);
  EXPECT_FALSE(plan.by_channel);
  EXPECT_DOUBLE_EQ(plan.cost, footprint::map.cost * 1.25 +
                                  (footprint::downsample.cost + footprint::upsample.cost +
                                   footprint::box_filter(1, 2).cost / 4.0) /
                                      4.0);
}

TEST(TemporaryPlans, HalosAreScaledByLevel) {
  for (const auto& [plan, levels] : {std::pair{job_of<Pyramid<1>>(Border::clamp).plan, 1},
                                     std::pair{job_of<Pyramid<3>>(Border::clamp).plan, 3}}) {
    Halo halo{};
    for (int level = 0; level < levels; ++level)
      halo = {(halo.x + 1) / 2 + 1, (halo.y + 1) / 2 + 1};
    halo = {halo.x + 1, halo.y + 2};
    for (int level = 0; level < levels; ++level) halo = {2 * halo.x + 3, 2 * halo.y + 3};
    EXPECT_EQ(plan.halo_x, halo.x);
    EXPECT_EQ(plan.halo_y, halo.y);
  }
}

TEST(TemporaryPlans, PicturesOfOneStepHaveOneSize) {
  trace::Exec exec;
  const auto whole = exec.temporary(), half = exec.temporary(1);
  EXPECT_THROW(exec.map(std::tie(whole, half), exec.output(), 0), Error);
  EXPECT_THROW(downsample(exec, whole, whole), Error);
  EXPECT_THROW(upsample(exec, whole, half), Error);
  EXPECT_THROW(box_filter(exec, half, whole, 1, 1, Border::clamp), Error);
  int total = 0;
  EXPECT_THROW(exec.reduce(half, {}, total, 0), Error);
  EXPECT_NO_THROW(downsample(exec, whole, half));
}

/// What cannot be done with a channel does not compile.
template <class Exec>
concept RanksChannels = requires(Exec& exec, const typename Exec::Channel& channel) {
  rank_filter(exec, channel, channel, rank::Window{}, {50.0, 50.0}, Border::clamp);
};
template <class Exec>
concept CountsChannels = requires(Exec& exec, const typename Exec::Channel& channel,
                                  StatisticsState& state) {
  collect_statistics(exec, channel, Rect{}, state);
};
static_assert(!RanksChannels<cpu::Exec> && !RanksChannels<trace::Exec>);
static_assert(!CountsChannels<cpu::Exec> && !CountsChannels<trace::Exec>);

/// Blurs a channel, and does not say so.
struct ChannelLiar : test::ComposedFilter {
  static void apply(trace::Exec& exec, const Params&, trace::Input in, trace::Output out) {
    const auto luma = exec.temporary_channel(), mean = exec.temporary_channel();
    exec.map(in, luma, 0);
    exec.map(luma, mean, 0);
    exec.map(mean, out, 0);
  }
  static void apply(cpu::Exec& exec, const Params& p, const cpu::Input& in,
                    const cpu::Output& out) {
    const auto luma = exec.temporary_channel(), mean = exec.temporary_channel();
    exec.map(in, luma, test::Luma{});
    box_filter(exec, luma, mean, 1, 0, p.border);
    exec.map(std::tie(in, mean), out, test::InRed{});
  }
};
/// Goes back from a level as if that looked at nothing around.
struct LevelLiar : test::ComposedFilter {
  static void apply(trace::Exec& exec, const Params&, trace::Input in, trace::Output out) {
    const auto half = exec.temporary(1);
    exec.note(in, half, {}, 1);
    exec.note(half, out, {}, -1);
  }
  static void apply(cpu::Exec& exec, const Params&, const cpu::Input& in, const cpu::Output& out) {
    const auto half = exec.temporary(1);
    downsample(exec, in, half);
    upsample(exec, half, out);
  }
};

template <class F>
void expect_a_lie_is_found() {
  MemoryImage in = test::random_image(31, 21, floats, false, 8), out = in;
  Observer observer;
  EXPECT_THROW(run_on(make_cpu_backend(), nullptr, job_of<F>(Border::clamp), in, out,
                      {0, 0, 31, 21}, observer),
               Error);
}

TEST(TemporaryPlans, NoPrimitiveLooksFurtherThanItSays) {
  expect_a_lie_is_found<ChannelLiar>();
  expect_a_lie_is_found<LevelLiar>();
}

}  // namespace
}  // namespace cuda_filters
