// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/pixel.hpp"

/// The guided filter (He, Sun and Tang 2010) with a guide of three colors, put together from box
/// blurs. In every window, each color p of the picture is approximated by a linear function of the
/// guide's colors I:
///
///     a = (Σ + ε²U)⁻¹ · cov(I, p),  b = mean(p) − a · mean(I),
///
/// where Σ are the covariances of I. The result at a pixel is mean(a) · I + mean(b), with the means
/// of a and b over all windows that hold it. Colors are taken from ½, which loses fewer digits
/// where the squares of the means are subtracted.
namespace cuda_filters::guided {

/// A pixel's colors from ½.
HOST_DEVICE constexpr Pixel centered(Pixel p) { return {p.r - 0.5f, p.g - 0.5f, p.b - 0.5f, p.a}; }

/// The guide's colors and their products, whose means over a window are its moments: two pictures
/// have four of them each, and `part` says which, …
struct GuideMoments {
  int part;

  HOST_DEVICE Pixel operator()(Pixel guide) const {
    const Pixel i = centered(guide);
    if (part == 0) return {i.r, i.g, i.b, i.r * i.r};
    return {i.r * i.g, i.r * i.b, i.g * i.g, i.g * i.b};
  }
};
/// … and a channel has the last one.
struct LastGuideMoment {
  HOST_DEVICE float operator()(Pixel guide) const {
    const Pixel i = centered(guide);
    return i.b * i.b;
  }
};

/// The products of a color of the picture with those of its guide, and the color itself.
struct JointMoments {
  int channel;

  HOST_DEVICE Pixel operator()(Pixel guide, Pixel picture) const {
    const Pixel p = centered(picture), i = centered(guide);
    const float color = channel == 0 ? p.r : channel == 1 ? p.g : p.b;
    return {i.r * color, i.g * color, i.b * color, color};
  }
};

/// a and, as the fourth channel, b, from the moments of a window.
struct Solve {
  float ridge;  ///< ε²
  int channel;  ///< of the picture

  /// The guide is the picture.
  HOST_DEVICE Pixel operator()(Pixel m0, Pixel m1, float m2) const {
    if (channel == 0) return solved(m0, m1, m2, {m0.a, m1.r, m1.g, m0.r});
    if (channel == 1) return solved(m0, m1, m2, {m1.r, m1.b, m1.a, m0.g});
    return solved(m0, m1, m2, {m1.g, m1.a, m2, m0.b});
  }
  /// `with`: the JointMoments of the channel.
  HOST_DEVICE Pixel operator()(Pixel m0, Pixel m1, float m2, Pixel with) const {
    return solved(m0, m1, m2, with);
  }

 private:
  /// In exact numbers a pivot of Σ + ε²U is at least ε².
  HOST_DEVICE float pivot(float value) const {
    return value > ridge || value != value ? value : ridge;
  }

  /// By a decomposition of Σ + ε²U into L·D·Lᵀ. `with`: the means of I · p, and of p.
  HOST_DEVICE Pixel solved(Pixel m0, Pixel m1, float m2, Pixel with) const {
    const float d0 = pivot(m0.a - m0.r * m0.r + ridge);
    const float s1 = m1.r - m0.r * m0.g, s2 = m1.g - m0.r * m0.b;
    const float l1 = s1 / d0, l2 = s2 / d0;
    const float d1 = pivot(m1.b - m0.g * m0.g + ridge - l1 * s1);
    const float s3 = m1.a - m0.g * m0.b - l1 * s2, l3 = s3 / d1;
    const float d2 = pivot(m2 - m0.b * m0.b + ridge - l2 * s2 - l3 * s3);
    const float y0 = with.r - m0.r * with.a;
    const float y1 = with.g - m0.g * with.a - l1 * y0;
    const float y2 = with.b - m0.b * with.a - l2 * y0 - l3 * y1;
    const float a2 = y2 / d2, a1 = y1 / d1 - l3 * a2, a0 = y0 / d0 - l1 * a1 - l2 * a2;
    return {a0, a1, a2, with.a - a0 * m0.r - a1 * m0.g - a2 * m0.b};
  }
};

/// The result from the guide and the means of a and b for each color.
struct Combine {
  HOST_DEVICE Pixel operator()(Pixel picture, Pixel r, Pixel g, Pixel b) const {
    return (*this)(picture, picture, r, g, b);
  }
  HOST_DEVICE Pixel operator()(Pixel picture, Pixel guide, Pixel r, Pixel g, Pixel b) const {
    const Pixel i = centered(guide);
    return {color(i, r), color(i, g), color(i, b), picture.a};
  }

 private:
  HOST_DEVICE static float color(Pixel i, Pixel of) {
    return 0.5f + (of.a + of.r * i.r + of.g * i.g + of.b * i.b);
  }
};

/// The result with the guide's moments, by solve(a_and_b, channel) for each channel.
template <class Exec, class SolveChannel>
void combine(Exec& exec, const typename Exec::Input& in, const typename Exec::Input* guide,
             const typename Exec::Output& out, int radius, Border border, SolveChannel solve) {
  const auto r = exec.temporary(), g = exec.temporary(), b = exec.temporary();
  const auto average = [&](const auto& means, int channel) {
    const auto a_and_b = exec.temporary();
    solve(a_and_b, channel);
    box_filter(exec, a_and_b, means, radius, radius, border);
  };
  average(r, 0), average(g, 1), average(b, 2);
  if (guide == nullptr)
    exec.map(std::tie(in, r, g, b), out, Combine{});
  else
    exec.map(std::tie(in, *guide, r, g, b), out, Combine{});
}

/// Filters `in`, whose guide is `guide`, or `in` itself if that is null. Windows have 2 · radius +
/// 1 pixels a side; `epsilon` is above 0.
template <class Exec>
void filter(Exec& exec, const typename Exec::Input& in, const typename Exec::Input* guide,
            const typename Exec::Output& out, int radius, double epsilon, Border border) {
  using Input = typename Exec::Input;
  const auto ridge = static_cast<float>(epsilon * epsilon);
  const auto m0 = exec.temporary(), m1 = exec.temporary();
  const auto m2 = exec.temporary_channel();
  const auto guide_moments = [&](const Input& of) {
    const auto average = [&](const auto& means, int part) {
      const auto products = exec.temporary();
      exec.map(of, products, GuideMoments{part});
      box_filter(exec, products, means, radius, radius, border);
    };
    average(m0, 0), average(m1, 1);
    const auto product = exec.temporary_channel();
    exec.map(of, product, LastGuideMoment{});
    box_filter(exec, product, m2, radius, radius, border);
  };
  if (guide == nullptr) {
    {
      const auto pixels = exec.temporary();
      exec.map(in, pixels, SamePixel{});
      guide_moments(pixels);
    }
    combine(exec, in, guide, out, radius, border, [&](const auto& a_and_b, int channel) {
      exec.map(std::tie(m0, m1, m2), a_and_b, Solve{ridge, channel});
    });
    return;
  }
  guide_moments(*guide);
  const auto with_r = exec.temporary(), with_g = exec.temporary(), with_b = exec.temporary();
  {
    const auto pixels = exec.temporary();
    exec.map(in, pixels, SamePixel{});
    const auto average = [&](const auto& means, int channel) {
      const auto products = exec.temporary();
      exec.map(std::tie(*guide, pixels), products, JointMoments{channel});
      box_filter(exec, products, means, radius, radius, border);
    };
    average(with_r, 0), average(with_g, 1), average(with_b, 2);
  }
  combine(exec, in, guide, out, radius, border, [&](const auto& a_and_b, int channel) {
    const auto solve = [&](const auto& with) {
      exec.map(std::tie(m0, m1, m2, with), a_and_b, Solve{ridge, channel});
    };
    channel == 0 ? solve(with_r) : channel == 1 ? solve(with_g) : solve(with_b);
  });
}

/// What a channel has a guide of one channel for: I, p, I · I and I · p, whose means over a window
/// are its moments.
struct ChannelMoments {
  HOST_DEVICE Pixel operator()(float guide, float value) const {
    const float i = guide - 0.5f, p = value - 0.5f;
    return {i, p, i * i, i * p};
  }
};

/// a from the moments of a window, …
struct Slope {
  float ridge;  ///< ε²

  HOST_DEVICE float operator()(Pixel m) const {
    // In exact numbers a variance is not below 0.
    const float variance = m.b - m.r * m.r, covariance = m.a - m.r * m.g;
    return covariance / ((variance > 0.0f ? variance : 0.0f) + ridge);
  }
};
/// … and b.
struct Intercept {
  Slope slope;
  HOST_DEVICE float operator()(Pixel m) const { return m.g - slope(m) * m.r; }
};

/// The result from the guide and the means of a and b.
struct CombineChannel {
  HOST_DEVICE float operator()(float guide, float a, float b) const {
    return 0.5f + (b + a * (guide - 0.5f));
  }
};

/// Filters a channel with a guide of one channel, both of numbers around 0 … 1: `ridge`, ε², is
/// above 0.
template <class Exec>
void smooth(Exec& exec, const typename Exec::Channel& guide, const typename Exec::Channel& in,
            const typename Exec::Channel& out, int radius, float ridge, Border border) {
  const auto a = exec.temporary_channel(), b = exec.temporary_channel();
  {
    const auto means = exec.temporary();
    {
      const auto moments = exec.temporary();
      exec.map(std::tie(guide, in), moments, ChannelMoments{});
      box_filter(exec, moments, means, radius, radius, border);
    }
    const auto average = [&](const auto& coefficients, const auto& solve) {
      const auto of_windows = exec.temporary_channel();
      exec.map(means, of_windows, solve);
      box_filter(exec, of_windows, coefficients, radius, radius, border);
    };
    average(a, Slope{ridge}), average(b, Intercept{{ridge}});
  }
  exec.map(std::tie(guide, a, b), out, CombineChannel{});
}

}  // namespace cuda_filters::guided
