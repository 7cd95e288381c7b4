// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/non_local_means/nl_means_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS. Every sum has its terms in an order that no
// position changes.

namespace cuda_filters::cpu {
namespace {

/// The sums of `taps` neighbors: of fours first, where there are several.
template <int taps>
inline Vector run_sum(const float* terms) {
  if constexpr (taps == 1) {
    return at(terms);
  } else if constexpr (taps <= 4) {
    return run_sum<taps / 2>(terms) + run_sum<taps - taps / 2>(terms + taps / 2);
  } else {
    return run_sum<4>(terms) + run_sum<taps - 4>(terms + 4);
  }
}

template <int colors>
inline void square_differences(const ColorRows& from, const ColorRows& to, int count,
                               float* squares) {
  for (int i = 0; i < count; i += vector_lanes) {
    Vector sum{};
    for (int c = 0; c < colors; ++c) {
      const Vector difference = at(to.row[c] + i) - at(from.row[c] + i);
      sum += difference * difference;
    }
    at(squares + i) = sum;
  }
}

template <int colors, int radius>
void sum_rows(const ColorRows& from, const ColorRows& to, int count, float* buffer, float* sums) {
  constexpr int taps = 2 * radius + 1;
  if constexpr (radius == 0) return square_differences<colors>(from, to, count, sums);
  square_differences<colors>(from, to, count + taps - 1, buffer);
  for (int i = 0; i < count; i += vector_lanes) at(sums + i) = run_sum<taps>(buffer + i);
}

template <int taps>
inline Vector column_sum(const float* const* rows, int i) {
  if constexpr (taps == 1)
    return at(rows[0] + i);
  else
    return column_sum<taps / 2>(rows, i) + column_sum<taps - taps / 2>(rows + taps / 2, i);
}

template <int colors, int radius>
void add_weighted(const float* const* sums, const non_local_means::Exponent exponent,
                  const ColorRows from, const ColorRows to, int count, const WeightedRows totals) {
  constexpr int taps = 2 * radius + 1;
  const float* rows[taps];  // which, unlike the caller's, no store changes
  for (int t = 0; t < taps; ++t) rows[t] = sums[t];
  const Vector zero{};
  for (int i = 0; i < count; i += vector_lanes) {
    const Vector power = exponent.limit + exponent.scale * column_sum<taps>(rows, i);
    const Integers counts = power > exponent.least;
    if (!any(counts)) continue;
    const Vector weight = (Vector)((Integers)exp2_of(power > zero ? zero : power) & counts);
    at(totals.weights + i) += weight;
    for (int c = 0; c < colors; ++c) {
      const Vector term = weight * (at(to.row[c] + i) - at(from.row[c] + i));
      at(totals.differences[c] + i) += (Vector)((Integers)term & counts);
    }
  }
}

/// Calls f with the radius as a constant.
template <int last = non_local_means::max_patch_radius, class F>
inline void with_radius(int radius, F f) {
  if constexpr (last >= 0) {
    if (radius == last)
      f.template operator()<last>();
    else
      with_radius<last - 1>(radius, f);
  }
}

void row_sums(const ColorRows& from, const ColorRows& to, int colors, int radius, int count,
              float* buffer, float* sums) {
  with_radius(radius, [&]<int r>() {
    if (colors == 1)
      sum_rows<1, r>(from, to, count, buffer, sums);
    else
      sum_rows<3, r>(from, to, count, buffer, sums);
  });
}

void accumulate(const float* const* sums, int radius, const non_local_means::Exponent& exponent,
                const ColorRows& from, const ColorRows& to, int colors, int count,
                const WeightedRows& totals) {
  with_radius(radius, [&]<int r>() {
    if (colors == 1)
      add_weighted<1, r>(sums, exponent, from, to, count, totals);
    else
      add_weighted<3, r>(sums, exponent, from, to, count, totals);
  });
}

}  // namespace

DEFINE_KERNELS(NlMeansKernels, nl_means_kernels){row_sums, accumulate};

}  // namespace cuda_filters::cpu
