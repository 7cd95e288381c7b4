// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/statistics/measuring.hpp"

#include <algorithm>
#include <cmath>

namespace cuda_filters {

Measured measured(const Measuring& found, const Format& format) {
  Measured measured;
  const auto& channels = found.statistics.here.channels;
  for (int i = 0; i < format.channels(); ++i) {
    const int c = i < format.colors() ? i : 3;
    ChannelMeasures measures;
    if (const ChannelStatistics& of = channels[c]; of.count > 0) {
      const double n = static_cast<double>(of.count), mean = of.mean();
      const Quantile& median = found.medians.here.lists[c];
      measures = {.min = of.min,
                  .max = of.max,
                  .mean = mean,
                  .standard_deviation =
                      of.varies() ? std::sqrt(std::max(0.0, of.squares / n - mean * mean)) : 0.0,
                  .median = (double{median.low} + median.high) / 2.0};
    }
    measured.channels.push_back(measures);
  }
  measured.count = channels[3].count;
  return measured;
}

}  // namespace cuda_filters
