// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <functional>

#include "gpu/core/pixel.hpp"

namespace cuda_filters::cpu {

/// How many threads parallel_for() uses: one a core that this process may use.
int thread_count();
/// Changes it; 0 goes back to one a core.
void set_thread_count(int count);

/// Calls body(0) … body(count - 1), spread over the threads; the caller is one of them, and the
/// others sleep in between. What a body throws comes out here, the first of them, after the others
/// have ended. A call from inside of a body runs on its thread alone. Where the system starts no
/// threads, the caller does the work. Throws Cancelled between two calls if the run is cancelled; a
/// body that takes longer has cancellation points of its own.
void parallel_for(int count, const std::function<void(int)>& body);

/// Calls f(piece) for pieces of `area` of up to width × height pixels, spread over the threads.
template <class F>
void for_tiles(Rect area, int width, int height, F f) {
  const int across = (area.width + width - 1) / width;
  const int down = (area.height + height - 1) / height;
  parallel_for(across * down, [&](int i) {
    const int x = area.x + i % across * width, y = area.y + i / across * height;
    f(Rect{x, y, std::min(width, area.right() - x), std::min(height, area.bottom() - y)});
  });
}

}  // namespace cuda_filters::cpu
