// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <atomic>
#include <utility>

namespace cuda_filters {

namespace detail {
inline thread_local std::atomic<double>* band_progress = nullptr;
}  // namespace detail

/// While it lives, what this thread tells by set_band_progress() goes there.
class BandProgress {
 public:
  explicit BandProgress(std::atomic<double>& to)
      : before_{std::exchange(detail::band_progress, &to)} {}
  BandProgress(const BandProgress&) = delete;
  ~BandProgress() { detail::band_progress = before_; }

 private:
  std::atomic<double>* before_;
};

/// Tells which part of the band that this thread computes is done, from 0 to 1. Algorithms of many
/// steps do so, as whoever follows the run sees nothing else until the band has ended.
inline void set_band_progress(double part) {
  if (detail::band_progress != nullptr)
    detail::band_progress->store(part, std::memory_order_relaxed);
}

}  // namespace cuda_filters
