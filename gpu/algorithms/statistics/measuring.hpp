// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/algorithms/statistics/statistics.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"

namespace cuda_filters {

/// What a channel's finite numbers are like; all 0 if there are none. The standard deviation is
/// that of all numbers (divided by n), and the median of an even number is the mean of the two in
/// the middle.
struct ChannelMeasures {
  double min = 0.0, max = 0.0, mean = 0.0, standard_deviation = 0.0, median = 0.0;
};

/// Of red, green, blue and alpha, or gray and alpha, as far as they are there; of the numbers as
/// they are stored, 1 being the largest code. `count`: the pixels that are selected and not fully
/// transparent.
struct Measured {
  std::vector<ChannelMeasures> channels;
  std::uint64_t count = 0;
};

/// The state of the analysis behind it.
struct Measuring {
  StatisticsState statistics;
  QuantileState medians;
};
Measured measured(const Measuring& found, const Format& format);

/// The analysis: a row like those of the registry, but not in it.
const FilterEntry& measure_entry();

}  // namespace cuda_filters
