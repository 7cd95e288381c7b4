// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/rank.hpp"

#include <cstdlib>

namespace cuda_filters::rank {

Window::Window(Shape wanted, int size) : shape{wanted}, radius{size}, reach(2 * size + 1, size) {
  for (int dx = -radius; dx <= radius; ++dx) {
    int& rows = reach[dx + radius];
    if (shape == Shape::diamond) rows = radius - std::abs(dx);
    // dx² + dy² <= (r + ½)², in whole numbers: the right side is r² + r + ¼.
    if (shape == Shape::circle)
      while (dx * dx + rows * rows > radius * radius + radius) --rows;
    count += 2 * rows + 1;
  }
  if (count == (2 * radius + 1) * (2 * radius + 1)) shape = Shape::square;
}

}  // namespace cuda_filters::rank
