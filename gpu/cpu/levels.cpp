// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/levels.hpp"

#include <vector>

// Made by meson from the option cpu_levels.
#include "built_levels.hpp"

// Which of the kernels this processor can run.

namespace cuda_filters::cpu {

#define DECLARE_LEVELS(Type, name) \
  extern const Type name##_baseline, name##_x86_64_v3, name##_x86_64_v4;
KERNEL_GROUPS(DECLARE_LEVELS)
#undef DECLARE_LEVELS

namespace {

#define OF_BASELINE(Type, name) &name##_baseline,
#define OF_V3(Type, name) &name##_x86_64_v3,
#define OF_V4(Type, name) &name##_x86_64_v4,

std::vector<Level> find_levels() {
  std::vector<Level> found{{"baseline", KERNEL_GROUPS(OF_BASELINE)}};
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  [[maybe_unused]] const bool v4 =
      v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
#ifdef LEVEL_x86_64_v3
  if (v3) found.push_back({"x86-64-v3", KERNEL_GROUPS(OF_V3)});
#endif
#ifdef LEVEL_x86_64_v4
  if (v4) found.push_back({"x86-64-v4", KERNEL_GROUPS(OF_V4)});
#endif
#endif
  return found;
}

#undef OF_BASELINE
#undef OF_V3
#undef OF_V4

}  // namespace

std::span<const Level> levels() {
  static const std::vector<Level> found = find_levels();
  return found;
}

#define DEFINE_BEST(Type, name)                      \
  const Type& name() {                               \
    static const Type& best = *levels().back().name; \
    return best;                                     \
  }
KERNEL_GROUPS(DEFINE_BEST)
#undef DEFINE_BEST

}  // namespace cuda_filters::cpu
