// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "gpu/core/limit_histogram.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Counts the values of a drawable that two limits are chosen by, a part at a time, so that a
/// dialog goes on meanwhile. Of a large drawable it takes evenly spaced parts.
class LimitCounter {
 public:
  /// `drawable` outlives this.
  explicit LimitCounter(Drawable& drawable);
  /// Begins anew for other parameters. Throws ArgumentError if they are out of range.
  void begin(const FilterEntry& filter, const Values& values);
  /// Counts one part more, in some milliseconds; whether that was the last one. Throws Error.
  bool count_part();
  /// What was counted since begin().
  const LimitCounts& counts() const { return counts_; }

 private:
  const Babl* stored_;
  Buffer buffer_;
  Selection selection_;
  std::vector<Rect> areas_;
  std::optional<Job> analysis_{};
  LimitCounts counts_{};
  std::size_t next_ = 0;
};

}  // namespace cuda_filters::plugin
