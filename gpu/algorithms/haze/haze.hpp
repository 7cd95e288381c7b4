// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
#include <tuple>

#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"

/// The air light of a hazy picture, by K. He, J. Sun and X. Tang, Single image haze removal using
/// dark channel prior, 2009. The dark channel is the least color of all pixels in the square around
/// each. A pixel counts if it is selected, not fully transparent, and its luminance and its dark
/// channel are finite. Of the n that count, those are candidates whose dark channel is at least the
/// one of rank n - 1 - floor(n / 1000), counted from 0 for the least: the thousandth that is
/// largest, and what is as large. The air light is the mean color of the brightest candidates:
/// those of the largest luminance.
///
/// What decides is computed with the same bits on every executor.
namespace cuda_filters::haze {

/// The least color of a pixel; a NaN is none.
struct DarkColor {
  HOST_DEVICE float operator()(Pixel p) const {
    using extremum::better;
    constexpr auto kind = Extremum::minimum;
    return better<kind>(better<kind>(better<kind>(extremum::neutral<kind>, p.r), p.g), p.b);
  }
};

HOST_DEVICE static inline float brightness(const Pixel& p) {
  return exact::luminance(p.r, p.g, p.b);
}
HOST_DEVICE static inline bool is_finite(float number) { return number - number == 0.0f; }

/// A gray pixel of that dark channel, or none that counts.
struct InGray {
  HOST_DEVICE Pixel operator()(Pixel p, float dark) const {
    const float value = is_finite(brightness(p)) ? dark : NAN;
    return {value, value, value, p.a};
  }
};

/// The brightest of some pixels.
struct Brightest {
  float luminance = 0.0f;
  std::uint64_t count = 0;
  double sums[3] = {0.0, 0.0, 0.0};

  HOST_DEVICE void merge(const Brightest& other) {
    if (other.count == 0 || (count > 0 && other.luminance < luminance)) return;
    if (count == 0 || other.luminance > luminance) {
      *this = other;
      return;
    }
    count += other.count;
    for (int c = 0; c < 3; ++c) sums[c] += other.sums[c];
  }
};
/// Those whose dark channel is not below a limit.
struct AddCandidate {
  float limit;
  HOST_DEVICE void operator()(Brightest& total, const Pixel& p, float dark) const {
    const float luminance = brightness(p);
    if (!(dark >= limit) || !is_finite(luminance)) return;
    total.merge({luminance, 1, {double{p.r}, double{p.g}, double{p.b}}});
  }
};

/// The air light, and what colors are multiplied with to be shares of it: 0 for a color without
/// any light, which takes no part. Without any color there is no haze.
struct Air {
  float color[3] = {0.0f, 0.0f, 0.0f}, inverse[3] = {0.0f, 0.0f, 0.0f};
};

/// 0 … 1; NaN is 0.
HOST_DEVICE static inline float limited(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

/// How much haze a pixel may have: the least of its colors as shares of the air light, 0 … 1. A NaN
/// takes no part.
struct Share {
  Air air;
  HOST_DEVICE float operator()(Pixel p) const {
    const float colors[3] = {p.r, p.g, p.b};
    float least = 1.0f;
    bool any = false;
    for (int c = 0; c < 3; ++c) {
      if (air.inverse[c] == 0.0f) continue;
      any = true;
      least = extremum::better<Extremum::minimum>(least, exact::product(colors[c], air.inverse[c]));
    }
    return any ? limited(least) : 0.0f;
  }
};

/// The luminance of a pixel whose colors are shares of the air light, 0 … 1.
struct Brightness {
  Air air;
  HOST_DEVICE float operator()(Pixel p) const {
    return exact::luminance(share(p.r, 0), share(p.g, 1), share(p.b, 2));
  }
  HOST_DEVICE float share(float color, int c) const {
    return limited(exact::product(color, air.inverse[c]));
  }
};

/// How many dark channels are candidates.
inline constexpr Wanted wanted{Lists::luminance, 0.0, 0.001};
inline constexpr int quantile_passes = pass_count(wanted, false), passes = quantile_passes + 1;

/// What is found of a picture, pass by pass: the limit of the candidates, and the brightest ones.
struct AirLight {
  QuantileState dark;
  Brightest brightest;

  /// Ends a pass; true if there must be another.
  bool next() {
    if (dark.pass == quantile_passes) return false;
    dark.next();
    return true;
  }

  Air air() const {
    Air air;
    if (brightest.count == 0) return air;
    for (int c = 0; c < 3; ++c) {
      const double mean = brightest.sums[c] / static_cast<double>(brightest.count);
      const auto inverse = static_cast<float>(1.0 / mean);
      air.color[c] = static_cast<float>(mean);
      if (mean > 0.0 && std::isfinite(inverse)) air.inverse[c] = inverse;
    }
    return air;
  }
};

/// Adds the pixels of `area` to an analysis with squares that reach `radius` pixels.
template <class Exec>
void add(Exec& exec, const typename Exec::Input& in, Rect area, int radius, AirLight& state) {
  const auto dark = exec.temporary_channel();
  {
    const auto of_pixels = exec.temporary_channel();
    exec.map(in, of_pixels, DarkColor{});
    extremum_filter(exec, of_pixels, dark, radius, radius, Extremum::minimum);
  }
  // The same temporary pictures in every pass.
  const auto gray = exec.temporary();
  if (state.dark.pass < quantile_passes) {
    exec.map(std::tie(in, dark), gray, InGray{});
    collect_quantiles(exec, gray, area, state.dark, wanted);
    exec.fetch(state.dark);
    return;
  }
  const Quantile& found = state.dark.here.lists[0];
  // Without any pixel that counts nothing is found.
  const float limit = std::isfinite(found.high) ? found.high : NAN;
  exec.reduce(std::tie(in, dark), area, state.brightest, AddCandidate{limit});
}

}  // namespace cuda_filters::haze
