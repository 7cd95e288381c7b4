// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/entry.hpp"
#include "gpu/cpu/exec.hpp"
#include "gpu/cpu/instances.hpp"

namespace cuda_filters::test {

/// The row of a filter that only a test has, which the processor gets to know.
template <class F>
const FilterEntry& entry_of() {
  static const FilterOf<F> entry;
  [[maybe_unused]] static const bool known = (cpu::instances().add<F>(), true);
  return entry;
}

}  // namespace cuda_filters::test
