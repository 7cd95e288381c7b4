// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/algorithms/pixel_math/program.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

/// A formula's program. A null one changes nothing.
using SharedProgram = std::shared_ptr<const pixel_math::Program>;

namespace footprint {
inline Footprint evaluate_formula(const pixel_math::Program& program) {
  const double looks = program.reads_neighbors || program.reads_second ? 10.0 : 0.0;
  return {.halo = program.halo,
          .cost = 5.0 + looks + 0.5 * static_cast<double>(program.instructions.size())};
}
}  // namespace footprint

namespace cpu {
/// The result of a formula for each pixel, whose alpha is a channel. `second`: what aux is; null:
/// `in` itself. A gray picture becomes the luminance of what the formula makes of three equal
/// colors.
void evaluate_formula(Exec&, const Input& in, const Input* second, const Output& out,
                      const SharedProgram& program);
}  // namespace cpu

namespace cuda {
void evaluate_formula(Exec&, const Input& in, const Input* second, const Output& out,
                      const SharedProgram& program);
}  // namespace cuda

namespace trace {
inline void evaluate_formula(Exec& exec, Input in, const Input* second, Output out,
                             const SharedProgram& program) {
  if (program == nullptr) return exec.note(in, out, footprint::map);
  exec.note(in, out, footprint::evaluate_formula(*program));
  if (program->reads_second)
    exec.note(second != nullptr ? *second : in, out, {program->second_halo, 0.0});
}
}  // namespace trace

}  // namespace cuda_filters
