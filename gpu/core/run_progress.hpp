// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>

#include "gpu/core/report.hpp"

namespace cuda_filters {

/// Tells an observer how much of a run is done, in rows: those that passes of its analysis go
/// through and those that are computed. The answer may end the run: any call may throw Cancelled.
class RunProgress {
 public:
  /// The observer is asked at least as often.
  static constexpr std::chrono::milliseconds interval{100};

  RunProgress(const Progress& tell, std::int64_t rows_to_analyze, int rows_to_compute)
      : tell_{tell}, rows_to_analyze_{rows_to_analyze}, rows_to_compute_{rows_to_compute} {}

  /// The pass that is under way has done so many rows.
  void analyzed(int rows) { done(rows); }
  /// A pass of so many rows has ended.
  void end_pass(int rows) { ended_passes_ += rows; }
  /// There is no further pass.
  void end_analysis() { ended_passes_ = rows_to_analyze_; }
  /// Now it is known how many rows there are to be computed.
  void set_rows_to_compute(int rows) { rows_to_compute_ = rows; }
  void computed(int rows) { done(rows); }

  /// Asks again with the fraction that was told last.
  void ask() { ask_at(rows_); }
  /// Asks when so many rows more are done, of a band that is not.
  void ask_within_band(double rows) { ask_at(rows_ + rows); }
  /// Calls ask() if the last time was some time ago.
  void ask_now_and_then();

 private:
  using Clock = std::chrono::steady_clock;

  void done(int rows);
  void ask_at(double rows);

  const Progress& tell_;
  std::int64_t rows_to_analyze_;
  int rows_to_compute_;
  std::int64_t ended_passes_ = 0;  ///< rows of the passes before this one
  double rows_ = 0.0;              ///< of all passes that are done
  Clock::time_point asked_ = Clock::now();
};

}  // namespace cuda_filters
