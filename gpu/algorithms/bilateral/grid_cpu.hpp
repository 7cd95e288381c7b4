// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/bilateral/bilateral.hpp"
#include "gpu/algorithms/bilateral/bilateral_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

/// Channel `channel` of a pixel of a picture with one or three colors: after them comes alpha.
inline float value_of(const Pixel& p, int colors, int channel) {
  return channel == colors ? p.a : channel == 0 ? p.r : channel == 1 ? p.g : p.b;
}

/// The part of bilateral_blur() that goes by a grid. `row`: how sums over discs are computed, but
/// for the places; `guide_planes`: how many planes they have of the guide.
void blur_by_grid(Exec& exec, const Input& in, const Input* guide, const Output& out,
                  const bilateral::BilateralSettings& settings, BilateralRow row, int guide_planes);

}  // namespace cuda_filters::cpu
