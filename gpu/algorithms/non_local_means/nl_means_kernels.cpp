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

template <int radius>
void weigh_row(const float* const* sums, const non_local_means::Exponent exponent, int count,
               float* weights) {
  constexpr int taps = 2 * radius + 1;
  const float* rows[taps];  // which, unlike the caller's, no store changes
  for (int t = 0; t < taps; ++t) rows[t] = sums[t];
  const Vector zero{};
  for (int i = 0; i < count; i += vector_lanes) {
    const Vector power = exponent.limit + exponent.scale * column_sum<taps>(rows, i);
    const Integers counts = power > exponent.least;
    Vector weight{};
    if (any(counts)) weight = (Vector)((Integers)exp2_of(power > zero ? zero : power) & counts);
    at(weights + i) = weight;
  }
}

/// Adds a pixel, whose weight is not 0, in each lane of `counts`.
inline void add(Vector& total, Vector weight, Integers counts, const float* pixel, Vector own) {
  total += (Vector)((Integers)(weight * (at(pixel) - own)) & counts);
}

template <int colors, bool both>
void add_weighted(const ColorRows of, const WeighedRows ahead, const WeighedRows behind, int count,
                  const WeightedRows totals) {
  const Vector zero{};
  for (int i = 0; i < count; i += vector_lanes) {
    const Vector weight_ahead = at(ahead.weights + i);
    const Vector weight_behind = both ? at(behind.weights + i) : zero;
    const Integers counts_ahead = weight_ahead > zero, counts_behind = weight_behind > zero;
    if (!any(counts_ahead | counts_behind)) continue;
    at(totals.weights + i) += weight_ahead + weight_behind;
    for (int c = 0; c < colors; ++c) {
      const Vector own = at(of.row[c] + i);
      Vector total = at(totals.differences[c] + i);
      add(total, weight_ahead, counts_ahead, ahead.colors.row[c] + i, own);
      if constexpr (both) add(total, weight_behind, counts_behind, behind.colors.row[c] + i, own);
      at(totals.differences[c] + i) = total;
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

void weigh(const float* const* sums, int radius, const non_local_means::Exponent& exponent,
           int count, float* weights) {
  with_radius(radius, [&]<int r>() { weigh_row<r>(sums, exponent, count, weights); });
}

void accumulate(const ColorRows& of, const WeighedRows& ahead, const WeighedRows& behind,
                int colors, int count, const WeightedRows& totals) {
  const bool both = behind.weights != nullptr;
  const auto add_rows = colors == 1 ? (both ? add_weighted<1, true> : add_weighted<1, false>)
                                    : (both ? add_weighted<3, true> : add_weighted<3, false>);
  add_rows(of, ahead, behind, count, totals);
}

}  // namespace

DEFINE_KERNELS(NlMeansKernels, nl_means_kernels){row_sums, weigh, accumulate};

}  // namespace cuda_filters::cpu
