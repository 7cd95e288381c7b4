// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>

namespace cuda_filters {

/// Adds the seconds for which it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_{sum} {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace cuda_filters
