// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The local Laplacian filter of a picture's luminance (Paris, Hasinoff and Kautz, Local Laplacian
/// Filters: Edge-aware Image Processing with a Laplacian Pyramid, 2011), by the sampling of Aubry,
/// Paris, Hasinoff, Kautz and Durand (Fast Local Laplacian Filters: Theory and Applications, 2014).
///
/// The pyramid is that of pyramid.hpp, of levels of ⌈w / 2⌉ × ⌈h / 2⌉ pixels down to a single one,
/// each of which goes on beyond its ends as its pixels there are. A coefficient of its level l at
/// p, where the Gaussian pyramid of the luminance has the value g, is that of the picture
///
///     f(i) = g + h(i - g) + amount · (i - g) · exp(-3 (i - g)² / (2 edge²)),
///     h(c) = c within edge, beyond it edge + highlights · (c - edge), or
///            -edge + shadows · (c + edge).
///
/// Here d(c) = f(g + c) - g - c is put in the place of f, and the result is added to the luminance:
/// the pyramid is linear, so that this is the same number.
namespace cuda_filters::local_laplacian {

struct LocalContrastSettings {
  double amount, edge, shadows, highlights;
};

/// d(c): by how much a difference from a value changes.
struct Change {
  float amount, edge, exponent, shadows, highlights;

  explicit Change(const LocalContrastSettings& settings)
      : amount{static_cast<float>(settings.amount)},
        edge{static_cast<float>(settings.edge)},
        exponent{static_cast<float>(-1.5 / (settings.edge * settings.edge) * 1.4426950408889634)},
        shadows{static_cast<float>(settings.shadows - 1.0)},
        highlights{static_cast<float>(settings.highlights - 1.0)} {}

  /// Powers of 2 below this one are nothing: denormal numbers would take processors many times as
  /// long, level after level.
  static constexpr float least_power = -40.0f;

  HOST_DEVICE float operator()(float c) const {
    const float above = c > edge ? c - edge : 0.0f, below = c < -edge ? c + edge : 0.0f;
    const float power = exponent * (c * c);
    const float detail = power > least_power ? amount * c * power_of_2(power) : 0.0f;
    return detail + (highlights * above + shadows * below);
  }
};

/// The values g for which pyramids are made, `first` / steps … `last` / steps: what lies between
/// them is interpolated by polynomials through the six next to it.
struct Sampling {
  int steps;

  /// As many that errors are below 2e-3: those of the curve go by a high power of the steps in
  /// parts of the edge, those of the bends of h by the steps. README.md has what was measured.
  explicit Sampling(const LocalContrastSettings& s) {
    double step = 1.0 / 16.0;
    if (s.amount != 0.0) step = std::min(step, 0.24 * s.edge + 0.003);
    const double bend = std::max(std::abs(s.shadows - 1.0), std::abs(s.highlights - 1.0));
    if (bend > 0.0) step = std::min(step, 0.01 / bend);
    steps = static_cast<int>(std::ceil(1.0 / step));
  }
  static constexpr int reach = 3;
  int first() const { return 1 - reach; }
  int last() const { return steps + reach - 1; }
  float value(int sample) const { return static_cast<float>(sample) / static_cast<float>(steps); }
};

/// How much a sample counts at a distance of t >= 0 steps, below Sampling::reach: a value of
/// Lagrange's polynomials of degree 5. (Of floats, and of vectors of them.)
template <class T>
HOST_DEVICE inline T weight_within_1(T t) {
  return (1.0f - t * t) * (4.0f - t * t) * (3.0f - t) * (1.0f / 12.0f);
}
template <class T>
HOST_DEVICE inline T weight_within_2(T t) {
  return (t * t - 1.0f) * (2.0f - t) * (3.0f - t) * (t - 4.0f) * (1.0f / 24.0f);
}
template <class T>
HOST_DEVICE inline T weight_within_3(T t) {
  return (t - 1.0f) * (t - 2.0f) * (3.0f - t) * (4.0f - t) * (5.0f - t) * (1.0f / 120.0f);
}

/// The levels of the pyramid of a picture, from itself to a single pixel.
inline std::vector<Size> levels_of(Size size) {
  std::vector<Size> levels{size};
  while (size.width > 1 || size.height > 1) {
    size = {(size.width + 1) / 2, (size.height + 1) / 2};
    levels.push_back(size);
  }
  return levels;
}

HOST_DEVICE static inline bool is_finite(float value) { return value - value == 0.0f; }
/// 0 … 1; NaN is 0.
HOST_DEVICE static inline float limited(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}
HOST_DEVICE static inline bool has_number(const Pixel& p) {
  return is_finite((p.r - p.r) + (p.g - p.g) + (p.b - p.b));
}
/// A pixel's luminance as far as its colors are in 0 … 1; 0 if one of them is not finite.
HOST_DEVICE static inline float luminance_of(const Pixel& p) {
  return has_number(p) ? exact::luminance(limited(p.r), limited(p.g), limited(p.b)) : 0.0f;
}

/// A pixel whose luminance rises by `more`: the colors are scaled with it, or, where there is next
/// to none, raised by it. What is beyond 0 … 1 stays as far beyond, and what is not finite stays.
HOST_DEVICE static inline Pixel with_more(const Pixel& p, float more) {
  if (!has_number(p)) return p;
  constexpr float least = 1e-6f;
  const float luminance = luminance_of(p);
  const bool scales = luminance > least;
  const float factor = scales ? exact::quotient(more, luminance) : 0.0f;
  const auto color = [&](float value) { return value + (scales ? limited(value) * factor : more); };
  return {color(p.r), color(p.g), color(p.b), p.a};
}

/// By how much each pixel's luminance rises, of a whole picture, where its executor computes; until
/// the last band has been collected, luminances.
struct Plane {
  std::vector<float> here;
  std::shared_ptr<void> on_device;  ///< of a GPU's executor
};

}  // namespace cuda_filters::local_laplacian
