// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/resample/resample.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline constexpr Footprint resize{.cost = 15.0};
}  // namespace footprint

namespace cpu {
/// The whole image `in` in the size of the whole image `out`: resample.hpp.
void resize(Exec&, const Input& in, const Output& out, const resample::ResampleSettings& settings);
}  // namespace cpu

namespace cuda {
void resize(Exec&, const Input& in, const Output& out, const resample::ResampleSettings& settings);
}  // namespace cuda

namespace trace {
inline void resize(Exec& exec, Input in, Output out, const resample::ResampleSettings&) {
  exec.note(in, out, footprint::resize);
}
}  // namespace trace

}  // namespace cuda_filters
