// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// 1 − alpha; colors stay.
struct MatteInvert {
  struct Params {};

  static constexpr FilterInfo info{
      .name = "matte-invert",
      .label = N_("In_vert Transparency (CUDA)"),
      .title = N_("Invert Transparency"),
      .blurb = N_("Make what is opaque transparent, and what is transparent opaque"),
      .help = N_("Alpha becomes 1 minus itself. The colors stay, also where they can no longer be "
                 "seen: doing it twice brings everything back. A layer without an alpha channel "
                 "gets one, and so all of it that is selected becomes transparent; layer masks "
                 "and channels have none and are refused."),
      .category = Category::mattes};

  static constexpr std::array<Param, 0> params{};

  static Plan plan(const Params&) {
    return {.trc = Trc::native, .alpha = Alpha::channel, .adds_alpha = true};
  }

  struct Complement {
    HOST_DEVICE float operator()(float alpha) const { return 1.0f - alpha; }
  };

  static auto function(const Params&) { return AlphaOnly{Complement{}}; }
};
static_assert(Filter<MatteInvert>);

}  // namespace cuda_filters
