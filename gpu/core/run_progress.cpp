// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_progress.hpp"

namespace cuda_filters {

void RunProgress::ask_now_and_then() {
  if (Clock::now() - asked_ > interval) ask();
}

void RunProgress::done(int rows) {
  rows_ = static_cast<double>(ended_passes_ + rows);
  ask();
}

void RunProgress::ask_at(double rows) {
  asked_ = Clock::now();
  tell_(rows == 0.0 ? 0.0 : rows / static_cast<double>(rows_to_analyze_ + rows_to_compute_));
}

}  // namespace cuda_filters
