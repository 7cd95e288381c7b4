// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <tuple>
#include <utility>

#include "gpu/algorithms/atrous/decompose.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// The parameter of a gain of details.
template <auto member>
consteval Param detail_gain_param(const char* name, const char* label, const char* blurb) {
  return param<member>({.name = name,
                        .label = label,
                        .blurb = blurb,
                        .range = {0.0, 10.0},
                        .slider = {0.0, 4.0},
                        .initial = 1.0});
}

/// Gains for the details of each size, by the wavelet transform à trous with the cubic B-spline
/// (Holschneider et al. 1989; Starck and Murtagh 1994), of encoded values: with s₀ the picture and
/// sⱼ the picture smoothed j times, the result is residual · s₆ + Σ gainⱼ · (sⱼ₋₁ - sⱼ).
struct WaveletEqualizer {
  enum class Channel { luma, color };
  static constexpr int levels = 6;

  struct Params {
    double gain_1, gain_2, gain_3, gain_4, gain_5, gain_6, residual;
    Channel channel;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "wavelet-equalizer",
      .label = N_("_Wavelet Equalizer (CUDA)…"),
      .title = N_("Wavelet Equalizer"),
      .blurb = N_("Make details of each size stronger or weaker"),
      .help = N_("The picture is split into details of six sizes, each twice the one before, and "
                 "what remains without them. All are multiplied by numbers of their own and added "
                 "up again. The transform was described by Holschneider, Kronland-Martinet, Morlet "
                 "and Tchamitchian, 1989, and with this wavelet by Starck and Murtagh, 1994."),
      .category = Category::enhance};

  static constexpr std::array channels{Choice{"luma", N_("Brightness alone")},
                                       Choice{"color", N_("All colors")}};

  static constexpr std::array params{
      detail_gain_param<&Params::gain_1>("gain-1", N_("Details of _1 pixel"),
                                         N_("What the finest details are multiplied by")),
      detail_gain_param<&Params::gain_2>("gain-2", N_("Details of _2 pixels"),
                                         N_("What details of about 2 pixels are multiplied by")),
      detail_gain_param<&Params::gain_3>("gain-3", N_("Details of _4 pixels"),
                                         N_("What details of about 4 pixels are multiplied by")),
      detail_gain_param<&Params::gain_4>("gain-4", N_("Details of _8 pixels"),
                                         N_("What details of about 8 pixels are multiplied by")),
      detail_gain_param<&Params::gain_5>("gain-5", N_("Details of 1_6 pixels"),
                                         N_("What details of about 16 pixels are multiplied by")),
      detail_gain_param<&Params::gain_6>("gain-6", N_("Details of _32 pixels"),
                                         N_("What details of about 32 pixels are multiplied by")),
      param<&Params::residual>({.name = "residual",
                                .label = N_("Remain_der"),
                                .blurb = N_("What remains without details is multiplied by this"),
                                .range = {0.0, 2.0},
                                .initial = 1.0}),
      param<&Params::channel>({.name = "channel",
                               .label = N_("_Apply to"),
                               .blurb = N_("Whether the colors' own details change, too"),
                               .initial = 1.0,
                               .choices = channels}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Sharpen"), "gain-1=1.5 gain-2=1.7 gain-3=1.2 channel=luma"},
      Preset{N_("Clarity"), "gain-4=1.4 gain-5=1.6 gain-6=1.6 channel=luma"},
      Preset{N_("Smooth skin"), "gain-2=0.7 gain-3=0.4 gain-4=0.5"},
      Preset{N_("Details alone"), "gain-1=2 gain-2=2 gain-3=2 residual=0.5"},
  };

  /// By how much more than 1 each level is multiplied, and what remains.
  struct Excess {
    std::array<float, levels> details;
    float residual;

    explicit Excess(const Params& p) : residual{static_cast<float>(p.residual - 1.0)} {
      const double gains[] = {p.gain_1, p.gain_2, p.gain_3, p.gain_4, p.gain_5, p.gain_6};
      for (int k = 0; k < levels; ++k) details[k] = static_cast<float>(gains[k] - 1.0);
    }
    /// How many levels must be known: those below all change nothing.
    int needed() const {
      if (residual != 0.0f) return levels;
      int count = levels;
      while (count > 0 && details[count - 1] == 0.0f) --count;
      return count;
    }
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .border = p.border,
            .identity = Excess{p}.needed() == 0};
  }

  struct Luma {
    HOST_DEVICE float operator()(Pixel p) const { return exact::luminance(p.r, p.g, p.b); }
  };

  /// What a level adds to all colors alike: its details, and what remains below it, times these.
  struct Add {
    static constexpr bool by_channel = true;
    float details, residual;

    HOST_DEVICE float operator()(float before, float fine, float coarse) const {
      using namespace exact;
      return sum(before, (*this)(fine, coarse));
    }
    HOST_DEVICE float operator()(float fine, float coarse) const {
      using namespace exact;
      const float of_details = product(details, difference(fine, coarse));
      return residual == 0.0f ? of_details : sum(of_details, product(residual, coarse));
    }
    /// The same of each color.
    HOST_DEVICE Pixel operator()(Pixel before, Pixel fine, Pixel coarse) const {
      return {(*this)(before.r, fine.r, coarse.r), (*this)(before.g, fine.g, coarse.g),
              (*this)(before.b, fine.b, coarse.b), before.a};
    }
    /// By what the brightness changes at the end, all colors change.
    HOST_DEVICE Pixel operator()(Pixel p, float before, float fine, float coarse) const {
      return shifted(p, (*this)(before, fine, coarse));
    }
    HOST_DEVICE Pixel operator()(Pixel p, float fine, float coarse) const {
      return shifted(p, (*this)(fine, coarse));
    }
    HOST_DEVICE static Pixel shifted(Pixel p, float by) {
      using exact::sum;
      return {sum(p.r, by), sum(p.g, by), sum(p.b, by), p.a};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const Excess excess{p};
    const int needed = excess.needed();
    if (needed == 0) return exec.map(in, out, SamePixel{});
    const auto f = [&](int level) {
      return Add{excess.details[level], level == needed - 1 ? excess.residual : 0.0f};
    };
    const auto nothing = [&](int level) {
      return level < needed - 1 && excess.details[level] == 0.0f;
    };
    const auto picture = [&] { return exec.temporary(); };
    const auto channel = [&] { return exec.temporary_channel(); };
    if (p.channel == Channel::color) {
      auto fine = held(picture);
      exec.map(in, *fine, SamePixel{});
      Held<decltype(picture)> sum;
      atrous::decompose(exec, std::move(fine), needed, picture,
                        [&](int level, const auto& finer, const auto& coarse) {
                          if (nothing(level)) return;
                          const auto add_to = [&](const auto& to) {
                            if (sum)
                              exec.map(std::tie(*sum, finer, coarse), to, f(level));
                            else
                              exec.map(std::tie(in, finer, coarse), to, f(level));
                          };
                          if (level == needed - 1) return add_to(out);
                          auto next = held(picture);
                          add_to(*next);
                          sum = std::move(next);
                        });
      return;
    }
    auto fine = held(channel);
    exec.map(in, *fine, Luma{});
    Held<decltype(channel)> sum;
    atrous::decompose(exec, std::move(fine), needed, channel,
                      [&](int level, const auto& finer, const auto& coarse) {
                        if (nothing(level)) return;
                        if (level == needed - 1)
                          return sum ? exec.map(std::tie(in, *sum, finer, coarse), out, f(level))
                                     : exec.map(std::tie(in, finer, coarse), out, f(level));
                        auto next = held(channel);
                        if (sum)
                          exec.map(std::tie(*sum, finer, coarse), *next, f(level));
                        else
                          exec.map(std::tie(finer, coarse), *next, f(level));
                        sum = std::move(next);
                      });
  }
};
static_assert(Filter<WaveletEqualizer>);

}  // namespace cuda_filters
