// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/device.hpp"

namespace cuda_filters {

/// One working pixel: three colors and alpha, 0 black or transparent, 1 white or opaque, never
/// clamped. Gray images carry their value in all three colors.
struct alignas(16) Pixel {
  float r, g, b, a;
};

HOST_DEVICE constexpr Pixel operator+(Pixel p, Pixel q) {
  return {p.r + q.r, p.g + q.g, p.b + q.b, p.a + q.a};
}
HOST_DEVICE constexpr Pixel operator-(Pixel p, Pixel q) {
  return {p.r - q.r, p.g - q.g, p.b - q.b, p.a - q.a};
}
HOST_DEVICE constexpr Pixel operator*(Pixel p, float s) {
  return {p.r * s, p.g * s, p.b * s, p.a * s};
}

/// The function that gives the pixel itself.
struct SamePixel {
  HOST_DEVICE constexpr Pixel operator()(Pixel p) const { return p; }
};

/// The function of a pixel that takes each of its colors by itself to f(value), or to f(value,
/// channel), and leaves alpha.
template <class F>
struct PerColor {
  F f;
  HOST_DEVICE float color(float value, int channel) const {
    if constexpr (requires { f(value, channel); })
      return f(value, channel);
    else
      return f(value);
  }
  HOST_DEVICE Pixel operator()(Pixel p) const {
    return {color(p.r, 0), color(p.g, 1), color(p.b, 2), p.a};
  }
};
template <class F>
PerColor(F) -> PerColor<F>;

/// As PerColor, of all four channels; alpha is channel 3.
template <class F>
struct PerChannel {
  F f;
  HOST_DEVICE float color(float value, int channel) const { return f(value, channel); }
  HOST_DEVICE Pixel operator()(Pixel p) const {
    return {f(p.r, 0), f(p.g, 1), f(p.b, 2), f(p.a, 3)};
  }
};
template <class F>
PerChannel(F) -> PerChannel<F>;

/// The first and the last + 1 of a row of indices.
struct IndexRange {
  int begin, end;
  HOST_DEVICE constexpr int size() const { return end - begin; }
  constexpr bool contains(IndexRange other) const {
    return other.begin >= begin && other.end <= end;
  }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// A function of alpha alone, by which colors stay as they are.
template <class F>
struct AlphaOnly {
  F f;
  HOST_DEVICE float color(float value, int channel) const {
    return channel == 3 ? f(value) : value;
  }
  HOST_DEVICE Pixel operator()(Pixel p) const { return {p.r, p.g, p.b, f(p.a)}; }
};
template <class F>
AlphaOnly(F) -> AlphaOnly<F>;

/// The channels that a function of single samples may change.
template <class F>
inline constexpr IndexRange changed_channels{0, 3};
template <class F>
inline constexpr IndexRange changed_channels<PerChannel<F>>{0, 4};
template <class F>
inline constexpr IndexRange changed_channels<AlphaOnly<F>>{3, 4};

/// The function of a pixel that gives all of its colors the value f(pixel), and leaves alpha.
template <class F>
struct ToGray {
  F f;
  HOST_DEVICE float gray(Pixel p) const { return f(p); }
  HOST_DEVICE Pixel operator()(Pixel p) const {
    const float value = f(p);
    return {value, value, value, p.a};
  }
};
template <class F>
ToGray(F) -> ToGray<F>;

/// The function of a pixel whose colors are some of its own: f(r, g, b, a) sets them to each other
/// and returns the new alpha. It is a template over the type of a color, which converts to float,
/// so that the code that a color is stored as can go along with it.
template <class F>
struct PermuteColors {
  F f;
  template <class Color>
  HOST_DEVICE float pick(Color& r, Color& g, Color& b, float a) const {
    return f(r, g, b, a);
  }
  HOST_DEVICE Pixel operator()(Pixel p) const {
    p.a = f(p.r, p.g, p.b, p.a);
    return p;
  }
};
template <class F>
PermuteColors(F) -> PermuteColors<F>;

/// How many columns and rows of pixels.
struct Size {
  int width = 0, height = 0;
  constexpr double pixels() const { return static_cast<double>(width) * height; }
  friend bool operator==(const Size&, const Size&) = default;
};

/// How many floats lie from one row of a temporary channel to the next: so many that four at a time
/// are a pixel.
constexpr int channel_stride(int width) { return (width + 3) / 4 * 4; }

/// How far from a pixel its result looks, along the rows and along the columns.
struct Halo {
  int x = 0, y = 0;
  friend bool operator==(const Halo&, const Halo&) = default;
};

/// A rectangle of pixels; the right and bottom ends are not part of it.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;

  HOST_DEVICE constexpr int right() const { return x + width; }
  HOST_DEVICE constexpr int bottom() const { return y + height; }
  HOST_DEVICE constexpr bool empty() const { return width <= 0 || height <= 0; }
  HOST_DEVICE constexpr Size size() const { return {width, height}; }
  /// The rectangle with `dx` more columns left and right and `dy` more rows above and below.
  HOST_DEVICE constexpr Rect grown(int dx, int dy) const {
    return {x - dx, y - dy, width + 2 * dx, height + 2 * dy};
  }
  HOST_DEVICE constexpr Rect grown(Halo halo) const { return grown(halo.x, halo.y); }
  /// What of level `level` of a pyramid surrounds the rectangle: pixel (x, y) of that level stands
  /// where pixel (x, y) · 2^level of the picture does.
  HOST_DEVICE constexpr Rect at_level(int level) const {
    const int left = x >> level, top = y >> level;
    return {left, top, -(-right() >> level) - left, -(-bottom() >> level) - top};
  }
  HOST_DEVICE constexpr IndexRange columns() const { return {x, right()}; }
  HOST_DEVICE constexpr IndexRange rows() const { return {y, bottom()}; }
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// The smallest rectangle that holds both.
constexpr Rect united(Rect a, Rect b) {
  const int x = a.x < b.x ? a.x : b.x, y = a.y < b.y ? a.y : b.y;
  const int right = a.right() > b.right() ? a.right() : b.right();
  const int bottom = a.bottom() > b.bottom() ? a.bottom() : b.bottom();
  return {x, y, right - x, bottom - y};
}

/// The rectangle that lies in both.
constexpr Rect intersected(Rect a, Rect b) {
  const int x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
  const int right = a.right() < b.right() ? a.right() : b.right();
  const int bottom = a.bottom() < b.bottom() ? a.bottom() : b.bottom();
  return {x, y, right - x, bottom - y};
}

}  // namespace cuda_filters
