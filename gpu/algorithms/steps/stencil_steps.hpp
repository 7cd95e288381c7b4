// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <utility>

#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// out = f(the 3 × 3 pixels around each), [row][column], so many times in a row, at least once:
/// each step sees what the one before it gave. It looks that many pixels far, and beyond the ends
/// of the image sees what all steps before give of its continuation there, which they go through,
/// too.
template <class Exec, class F>
void stencil_steps(Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out,
                   int count, const F& f) {
  using Temporary = decltype(exec.temporary());
  if (count == 1) return exec.stencil3(in, out, f);
  // There are two at a time; each one is smaller by a pixel than the one before.
  std::unique_ptr<Temporary> from{new Temporary{exec.temporary()}};
  exec.stencil3(in, *from, f);
  for (int i = 2; i < count; ++i) {
    std::unique_ptr<Temporary> to{new Temporary{exec.temporary()}};
    exec.stencil3(*from, *to, f);
    from = std::move(to);
  }
  exec.stencil3(*from, out, f);
}

}  // namespace cuda_filters
