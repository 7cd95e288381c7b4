// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Alpha by how much of the key color stands out of the other two: a color difference key.
struct MatteDifference {
  enum class Key { blue, green, red };

  struct Params {
    Key key;
    double threshold;
    bool despill;
  };

  static constexpr FilterInfo info{
      .name = "matte-difference",
      .label = N_("_Key Out a Screen (CUDA)…"),
      .title = N_("Key Out a Screen"),
      .blurb = N_("Make the blue or green screen behind a subject transparent"),
      .help = N_("The more the key color of a pixel exceeds the larger of its other two, the more "
                 "transparent it becomes: pure blue on a blue screen vanishes, shadows on it stay "
                 "in part. A layer without an alpha channel gets one; layer masks and channels "
                 "have none and are refused."),
      .category = Category::mattes};

  static constexpr std::array keys{Choice{"blue", N_("Blue")}, Choice{"green", N_("Green")},
                                   Choice{"red", N_("Red")}};

  static constexpr std::array params{
      param<&Params::key>({.name = "key",
                           .label = N_("_Key color"),
                           .blurb = N_("The color of the screen"),
                           .choices = keys}),
      param<&Params::threshold>(
          {.name = "threshold",
           .label = N_("_Threshold"),
           .blurb = N_("Pixels with no more of the key color than this stay as opaque as they are"),
           .digits = 3}),
      param<&Params::despill>(
          {.name = "despill",
           .label = N_("Remove sp_ill"),
           .blurb = N_("Take away the tinge that the screen leaves on the subject's edges"),
           .initial = 1.0}),
  };

  static Plan plan(const Params&) {
    return {.trc = Trc::linear, .alpha = Alpha::channel, .adds_alpha = true};
  }

  struct Difference {
    Key key;
    float threshold;
    bool despill;
    template <class Color>
    HOST_DEVICE float operator()(Color& r, Color& g, Color& b, float a) const {
      if (key == Key::blue) return keyed_out(b, r, g, a);
      if (key == Key::green) return keyed_out(g, r, b, a);
      return keyed_out(r, g, b, a);
    }
    template <class Color>
    HOST_DEVICE float keyed_out(Color& k, const Color& one, const Color& other, float a) const {
      const Color m = one > other ? one : other;
      const float excess = k - m;
      if (k > threshold && excess > 0.0f) a *= 1.0f - excess;
      if (despill && m < k) k = m;
      return a;
    }
  };

  static auto function(const Params& p) {
    return PermuteColors{Difference{p.key, static_cast<float>(p.threshold), p.despill}};
  }
};
static_assert(Filter<MatteDifference>);

}  // namespace cuda_filters
