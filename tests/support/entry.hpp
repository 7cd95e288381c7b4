// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/entry.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::test {

/// The row of a filter that only a test has, for the processor.
template <class F>
const FilterEntry& entry_of() {
  static const FilterEntry entry =
      make_entry<F>([](cpu::Exec& exec, const void* params, const cpu::Input& in,
                       const cpu::Input* aux, const cpu::Output& out,
                       const void* state) { apply_filter<F>(exec, params, in, aux, out, state); },
                    nullptr, nullptr, nullptr);
  return entry;
}

}  // namespace cuda_filters::test
