// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>
#include <tuple>

#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/guided/guided.hpp"
#include "gpu/algorithms/haze/haze.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Takes away haze by the dark channel (He, Sun and Tang 2009), in linear light. The picture c is
/// taken for what the scene J and the air light A give together, c = J · t + A · (1 - t), where the
/// transmission t says how much of the scene comes through. Somewhere near every pixel J is next to
/// 0 in some color, so that
///
///     t = 1 - amount · the least of c / A, over the colors and the square around each pixel.
///
/// Each color of c / A is taken for 0 … 1: haze is from none to all. The guided filter smooths t,
/// and its guide is the luminance of c / A, with an ε² of 0.001. The result is (c - A) / t + A with
/// a t that is not below `darkest`. How A is found stands in haze.hpp.
struct Dehaze {
  struct Params {
    double amount;
    int radius, refine;
    double darkest;
  };

  static constexpr FilterInfo info{
      .name = "dehaze",
      .label = N_("D_ehaze (CUDA)…"),
      .title = N_("Dehaze"),
      .blurb = N_("Take away haze and mist, more where they are thicker"),
      .help = N_(
          "In a clear picture something is dark, in some color, nearly everywhere. How bright it "
          "is instead tells how thick the haze is, and the brightest pixels where it is thickest "
          "tell the color of haze. For that color only selected pixels are looked at, and none "
          "that are fully transparent. Alpha stays as it is. Described by He, Sun and Tang, "
          "2009."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::amount>({.name = "amount",
                              .label = N_("_Amount"),
                              .blurb = N_("How much of the haze is taken away"),
                              .initial = 0.7}),
      param<&Params::radius>({.name = "radius",
                              .label = N_("Ra_dius"),
                              .blurb = N_("How far around each pixel something dark is looked for"),
                              .range = {1.0, 100.0},
                              .slider = {1.0, 40.0},
                              .initial = 7.0,
                              .unit = Unit::pixels}),
      param<&Params::refine>(
          {.name = "refine",
           .label = N_("Re_finement"),
           .blurb = N_("How far the thickness of the haze is smoothed, between the edges of the "
                       "picture (0: not at all)"),
           .range = {0.0, 500.0},
           .slider = {0.0, 200.0},
           .initial = 60.0,
           .unit = Unit::pixels}),
      param<&Params::darkest>(
          {.name = "darkest",
           .label = N_("Least _transmission"),
           .blurb = N_("How much the thickest haze lets through at least: less gives more contrast "
                       "there, and more noise"),
           .range = {0.01, 1.0},
           .initial = 0.1}),
  };

  static constexpr std::array presets{
      Preset{N_("Morning mist"), "amount=0.6"},
      Preset{N_("Distant mountains"), "amount=0.9 darkest=0.2"},
      Preset{N_("Aerial photo"), "amount=0.8 radius=15 refine=100 darkest=0.3"},
      Preset{N_("A little clearer"), "amount=0.3"},
  };

  /// ε² of the guided filter: that of He, Sun and Tang.
  static constexpr float ridge = 0.001f;

  static Plan plan(const Params& p) {
    return {.trc = Trc::linear,
            .alpha = Alpha::passthrough,
            .identity = p.amount == 0.0 || (p.darkest == 1.0 && p.refine == 0),
            .analysis = AnalysisScope::region,
            .passes = haze::passes};
  }

  using State = haze::AirLight;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    haze::add(exec, in, area, p.radius, state);
  }
  static bool finish(const Params&, State& state) { return state.next(); }

  /// What is without haze, of a pixel and the share of haze in it.
  struct Recover {
    haze::Air air;
    float amount, darkest;

    HOST_DEVICE Pixel operator()(Pixel p, float share) const {
      const float all = exact::difference(1.0f, exact::product(amount, share));
      const float transmission = all > darkest ? all : darkest;
      return {color(p.r, 0, transmission), color(p.g, 1, transmission), color(p.b, 2, transmission),
              p.a};
    }
    HOST_DEVICE float color(float value, int c, float transmission) const {
      if (transmission == 1.0f) return value;
      const float light = air.color[c];
      return exact::sum(exact::quotient(exact::difference(value, light), transmission), light);
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    const haze::Air air = state.air();
    const Recover recover{air, static_cast<float>(p.amount), static_cast<float>(p.darkest)};
    const auto share = exec.temporary_channel();
    {
      const auto of_pixels = exec.temporary_channel();
      exec.map(in, of_pixels, haze::Share{air});
      extremum_filter(exec, of_pixels, share, p.radius, p.radius, Extremum::minimum);
    }
    if (p.refine == 0) return exec.map(std::tie(in, share), out, recover);
    const auto guide = exec.temporary_channel(), smooth = exec.temporary_channel();
    exec.map(in, guide, haze::Brightness{air});
    guided::smooth(exec, guide, share, smooth, p.refine, ridge, Border::clamp);
    exec.map(std::tie(in, smooth), out, recover);
  }
};
static_assert(Filter<Dehaze>);

}  // namespace cuda_filters
