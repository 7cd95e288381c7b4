// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>

namespace cuda_filters::cpu {

/// How many threads parallel_for() uses: all cores, or what OMP_NUM_THREADS says.
int thread_count();

/// Calls body(0) … body(count - 1), spread over the threads. What a body throws comes out here,
/// the first of them, after the others have ended.
void parallel_for(int count, const std::function<void(int)>& body);

}  // namespace cuda_filters::cpu
