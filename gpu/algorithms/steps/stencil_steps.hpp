// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <utility>

#include "gpu/core/held.hpp"
#include "gpu/core/trace.hpp"

namespace cuda_filters {
namespace footprint {
/// Of one step, whose function says what it costs.
template <class F>
inline constexpr Footprint stencil_step{
    .halo = {1, 1}, .cost = F::cost, .by_channel = F::by_channel};
}  // namespace footprint

namespace steps {
/// By the executor's own apply_stencil() for the function, if there is one.
template <class Exec, class F>
void step(Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out,
          const F& f) {
  if constexpr (requires { apply_stencil(exec, in, out, f); })
    apply_stencil(exec, in, out, f);
  else
    exec.stencil3(in, out, f);
}
template <class F>
void step(trace::Exec& exec, const trace::Input& in, const trace::Output& out, const F&) {
  exec.note(in, out, footprint::stencil_step<F>);
}
}  // namespace steps

/// out = f(the 3 × 3 pixels around each), [row][column], so many times in a row, at least once:
/// each step sees what the one before it gave. It looks that many pixels far, and beyond the ends
/// of the image sees what all steps before give of its continuation there, which they go through,
/// too. The function says what a step costs, F::cost, as Plan::cost, and whether it is
/// F::by_channel.
template <class Exec, class F>
void stencil_steps(Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out,
                   int count, const F& f) {
  if (count == 1) return steps::step(exec, in, out, f);
  const auto picture = [&] { return exec.temporary(); };
  // There are two at a time; each one is smaller by a pixel than the one before.
  auto from = held(picture);
  steps::step(exec, in, *from, f);
  for (int i = 2; i < count; ++i) {
    auto to = held(picture);
    steps::step(exec, *from, *to, f);
    from = std::move(to);
  }
  steps::step(exec, *from, out, f);
}

}  // namespace cuda_filters
