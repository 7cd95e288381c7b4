// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <any>
#include <cstddef>
#include <deque>

namespace cuda_filters {

/// What the primitives of a filter keep from one band of a run to the next: each call in a place of
/// its own, since every band makes the same calls in the same order.
class RunCache {
 public:
  /// What the primitive that was called as number `call` keeps; empty at first.
  std::any& slot(std::size_t call) {
    while (slots_.size() <= call) slots_.emplace_back();
    return slots_[call];
  }

 private:
  std::deque<std::any> slots_;
};

}  // namespace cuda_filters
