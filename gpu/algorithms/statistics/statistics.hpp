// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <memory>

#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// What is known of one channel of a picture: of its finite samples.
struct ChannelStatistics {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  double sum = 0.0, squares = 0.0;  ///< of the samples, and of their squares
  std::uint64_t count = 0;

  HOST_DEVICE constexpr void merge(const ChannelStatistics& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    sum += other.sum, squares += other.squares, count += other.count;
  }
  /// 0 if there is no sample.
  HOST_DEVICE constexpr double mean() const {
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
  }
  /// False also if there is no sample.
  HOST_DEVICE constexpr bool varies() const { return max > min; }
};

/// Of the pixels that are selected and not fully transparent; red, green, blue, alpha.
struct Statistics {
  ChannelStatistics channels[4];

  HOST_DEVICE constexpr void merge(const Statistics& other) {
    for (int c = 0; c < 4; ++c) channels[c].merge(other.channels[c]);
  }
};

/// What is gathered: of the colors all but the squares, or everything.
enum class Detail { colors, all };

/// The state of a filter that goes by the statistics of its region: collect_statistics()
/// adds to it and map_with_statistics() reads it, each where it computes.
struct StatisticsState {
  Statistics here;
  std::shared_ptr<void> on_device;  ///< of a GPU's executor, if it gathered them
};

}  // namespace cuda_filters
