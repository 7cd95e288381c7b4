// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/surface/surface_kernels.hpp"

#include <algorithm>

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

constexpr int codes = 256;

constexpr int double_lanes = vector_lanes / 2;
typedef double Doubles
    __attribute__((vector_size(double_lanes * sizeof(double)), aligned(4), may_alias));

inline double total(Doubles v) {
  double sum = 0.0;
  for (int i = 0; i < double_lanes; ++i) sum += v[i];
  return sum;
}

inline const Doubles& doubles_at(const double* p) { return *reinterpret_cast<const Doubles*>(p); }

/// As many counts as a vector has doubles.
template <class Count>
inline Doubles counts_at(const Count* counts) {
  typedef Count Counts
      __attribute__((vector_size(double_lanes * sizeof(Count)), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Counts*>(counts), Doubles);
}

template <class Count>
void blur(const SurfaceRow<Count>& row, int count) {
  alignas(64) Count window[codes]{};
  for (int i = 0; i <= 2 * row.radius; ++i)
    for (int k = 0; k < codes; ++k) window[k] += row.columns[i * codes + k];
  const Count *leaving = row.columns, *entering = leaving + (2 * row.radius + 1) * codes;
  for (int x = 0; x < count; ++x, leaving += codes, entering += codes) {
    const int center = row.in[x * row.step];
    // Whole vectors: what is in them beyond the reach has no weight.
    const int begin = std::max(0, center - row.reach) / double_lanes * double_lanes;
    const int end = std::min(codes, center + row.reach + 1);
    const double *const weights = row.weights + 255 - center, *const differences =
                                                                  row.differences + 255 - center;
    Doubles weight{}, difference{};
    for (int k = begin; k < end; k += double_lanes) {
      const Doubles number = counts_at(window + k);
      weight += number * doubles_at(weights + k);
      difference += number * doubles_at(differences + k);
    }
    const double all = total(weight);
    const double mean = all > 0.0 ? center + total(difference) / all : center;
    row.out[x * row.step] = static_cast<std::uint8_t>(mean + 0.5);
    if (x + 1 < count)
      for (int k = 0; k < codes; ++k) window[k] += entering[k] - leaving[k];
  }
}

}  // namespace

DEFINE_KERNELS(SurfaceKernels, surface_kernels){blur<std::uint16_t>, blur<std::uint32_t>};

}  // namespace cuda_filters::cpu
