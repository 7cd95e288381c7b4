// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <utility>

#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/core/held.hpp"

namespace cuda_filters::atrous {

/// Calls use(level, fine, coarse) for each of `levels` levels, the finest first: the level's
/// details are what the picture `coarse`, smoothed once more, has less than `fine`. `fine` is the
/// picture to begin with, and make() makes another one of its kind. Of the smoothed pictures, there
/// are two at a time.
template <class Exec, class Make, class Use>
void decompose(Exec& exec, Held<Make> fine, int levels, Make make, Use use) {
  for (int level = 0; level < levels; ++level) {
    auto coarse = held(make);
    atrous_smooth(exec, *fine, *coarse, level);
    use(level, *fine, *coarse);
    fine = std::move(coarse);
  }
}

}  // namespace cuda_filters::atrous
