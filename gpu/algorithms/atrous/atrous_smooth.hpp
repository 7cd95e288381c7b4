// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <tuple>

#include "gpu/algorithms/atrous/atrous.hpp"
#include "gpu/algorithms/atrous/noise.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint atrous_smooth(int level) {
  return {{atrous::halo(level), atrous::halo(level)}, 10.0, true};
}
}  // namespace footprint

namespace cpu {
class Temporary;
/// The sum of 5 × 5 pixels that lie 2^level apart, by the B-spline's weights along both axes.
void atrous_smooth(Exec&, const Input& in, const Output& out, int level);
void atrous_smooth(Exec&, const Channel& in, const Channel& out, int level);
/// Smooths `fine` to `coarse`, and out = f(fine, coarse), pixel by pixel: for the functions of
/// noise.hpp.
template <class F>
void atrous_details(Exec&, const Temporary& fine, const Temporary& coarse, int level,
                    const Temporary& out, const F& f);
/// The same where nobody asks for `coarse`.
template <class F>
void atrous_details(Exec&, const Temporary& fine, int level, const Temporary& out, const F& f);
/// As atrous_details(), with out = f(before, fine, coarse).
template <class F>
void atrous_add_details(Exec&, const Temporary& before, const Temporary& fine,
                        const Temporary& coarse, int level, const Temporary& out, const F& f);
}  // namespace cpu

namespace cuda {
class Temporary;
void atrous_smooth(Exec&, const Input& in, const Output& out, int level);
void atrous_smooth(Exec&, const Channel& in, const Channel& out, int level);
template <class F>
void atrous_details(Exec&, const Temporary& fine, const Temporary& coarse, int level,
                    const Temporary& out, const F& f);
template <class F>
void atrous_details(Exec&, const Temporary& fine, int level, const Temporary& out, const F& f);
template <class F>
void atrous_add_details(Exec&, const Temporary& before, const Temporary& fine,
                        const Temporary& coarse, int level, const Temporary& out, const F& f);
}  // namespace cuda

namespace trace {
inline void atrous_smooth(Exec& exec, Input in, Output out, int level) {
  exec.note(in, out, footprint::atrous_smooth(level));
}
inline void atrous_smooth(Exec& exec, const Channel& in, const Channel& out, int level) {
  exec.note(in, out, footprint::atrous_smooth(level));
}
template <class F>
void atrous_details(Exec& exec, const Temporary& fine, const Temporary& coarse, int level,
                    const Temporary& out, const F& f) {
  atrous_smooth(exec, fine, coarse, level);
  exec.map(std::tie(fine, coarse), out, f);
}
template <class F>
void atrous_details(Exec& exec, const Temporary& fine, int level, const Temporary& out, const F&) {
  atrous_smooth(exec, fine, out, level);
}
template <class F>
void atrous_add_details(Exec& exec, const Temporary& before, const Temporary& fine,
                        const Temporary& coarse, int level, const Temporary& out, const F& f) {
  atrous_smooth(exec, fine, coarse, level);
  exec.map(std::tie(before, fine, coarse), out, f);
}
}  // namespace trace

}  // namespace cuda_filters
