// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/algorithms/atrous/noise.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/held.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// Takes from the details of each size what may be noise: the wavelet transform à trous (Starck and
/// Murtagh 1994) of Y', Cb and Cr, each of whose details are shrunk by a multiple of the noise that
/// they have. How much that is the median of the finest details' sizes tells (Donoho and Johnstone
/// 1994).
struct WaveletDenoise {
  struct Params {
    double threshold;
    int levels;
    double softness, luma, chroma;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "wavelet-denoise",
      .label = N_("Wavelet _Denoise (CUDA)…"),
      .title = N_("Wavelet Denoise"),
      .blurb = N_("Take noise from details of every size"),
      .help =
          N_("The picture is split into details of several sizes, each twice the one before. "
             "How noisy it is the finest ones tell, and of each size what may be noise is taken "
             "away, from the brightness and from the colors. The transform was described by "
             "Starck and Murtagh, 1994, and the thresholds by Donoho and Johnstone, 1994, and "
             "by Gao and Bruce, 1997."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::threshold>(
          {.name = "threshold",
           .label = N_("_Threshold"),
           .blurb = N_("How much of the noise's standard deviation is taken away"),
           .range = {0.0, 10.0},
           .slider = {0.0, 5.0},
           .initial = 1.5}),
      param<&Params::levels>({.name = "levels",
                              .label = N_("Le_vels"),
                              .blurb = N_("How many sizes of details, from 1 pixel on"),
                              .range = {1.0, 8.0},
                              .initial = 5.0}),
      param<&Params::softness>(
          {.name = "softness",
           .label = N_("Soft_ness"),
           .blurb = N_("Whether larger details stay as they are (0) or become smaller, too (1)"),
           .initial = 1.0}),
      param<&Params::luma>({.name = "luma",
                            .label = N_("Bri_ghtness"),
                            .blurb = N_("How much of the noise in the brightness is taken away"),
                            .initial = 1.0}),
      param<&Params::chroma>({.name = "chroma",
                              .label = N_("Color noise (chro_ma)"),
                              .blurb = N_("How much of the noise in the colors is taken away"),
                              .initial = 1.0}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Photo"), "threshold=1.5"},
      Preset{N_("High ISO"), "threshold=3 levels=6 softness=0.7"},
      Preset{N_("Color noise alone"), "threshold=4 levels=7 luma=0"},
      Preset{N_("Star field"), "threshold=3 softness=0"},
  };

  /// Above and below the medians there are as many.
  static constexpr Wanted medians{Lists::colors, 0.5, 0.5};

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = p.border,
            .identity = p.threshold == 0.0 || (p.luma == 0.0 && p.chroma == 0.0),
            .analysis = AnalysisScope::region,
            .passes = pass_count(medians, false)};
  }

  using State = QuantileState;

  /// Y' and what red and blue have more than it: Cr and Cb in another scale, which neither the
  /// noise nor what is shrunk by it depends on.
  struct Split {
    HOST_DEVICE Pixel operator()(Pixel p) const {
      const float y = exact::luminance(p.r, p.g, p.b);
      return {y, exact::difference(p.r, y), exact::difference(p.b, y), p.a};
    }
  };

  template <class Exec>
  static void analyze(Exec& exec, const Params&, const typename Exec::Input& in, Rect area,
                      State& state) {
    const auto fine = exec.temporary(), sizes = exec.temporary();
    exec.map(in, fine, Split{});
    atrous_details(exec, fine, 0, sizes, atrous::DetailSizes{});
    collect_quantiles(exec, sizes, area, state, medians);
    exec.fetch(state);
  }
  static bool finish(const Params&, State& state) { return state.next(); }

  /// The result, with what the last level takes.
  struct Finish {
    atrous::Shrink take;
    float luma, chroma;

    HOST_DEVICE Pixel operator()(Pixel p, Pixel fine, Pixel coarse) const {
      return without(p, take(fine, coarse));
    }
    HOST_DEVICE Pixel operator()(Pixel p, Pixel before, Pixel fine, Pixel coarse) const {
      return without(p, take(before, fine, coarse));
    }
    HOST_DEVICE Pixel without(Pixel p, Pixel taken) const {
      using namespace exact;
      constexpr float green_share = 1.0f - red_share - blue_share;
      const float y = product(luma, taken.r);
      const float red = product(chroma, taken.g), blue = product(chroma, taken.b);
      const float green =
          sum(product(red_share / green_share, red), product(blue_share / green_share, blue));
      return {difference(p.r, sum(y, red)), difference(p.g, difference(y, green)),
              difference(p.b, sum(y, blue)), p.a};
    }
  };

  /// For each level, its thresholds.
  static std::array<atrous::Shrink, atrous::max_levels> takes(const Params& p,
                                                              const Quantiles& found) {
    const auto gains = atrous::noise_gains();
    std::array<atrous::Shrink, atrous::max_levels> all{};
    for (int level = 0; level < atrous::max_levels; ++level) {
      all[level].softness = static_cast<float>(p.softness);
      for (int c = 0; c < 3; ++c) {
        const auto [low, high] = found.lists[c];
        if (!std::isfinite(low)) continue;  // no pixel counts
        const double noise = atrous::deviation_of_median(0.5 * (double{low} + double{high}));
        all[level].thresholds[c] =
            static_cast<float>(p.threshold * noise * gains[level] / gains[0]);
      }
    }
    return all;
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    const auto take = takes(p, state.here);
    const auto picture = [&] { return exec.temporary(); };
    auto fine = held(picture);
    exec.map(in, *fine, Split{});
    Held<decltype(picture)> taken;
    const int last = p.levels - 1;
    for (int level = 0; level < last; ++level) {
      auto coarse = held(picture), next = held(picture);
      if (taken)
        atrous_add_details(exec, *taken, *fine, *coarse, level, *next, take[level]);
      else
        atrous_details(exec, *fine, *coarse, level, *next, take[level]);
      fine = std::move(coarse), taken = std::move(next);
    }
    const auto coarse = held(picture);
    atrous_smooth(exec, *fine, *coarse, last);
    const Finish f{take[last], static_cast<float>(p.luma), static_cast<float>(p.chroma)};
    taken ? exec.map(std::tie(in, *taken, *fine, *coarse), out, f)
          : exec.map(std::tie(in, *fine, *coarse), out, f);
  }
};
static_assert(Filter<WaveletDenoise>);

}  // namespace cuda_filters
