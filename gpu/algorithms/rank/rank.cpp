// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/rank/rank.hpp"

namespace cuda_filters::rank {

Window::Window(Shape wanted, int size)
    : shape{simplest(wanted, size)}, radius{size}, reach(2 * size + 1) {
  for (int dx = -radius; dx <= radius; ++dx) {
    reach[dx + radius] = reach_of(shape, radius, dx);
    count += 2 * reach[dx + radius] + 1;
  }
}

}  // namespace cuda_filters::rank
