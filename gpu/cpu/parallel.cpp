// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/parallel.hpp"

#include <atomic>
#include <exception>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace cuda_filters::cpu {

int thread_count() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

void parallel_for(int count, const std::function<void(int)>& body) {
  std::exception_ptr problem;
  std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < count; ++i) {
    if (stopped.load(std::memory_order_relaxed)) continue;
    try {
      body(i);
    } catch (...) {
      if (!stopped.exchange(true)) problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace cuda_filters::cpu
