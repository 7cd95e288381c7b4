// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/local_laplacian/local_laplacian_kernels.hpp"

#include <algorithm>

#include "gpu/algorithms/pyramid/pyramid.hpp"
#include "gpu/cpu/kernels.hpp"
#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

using local_laplacian::Change;
using local_laplacian::Sampling;

/// Pixels of a row that are expanded together, an even number of them.
constexpr int block = 128;

inline Vector changed(const Change& change, Vector c) {
  const Vector nothing{};
  const Vector above = c - change.edge, below = c + change.edge;
  const Vector bends = change.highlights * (above > 0.0f ? above : nothing) +
                       change.shadows * (below < 0.0f ? below : nothing);
  const Vector power = change.exponent * (c * c);
  const Vector detail = change.amount * c * exp2_of(power);
  return (power > Change::least_power ? detail : nothing) + bends;
}

void change_row(const Change& change, float value, const float* values, int count, float* to) {
  for (int i = 0; i < count; i += vector_lanes)
    at(to + i) = changed(change, at(values + i) - value);
}

void reduce_row(const float* const* rows, int width, float* buffer, float* to) {
  constexpr int reach = pyramid::reduce_reach;
  float* const middle = buffer + reach;
  for (int i = 0; i < width; i += vector_lanes)
    at(middle + i) = pyramid::reduced(at(rows[0] + i), at(rows[1] + i), at(rows[2] + i),
                                      at(rows[3] + i), at(rows[4] + i));
  for (int i = 0; i < reach; ++i) buffer[i] = middle[0], middle[width + i] = middle[width - 1];
  for (int i = 0; i < (width + 1) / 2; ++i) {
    const float* const p = buffer + 2 * i;
    to[i] = pyramid::reduced(p[0], p[1], p[2], p[3], p[4]);
  }
}

/// EXPAND of `count` pixels from pixel x on, an even one; `fine` has room for a vector more.
void expand(const float* const* coarse, bool is_odd, int coarse_width, int x, int count,
            float* fine) {
  float columns[block / 2 + 2 + 2 * lanes] = {};
  float* const middle = columns + lanes;  // column x / 2
  const int first = x / 2, pairs = (count + 1) / 2;
  const int end = std::min(pairs + 1, coarse_width - first);
  const float *const a = coarse[0] + first, *const b = coarse[1] + first,
                     *const c = coarse[2] + first;
  if (is_odd)
    for (int i = 0; i < end; i += vector_lanes)
      at(middle + i) = pyramid::expanded_odd(at(b + i), at(c + i));
  else
    for (int i = 0; i < end; i += vector_lanes)
      at(middle + i) = pyramid::expanded_even(at(a + i), at(b + i), at(c + i));
  middle[-1] = first == 0 ? middle[0]
               : is_odd   ? pyramid::expanded_odd(b[-1], c[-1])
                          : pyramid::expanded_even(a[-1], b[-1], c[-1]);
  for (int i = end; i < pairs + 1; ++i) middle[i] = middle[end - 1];
  for (int i = 0; i < pairs; ++i) {
    fine[2 * i] = pyramid::expanded_even(middle[i - 1], middle[i], middle[i + 1]);
    fine[2 * i + 1] = pyramid::expanded_odd(middle[i], middle[i + 1]);
  }
}

inline Vector distance(const SampledRow& row, int x) {
  const Vector t = at(row.guide + x) * row.scale - row.place;
  return t < 0.0f ? -t : t;
}
constexpr float reach = Sampling::reach;

/// 0 from `reach` on.
inline Vector weight(Vector t) {
  const Vector outer =
      t < 2.0f ? local_laplacian::weight_within_2(t) : local_laplacian::weight_within_3(t);
  const Vector within = t < 1.0f ? local_laplacian::weight_within_1(t) : outer;
  return t < reach ? within : Vector{};
}

void add_coefficients(const SampledRow& row) {
  float expanded[block + 2 + lanes];
  for (int x = 0; x < row.width; x += block) {
    const int count = std::min(block, row.width - x);
    Integers near{};
    for (int i = 0; i < count; i += vector_lanes) near |= distance(row, x + i) < reach;
    if (!any(near)) continue;
    expand(row.coarse, row.is_odd, row.coarse_width, x, count, expanded);
    for (int i = 0; i < count; i += vector_lanes) {
      const Vector t = distance(row, x + i);
      if (!any(t < reach)) continue;
      const Vector here = row.fine != nullptr
                              ? at(row.fine + x + i)
                              : changed(row.change, at(row.guide + x + i) - row.value);
      at(row.sum + x + i) += weight(t) * (here - at(expanded + i));
    }
  }
}

void add_expanded(const float* const* coarse, bool is_odd, int coarse_width, int width,
                  float* fine) {
  float expanded[block + 2 + lanes];
  for (int x = 0; x < width; x += block) {
    const int count = std::min(block, width - x);
    expand(coarse, is_odd, coarse_width, x, count, expanded);
    for (int i = 0; i < count; i += vector_lanes) at(fine + x + i) += at(expanded + i);
  }
}

}  // namespace

DEFINE_KERNELS(LocalLaplacianKernels, local_laplacian_kernels){change_row, reduce_row,
                                                               add_coefficients, add_expanded};

}  // namespace cuda_filters::cpu
