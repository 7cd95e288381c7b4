// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/limit_histogram.hpp"
#include "gpu/core/luminance.hpp"

namespace cuda_filters {

/// 1 where low ≤ channel ≤ high, else 0.
struct Threshold {
  enum class Channel { luminance, red, green, blue, alpha, value };

  struct Params {
    double low, high;
    Channel channel;
  };

  static constexpr FilterInfo info{
      .name = "threshold",
      .label = N_("_Threshold (CUDA)…"),
      .title = N_("Threshold"),
      .blurb = N_("Make white of what lies between two brightnesses, and black of the rest"),
      .help = N_("A pixel becomes white if its luminance, one of its channels, or its value lies "
                 "between the two limits, both included, and black otherwise. Luminance is .2126 "
                 "red, .7152 green and .0722 blue of the displayed values. Alpha stays as it is."),
      .category = Category::colors};

  static constexpr std::array channels{Choice{"luminance", N_("Luminance")},
                                       Choice{"red", N_("Red")},
                                       Choice{"green", N_("Green")},
                                       Choice{"blue", N_("Blue")},
                                       Choice{"alpha", N_("Alpha")},
                                       Choice{"value", N_("Value (the largest of the three)")}};

  static constexpr std::array params{
      param<&Params::low>({.name = "low",
                           .label = N_("Lo_w limit"),
                           .blurb = N_("The darkest that becomes white"),
                           .initial = 0.5,
                           .digits = 3,
                           .upper_limit = "high"}),
      param<&Params::high>({.name = "high",
                            .label = N_("Hi_gh limit"),
                            .blurb = N_("The brightest that becomes white"),
                            .initial = 1.0,
                            .digits = 3}),
      param<&Params::channel>({.name = "channel",
                               .label = N_("Ch_annel"),
                               .blurb = N_("Which values are compared with the limits"),
                               .choices = channels}),
  };

  static constexpr std::array presets{
      Preset{N_("Scanned text"), "low=0.6"},
      Preset{N_("Thin pencil lines"), "low=0.85"},
      Preset{N_("Star field"), "low=0.3"},
      Preset{N_("Opaque pixels"), "low=0.5 channel=alpha"},
  };

  static void check(const Params& p) {
    if (p.low > p.high)
      throw ArgumentError{
          format_text(tr(N_("The parameter 'low' is %g, but must be at most 'high', which is %g.")),
                      p.low, p.high)};
  }

  static const FilterEntry& limit_histogram() { return threshold_histogram_entry(); }

  static Plan plan(const Params&) { return {.trc = Trc::perceptual, .alpha = Alpha::passthrough}; }

  /// The value that is compared with the limits.
  struct Compared {
    Channel channel;
    HOST_DEVICE float operator()(Pixel p) const {
      // The usual one first.
      if (channel == Channel::luminance) [[likely]]
        return luminance(p);
      if (channel == Channel::value)
        return p.r > p.g ? (p.r > p.b ? p.r : p.b) : (p.g > p.b ? p.g : p.b);
      return channel == Channel::red     ? p.r
             : channel == Channel::green ? p.g
             : channel == Channel::blue  ? p.b
                                         : p.a;
    }
  };

  struct Decide {
    float low, high;
    Compared compared;
    HOST_DEVICE float operator()(Pixel p) const {
      const float c = compared(p);
      return c >= low && c <= high ? 1.0f : 0.0f;
    }
  };

  static auto function(const Params& p) {
    return ToGray{Decide{static_cast<float>(p.low), static_cast<float>(p.high), {p.channel}}};
  }
};
static_assert(Filter<Threshold>);

}  // namespace cuda_filters
