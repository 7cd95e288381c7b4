// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_progress.hpp"

namespace cuda_filters {

void RunProgress::ask() {
  asked_ = Clock::now();
  tell_(fraction_);
}

void RunProgress::ask_now_and_then() {
  if (Clock::now() - asked_ > interval) ask();
}

void RunProgress::ask_at(std::int64_t rows) {
  fraction_ = static_cast<double>(rows) / static_cast<double>(rows_to_analyze_ + rows_to_compute_);
  ask();
}

}  // namespace cuda_filters
