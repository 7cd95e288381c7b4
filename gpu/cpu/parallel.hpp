// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>

namespace cuda_filters::cpu {

/// How many threads parallel_for() uses: one a core that this process may use.
int thread_count();
/// Changes it; 0 goes back to one a core.
void set_thread_count(int count);

/// Calls body(0) … body(count - 1), spread over the threads; the caller is one of them, and the
/// others sleep in between. What a body throws comes out here, the first of them, after the others
/// have ended. A call from inside of a body runs on its thread alone.
void parallel_for(int count, const std::function<void(int)>& body);

}  // namespace cuda_filters::cpu
