// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/pyramid/pyramid.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
// A column of a packed gray picture would not begin at a pixel of every level: not by_channel.
inline constexpr Footprint downsample{.halo = {pyramid::reduce_reach, pyramid::reduce_reach},
                                      .cost = 5.0};
inline constexpr Footprint upsample{.halo = {pyramid::expand_reach, pyramid::expand_reach},
                                    .cost = 5.0};
}  // namespace footprint

namespace cpu {
/// REDUCE and EXPAND of a pyramid: pyramid.hpp. `out` of downsample() is temporary, of the level
/// above that of `in`; `in` of upsample() is, of the level above that of `out`.
void downsample(Exec&, const Input& in, const Output& out);
void downsample(Exec&, const Channel& in, const Channel& out);
void upsample(Exec&, const Input& in, const Output& out);
void upsample(Exec&, const Channel& in, const Channel& out);
}  // namespace cpu

namespace cuda {
void downsample(Exec&, const Input& in, const Output& out);
void downsample(Exec&, const Channel& in, const Channel& out);
void upsample(Exec&, const Input& in, const Output& out);
void upsample(Exec&, const Channel& in, const Channel& out);
}  // namespace cuda

namespace trace {
inline void downsample(Exec& exec, Input in, Output out) {
  exec.note(in, out, footprint::downsample, 1);
}
inline void downsample(Exec& exec, const Channel& in, const Channel& out) {
  exec.note(in, out, footprint::downsample, 1);
}
inline void upsample(Exec& exec, Input in, Output out) {
  exec.note(in, out, footprint::upsample, -1);
}
inline void upsample(Exec& exec, const Channel& in, const Channel& out) {
  exec.note(in, out, footprint::upsample, -1);
}
}  // namespace trace

}  // namespace cuda_filters
