// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Stretches the values from `low` to `high` over black to white, where of n values in order `low`
/// has the rank floor(low-fraction · n) and `high` the rank n - 1 - floor(high-fraction · n). The
/// values are luminances, those of each color, or those of all colors together, exactly as they
/// are; luminances of 8-bit pictures are rounded to 256 steps first.
struct Autocontrast {
  enum class Mode { luminance, channels, joint };

  struct Params {
    double low_fraction, high_fraction;
    Mode mode;
  };

  static constexpr FilterInfo info{
      .name = "autocontrast",
      .label = N_("_Autocontrast (CUDA)…"),
      .title = N_("Autocontrast"),
      .blurb = N_("Use the whole range from black to white, whatever a few pixels do"),
      .help = N_("The chosen fractions of the selected pixels become black and white, and all "
                 "others are stretched between them. Which pixels are dark or bright is decided by "
                 "their luminance, .2125 red, .7154 green and .0721 blue of the displayed values, "
                 "for red, green and blue each by itself, which removes casts, or for the values "
                 "of all three together. Fully transparent pixels are not looked at. Alpha stays "
                 "as it is."),
      .category = Category::colors};

  static constexpr std::array modes{Choice{"luminance", N_("Luminance")},
                                    Choice{"channels", N_("Each channel by itself")},
                                    Choice{"joint", N_("All channels together")}};

  static constexpr std::array params{
      param<&Params::low_fraction>({.name = "low-fraction",
                                    .label = N_("_Black fraction"),
                                    .blurb = N_("How much of the picture becomes black"),
                                    .range = {0.0, 0.4},
                                    .slider = {0.0, 0.1},
                                    .digits = 4}),
      param<&Params::high_fraction>({.name = "high-fraction",
                                     .label = N_("_White fraction"),
                                     .blurb = N_("How much of the picture becomes white"),
                                     .range = {0.0, 0.4},
                                     .slider = {0.0, 0.1},
                                     .digits = 4}),
      param<&Params::mode>({.name = "mode",
                            .label = N_("_Decided by"),
                            .blurb = N_("Which values tell how dark or bright a pixel is"),
                            .choices = modes}),
  };

  static constexpr std::array presets{
      Preset{N_("Photo"), "low-fraction=0.002 high-fraction=0.002"},
      Preset{N_("Scanned text"), "low-fraction=0.02 high-fraction=0.1"},
      Preset{N_("Star field"), "low-fraction=0.3 high-fraction=0.0005"},
      Preset{N_("Faded colors"), "low-fraction=0.005 high-fraction=0.005 mode=channels"},
  };

  static Wanted wanted(const Params& p) {
    constexpr Lists lists[] = {Lists::luminance, Lists::colors, Lists::joint};
    return {lists[static_cast<int>(p.mode)], p.low_fraction, p.high_fraction};
  }

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .analysis = AnalysisScope::region,
            .passes = pass_count(wanted(p), false)};
  }

  using State = QuantileState;

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    collect_quantiles(exec, in, area, state, wanted(p));
  }
  static bool finish(const Params&, State& state) { return state.next(); }

  struct Stretch {
    float low[3], range[3];
    bool varies[3];
    HOST_DEVICE float operator()(float value, int c) const {
      if (!varies[c]) return value;
      const float stretched = (value - low[c]) / range[c];
      return stretched < 0.0f ? 0.0f : stretched > 1.0f ? 1.0f : stretched;
    }
  };

  /// Where all values are the same, they stay as they are.
  struct FromQuantiles {
    bool each;  ///< a list for each color
    HOST_DEVICE PerColor<Stretch> operator()(const Quantiles& quantiles) const {
      Stretch f{};
      for (int c = 0; c < 3; ++c) {
        const Quantile& of = quantiles.lists[each ? c : 0];
        f.low[c] = of.low, f.range[c] = of.high - of.low, f.varies[c] = of.varies();
      }
      return {f};
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out, const State& state) {
    exec.map_with_statistics(in, out, state, FromQuantiles{p.mode == Mode::channels});
  }
};
static_assert(Filter<Autocontrast>);

}  // namespace cuda_filters
