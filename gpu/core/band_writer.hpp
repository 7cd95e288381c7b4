// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/band_plan.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// Finds a place for the results of bands, and hands them to the sink.
class BandWriter {
 public:
  /// `sink` may be null if there are no results.
  BandWriter(Backend& backend, Sink* sink, const Encoding& encoding, double& seconds)
      : backend_{backend}, sink_{sink}, encoding_{encoding}, seconds_{seconds} {}

  const Encoding& encoding() const { return encoding_; }
  /// Where the results of `region` go, by bands of `area`: into the sink's memory if they can be
  /// put there, else into memory from which they are written.
  void begin(const BandPlan& plan, Rect region, Rect area);
  /// Whether they go to the host.
  bool goes_to_host() const { return sink_view_ == nullptr || sink_view_->on_host; }
  /// Gives a band the place for its result.
  void place(Band& band);
  /// Writes the result of a band that has ended, if it is not where the sink has it.
  void write(const Band& band);

 private:
  Backend& backend_;
  Sink* sink_;
  Encoding encoding_;
  double& seconds_;                       ///< that it took, added up
  const PixelView* sink_view_ = nullptr;  ///< where the sink has its pixels, if they go there
  std::size_t row_bytes_ = 0;             ///< of the result
  std::vector<std::shared_ptr<std::byte[]>> results_;
  std::size_t turn_ = 0;  ///< of the results
};

}  // namespace cuda_filters
