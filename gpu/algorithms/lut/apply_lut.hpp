// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/algorithms/lut/lut.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

/// A table, how it is interpolated, and how much of its colors the result has. A null table is that
/// of the same colors.
struct LutUse {
  std::shared_ptr<const lut::Lut> table;
  lut::Interpolation interpolation;
  float amount;
};

namespace footprint {
inline constexpr Footprint apply_lut{.cost = 10.0};
}  // namespace footprint

namespace cpu {
/// Every color becomes what the table says of it, or a mixture of both; alpha stays. Gray pictures
/// become the luma of what the table says. Colors beyond the table's domain are those at its ends.
void apply_lut(Exec&, const Input& in, const Output& out, const LutUse& use);
}  // namespace cpu

namespace cuda {
void apply_lut(Exec&, const Input& in, const Output& out, const LutUse& use);
}  // namespace cuda

namespace trace {
inline void apply_lut(Exec& exec, Input in, Output out, const LutUse&) {
  exec.note(in, out, footprint::apply_lut);
}
}  // namespace trace

}  // namespace cuda_filters
