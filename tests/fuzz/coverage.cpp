// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Lets libFuzzer, which is clang's, see where code goes that GCC has compiled, by
// -fsanitize-coverage=trace-pc: clang 14 knows no _Float16 on most processors.
#include <cstddef>
#include <cstdint>

namespace {

/// libFuzzer looks at this section beside what clang counts.
constexpr std::size_t count = 1 << 16;
[[gnu::section("__libfuzzer_extra_counters"), gnu::used]] std::uint8_t counters[count];

}  // namespace

/// What GCC calls at the beginning of each basic block, in the place of libFuzzer's, which does
/// nothing: the linker calls it so.
extern "C" void __wrap___sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place ^ place >> 16) % count];
}

/// And these before comparisons of floats, of which libFuzzer knows nothing.
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}
