// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>

#include "gpu/core/param.hpp"

// How a number is entered, in the dialogs and where GIMP shows the properties of an operation.

namespace cuda_filters::plugin {

/// How many decimals are shown.
inline int decimals(const Param& param) { return param.kind == Kind::integer ? 0 : param.digits; }

/// A hundredth of the slider, rounded down to a power of ten, but something that its decimals show.
inline double small_step(const Param& param) {
  const double wished =
      std::pow(10.0, std::floor(std::log10(param.slider.max - param.slider.min)) - 2.0);
  return std::max(wished, std::pow(10.0, -decimals(param)));
}

/// A slider's position is the number's share of its range to the power of one over that: of
/// lengths, the small ones deserve the larger part of a long slider.
inline double slider_gamma(const Param& param) {
  return param.unit == Unit::pixels && param.slider.max >= 50.0 ? 2.0 : 1.0;
}

}  // namespace cuda_filters::plugin
