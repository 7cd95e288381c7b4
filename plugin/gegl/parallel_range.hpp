// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>

#include <exception>
#include <mutex>

namespace cuda_filters::plugin {

/// Calls body(begin, end) for ranges that make up the numbers from 0 to before `count`, in threads
/// of GEGL; `thread_cost` is how many numbers take as long as another thread takes to begin. What a
/// body throws comes out here, the first of it: none may leave a thread of GEGL.
template <class Body>
void parallel_range(int count, double thread_cost, const Body& body) {
  struct Call {
    const Body& body;
    std::mutex mutex;
    std::exception_ptr error;
  } call{body, {}, {}};
  gegl_parallel_distribute_range(
      static_cast<gsize>(count), thread_cost,
      [](gsize first, gsize size, gpointer data) {
        auto& [range_body, mutex, error] = *static_cast<Call*>(data);
        try {
          range_body(static_cast<int>(first), static_cast<int>(first + size));
        } catch (...) {
          const std::lock_guard lock{mutex};
          if (error == nullptr) error = std::current_exception();
        }
      },
      &call);
  if (call.error != nullptr) std::rethrow_exception(call.error);
}

}  // namespace cuda_filters::plugin
