// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// How often each of evenly spaced numbers from 0 to 1 occurs; others count for the nearest one.
using Histogram = std::array<std::uint64_t, 128>;

/// The histograms of a drawable's channels, of the numbers as they are stored and of the pixels of
/// which statistics() tells.
std::vector<Histogram> histograms(Drawable& drawable);

}  // namespace cuda_filters::plugin
