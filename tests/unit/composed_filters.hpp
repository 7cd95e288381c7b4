// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>
#include <type_traits>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/pyramid/downsample.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/core/filter.hpp"

/// Filters of tests that are composed of temporary pictures, for every executor.
namespace cuda_filters::test {

/// What they have in common; the border is a parameter, so that one instance serves all.
struct ComposedFilter {
  struct Params {
    Border border;
  };
  static constexpr FilterInfo info{"test", "", "", "", "", Category::generic};
  static constexpr std::array params{border_param<&Params::border>()};
  static Plan plan(const Params& p) {
    return {.trc = Trc::native, .alpha = Alpha::channel, .border = p.border};
  }
};

/// A sum of the channels in which none stands for another.
struct Luma {
  HOST_DEVICE float operator()(Pixel p) const {
    return 0.25f * p.r + 0.5f * p.g + 0.125f * p.b + 0.125f * p.a;
  }
};
/// Shows a channel as red, and the picture in what else there is.
struct InRed {
  HOST_DEVICE Pixel operator()(Pixel p, float value) const { return {value, p.g, p.b, p.a}; }
};

/// The mean of the channel around each pixel, in red.
template <int radius_x, int radius_y>
struct ChannelBox : ComposedFilter {
  static constexpr Halo halo{radius_x, radius_y};
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary_channel(), mean = exec.temporary_channel();
    exec.map(in, luma, Luma{});
    box_filter(exec, luma, mean, radius_x, radius_y, p.border);
    exec.map(std::tie(in, mean), out, InRed{});
  }
};
/// As ChannelBox with pixels of which three channels are empty, as before there were channels.
template <int radius_x, int radius_y>
struct PixelBox : ComposedFilter {
  struct OfLuma {
    HOST_DEVICE Pixel operator()(Pixel p) const { return {Luma{}(p), 0.0f, 0.0f, 0.0f}; }
  };
  struct RedInRed {
    HOST_DEVICE Pixel operator()(Pixel p, Pixel mean) const { return {mean.r, p.g, p.b, p.a}; }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary(), mean = exec.temporary();
    exec.map(in, luma, OfLuma{});
    box_filter(exec, luma, mean, radius_x, radius_y, p.border);
    exec.map(std::tie(in, mean), out, RedInRed{});
  }
};

/// The least or the greatest number of the channel around each pixel, in red.
template <int radius_x, int radius_y, Extremum kind>
struct ChannelExtremum : ComposedFilter {
  static constexpr Halo halo{radius_x, radius_y};
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary_channel(), extreme = exec.temporary_channel();
    exec.map(in, luma, Luma{});
    extremum_filter(exec, luma, extreme, radius_x, radius_y, kind);
    exec.map(std::tie(in, extreme), out, InRed{});
  }
};

/// Its Gaussian blur by tenths of a pixel, in all channels of a gray picture.
template <int tenths_x, int tenths_y>
struct ChannelBlur : ComposedFilter {
  static constexpr double sigma_x = 0.1 * tenths_x, sigma_y = 0.1 * tenths_y;
  struct Half {
    HOST_DEVICE float operator()(float value) const { return 0.5f * value; }
  };
  struct Gray {
    HOST_DEVICE Pixel operator()(float value) const { return {value, value, value, 1.0f}; }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary_channel(), half = exec.temporary_channel(),
               blur = exec.temporary_channel();
    exec.map(in, luma, Luma{});
    exec.map(luma, half, Half{});
    gaussian_blur(exec, half, blur, sigma_x, sigma_y, p.border);
    exec.map(blur, out, Gray{});
  }
};

/// What is around each pixel: the mean of a channel in red, in green and in blue what is in two
/// corners.
template <int radius_x, int radius_y>
struct Surroundings : ComposedFilter {
  static constexpr Halo halo{radius_x, radius_y};
  struct Shown {
    template <class Around, class AroundChannel>
    HOST_DEVICE Pixel operator()(const Around& around, const AroundChannel& channel) const {
      float sum = 0.0f;
      for (int dy = -radius_y; dy <= radius_y; ++dy)
        for (int dx = -radius_x; dx <= radius_x; ++dx) sum += channel(dx, dy);
      return {sum / static_cast<float>((2 * radius_x + 1) * (2 * radius_y + 1)),
              around(radius_x, -radius_y).g, around(-radius_x, radius_y).b, around(0, 0).a};
    }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary_channel();
    exec.map(in, luma, Luma{});
    exec.neighborhood(std::tie(in, luma), out, halo, 100.0, Shown{});
  }
};
/// A corner of what is around each pixel of a picture that was blurred before.
struct BlurredSurroundings : ComposedFilter {
  struct Corner {
    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      return around(3, -1);
    }
  };
  struct Same {
    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      return around(0, 0);
    }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto blurred = exec.temporary(), moved = exec.temporary();
    box_filter(exec, in, blurred, 1, 2, p.border);
    exec.neighborhood(blurred, moved, {3, 1}, 20.0, Corner{});
    exec.neighborhood(moved, out, {0, 0}, 10.0, Same{});
  }
};

/// A picture that goes up `levels` levels of a pyramid, is blurred there, and comes back down.
template <int levels>
struct Pyramid : ComposedFilter {
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    go_up(exec, p, in, out, 1);
  }

 private:
  template <class Exec>
  static void go_up(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, int level) {
    const auto smaller = exec.temporary(level), changed = exec.temporary(level);
    downsample(exec, in, smaller);
    if (level < levels)
      go_up(exec, p, smaller, changed, level + 1);
    else
      box_filter(exec, smaller, changed, 1, 2, p.border);
    upsample(exec, changed, out);
  }
};
/// The same with the channel, in red.
template <int levels>
struct ChannelPyramid : ComposedFilter {
  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto luma = exec.temporary_channel(), changed = exec.temporary_channel();
    exec.map(in, luma, Luma{});
    go_up(exec, p, luma, changed, 1);
    exec.map(std::tie(in, changed), out, InRed{});
  }

 private:
  template <class Exec>
  static void go_up(Exec& exec, const Params& p, const typename Exec::Channel& in,
                    const typename Exec::Channel& out, int level) {
    const auto smaller = exec.temporary_channel(level), changed = exec.temporary_channel(level);
    downsample(exec, in, smaller);
    if (level < levels)
      go_up(exec, p, smaller, changed, level + 1);
    else
      box_filter(exec, smaller, changed, 1, 2, p.border);
    upsample(exec, changed, out);
  }
};

/// What analyses find of a blurred picture, shown in all pixels.
struct AnalyzedBlur : ComposedFilter {
  static constexpr Halo halo{2, 3};
  static Plan plan(const Params& p) {
    Plan plan = ComposedFilter::plan(p);
    plan.analysis = AnalysisScope::region;
    plan.passes = max_passes;
    return plan;
  }
  /// How many pixels count, and the sum of the channel's mean where red is above 0.51, in units of
  /// 2^-20, so that no order matters.
  struct Total {
    long long count = 0, bright = 0, sum = 0;
    HOST_DEVICE void merge(const Total& other) {
      count += other.count, bright += other.bright, sum += other.sum;
    }
  };
  struct State {
    StatisticsState statistics;
    QuantileState quantiles;
    Total total;
  };
  struct Added {
    HOST_DEVICE void operator()(Total& total, const Pixel& blurred, float mean) const {
      ++total.count;
      if (!(blurred.r > 0.51f)) return;
      ++total.bright;
      total.sum += static_cast<long long>(mean * 1048576.0f);
    }
  };
  struct Shown {
    Pixel found;
    HOST_DEVICE Pixel operator()(Pixel) const { return found; }
  };

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    const auto blurred = exec.temporary();
    const auto luma = exec.temporary_channel(), mean = exec.temporary_channel();
    box_filter(exec, in, blurred, halo.x, halo.y, p.border);
    exec.map(in, luma, Luma{});
    box_filter(exec, luma, mean, halo.x, halo.y, p.border);
    collect_statistics(exec, blurred, area, state.statistics, Detail::all);
    exec.fetch(state.statistics);
    collect_quantiles(exec, blurred, area, state.quantiles, {Lists::channels, 0.25, 0.25});
    exec.fetch(state.quantiles);
    exec.reduce(std::tie(blurred, mean), area, state.total, Added{});
  }
  static bool finish(const Params&, State& state) { return state.quantiles.next(); }

  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    const Total& total = state.total;
    const ChannelStatistics& green = state.statistics.here.channels[1];
    exec.map(in, out,
             Shown{{static_cast<float>(static_cast<double>(total.sum) / total.bright / 1048576.0),
                    static_cast<float>(green.mean()), state.quantiles.here.lists[2].low,
                    // Every pass counts all pixels anew.
                    static_cast<float>(total.count / state.quantiles.passes)}});
  }
};

/// Calls f(std::type_identity<F>) for each of these filters.
template <class F>
void for_composed_filters(F f) {
  f(std::type_identity<ChannelBox<2, 3>>{});
  f(std::type_identity<ChannelBox<20, 3>>{});
  f(std::type_identity<ChannelBox<3, 40>>{});
  f(std::type_identity<ChannelBox<40, 17>>{});
  f(std::type_identity<ChannelExtremum<0, 1, Extremum::minimum>>{});
  f(std::type_identity<ChannelExtremum<2, 3, Extremum::maximum>>{});
  f(std::type_identity<ChannelExtremum<7, 0, Extremum::maximum>>{});
  f(std::type_identity<ChannelExtremum<40, 17, Extremum::minimum>>{});
  f(std::type_identity<ChannelExtremum<70, 30, Extremum::minimum>>{});
  f(std::type_identity<PixelBox<2, 3>>{});
  f(std::type_identity<PixelBox<40, 17>>{});
  f(std::type_identity<ChannelBlur<12, 25>>{});
  f(std::type_identity<ChannelBlur<120, 30>>{});
  f(std::type_identity<ChannelBlur<30, 400>>{});
  f(std::type_identity<Surroundings<2, 3>>{});
  f(std::type_identity<Surroundings<40, 17>>{});
  f(std::type_identity<BlurredSurroundings>{});
  f(std::type_identity<Pyramid<1>>{});
  f(std::type_identity<Pyramid<3>>{});
  f(std::type_identity<ChannelPyramid<1>>{});
  f(std::type_identity<ChannelPyramid<4>>{});
  f(std::type_identity<AnalyzedBlur>{});
}

/// Makes them known to the executors that are no processor's, as far as these were built.
void add_composed_filters();

}  // namespace cuda_filters::test
