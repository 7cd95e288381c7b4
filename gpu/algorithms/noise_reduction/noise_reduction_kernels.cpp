// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/noise_reduction/noise_reduction_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

inline Vector size_of(Vector v) { return (Vector)((Integers)v & 0x7fffffff); }

/// One pixel of each tile, of one channel; `step` floats lie between two columns.
inline Vector smoothed(const float* above, const float* here, const float* below, int step) {
  const Vector center = at(here), twice = center + center;
  const Vector around[8]{at(above - step), at(above),        at(above + step), at(here - step),
                         at(here + step),  at(below - step), at(below),        at(below + step)};
  Vector limits[4];
  for (int axis = 0; axis < 4; ++axis)
    limits[axis] = size_of((twice - around[axis]) - around[7 - axis]);
  Vector sum = center;
  Integers count{};
  for (int direction = 0; direction < 8; ++direction) {
    const Vector both = around[direction] + center;
    Integers counts{};
    counts -= 1;
    for (int axis = 0; axis < 4; ++axis)
      counts &= size_of((both - around[axis]) - around[7 - axis]) <= limits[axis];
    sum = (Vector)((counts & (Integers)(sum + 0.5f * both)) | (~counts & (Integers)sum));
    count -= counts;
  }
  return sum / __builtin_convertvector(count + 1, Vector);
}

template <int channels>
void smooth_row(const float* above, float* here, const float* below, int columns, const int* ends) {
  Integers end;
  __builtin_memcpy(&end, ends, sizeof end);
  constexpr int step = channels * vector_lanes;
  for (int x = 1; x < columns; ++x) {
    above += step, here += step, below += step;
    for (int c = 0; c < channels; ++c) {
      const int i = c * vector_lanes;
      const Vector result = smoothed(above + i, here + i, below + i, step);
      at(here + i) = x < end ? result : at(here + i);
    }
  }
}

void smooth(int channels, const float* above, float* here, const float* below, int columns,
            const int* ends) {
  (channels == 1 ? smooth_row<1> : smooth_row<3>)(above, here, below, columns, ends);
}

}  // namespace

DEFINE_KERNELS(NoiseReductionKernels, noise_reduction_kernels){vector_lanes, smooth};

}  // namespace cuda_filters::cpu
