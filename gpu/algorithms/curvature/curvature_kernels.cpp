// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/curvature/curvature_kernels.hpp"

#include "gpu/algorithms/curvature/mean_curvature.hpp"
#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

constexpr int half_lanes = vector_lanes / 2;
typedef double Doubles __attribute__((vector_size(half_lanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(half_lanes * sizeof(float))));
typedef Floats StoredFloats __attribute__((aligned(4), may_alias));

void step(const float* const (&rows)[3], int count, float* to) {
  const auto widen = [](Floats values) { return __builtin_convertvector(values, Doubles); };
  const float* const row[3] = {rows[0], rows[1], rows[2]};  // which no store changes
  for (int i = 0; i < 4 * count; i += half_lanes) {
    const auto at = [&](int y, int x) -> Floats {
      return *reinterpret_cast<const StoredFloats*>(row[y] + i + 4 * x);
    };
    const Floats around[3][3] = {{at(0, 0), at(0, 1), at(0, 2)},
                                 {at(1, 0), at(1, 1), at(1, 2)},
                                 {at(2, 0), at(2, 1), at(2, 2)}};
    *reinterpret_cast<StoredFloats*>(to + i) =
        __builtin_convertvector(mean_curvature::moved<Doubles>(around, widen), Floats);
  }
  for (int i = 3; i < 4 * count; i += 4) to[i] = row[1][i + 4];
}

}  // namespace

DEFINE_KERNELS(CurvatureKernels, curvature_kernels){step};

}  // namespace cuda_filters::cpu
