// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/pixel.hpp"

/// Weighted sums of a row for `columns` pixels side by side at a time, which share what they read.
///
/// Of n pixels of weight 1, the sums have n - columns + 1 in common: these are added up once, of
/// pieces whose sums lie in planes. The other ones, and those with other weights beside them, are
/// read once for all sums that they are part of. With four sums:
///
///     sum 0     w w 1 1 1 . . . . . 1 w w
///     sum 1       w w 1 1 . . . . . 1 1 w w             . : in common
///     sum 2         w w 1 . . . . . 1 1 1 w w
///     sum 3           w w . . . . . 1 1 1 1 w w
///               left_edge   common    right_edge
namespace cuda_filters::aperture {

/// As many sums as a thread has registers for; an odd number, so that threads that are so many
/// pixels apart read from different banks of shared memory.
inline constexpr int columns = 9;

/// Some of what a row adds to the sums.
struct alignas(16) Term {
  enum Kind { weighted, left_edge, right_edge, common };
  /// How many weights, or pieces, there are at most.
  static constexpr int max_count = 4;

  int kind;
  int count;  ///< of weights or pieces; 0 … max_count
  int place;  ///< where the first pixel that is read lies, for the first sums of a row
  int unused;
  union {  // of `common`, where the pieces lie
    float weights[max_count];
    int pieces[max_count];
  };
};

/// Adds `count` weighted pixels to each sum, and those of weight 1 beside them that not all sums
/// have in common.
template <int kind, int count>
HOST_DEVICE inline void add_pixels(const Term& term, const Pixel* row, Pixel (&sums)[columns]) {
  const Pixel* const pixels = row + term.place;
  constexpr int end = count + columns - 1;
  Pixel ones{};
  // The pixels of weight 1 are added up from what is in common outward.
  for (int step = 0; step < end; ++step) {
    const int i = kind == Term::left_edge ? end - 1 - step : step;
    const Pixel pixel = pixels[i];
    for (int k = 0; k < count; ++k)
      if (i - k >= 0 && i - k < columns) sums[i - k] = sums[i - k] + pixel * term.weights[k];
    const int sum = kind == Term::left_edge ? i - count : i + 1;
    if (kind == Term::weighted || sum < 0 || sum >= columns) continue;
    ones = step == 0 ? pixel : ones + pixel;
    sums[sum] = sums[sum] + ones;
  }
}

template <int kind>
HOST_DEVICE inline void add_pixels(const Term& term, const Pixel* row, Pixel (&sums)[columns]) {
  switch (term.count) {
    case 0:
      return add_pixels<kind, 0>(term, row, sums);
    case 1:
      return add_pixels<kind, 1>(term, row, sums);
    case 2:
      return add_pixels<kind, 2>(term, row, sums);
    case 3:
      return add_pixels<kind, 3>(term, row, sums);
    case 4:
      return add_pixels<kind, 4>(term, row, sums);
  }
}

/// Adds a term to the sums whose first pixel's row begins, with its planes, at `row`.
HOST_DEVICE inline void add_term(const Term& term, const Pixel* row, Pixel (&sums)[columns]) {
  switch (term.kind) {
    case Term::weighted:
      return add_pixels<Term::weighted>(term, row, sums);
    case Term::left_edge:
      return add_pixels<Term::left_edge>(term, row, sums);
    case Term::right_edge:
      return add_pixels<Term::right_edge>(term, row, sums);
  }
  Pixel sum = row[term.pieces[0]];
  for (int i = 1; i < Term::max_count; ++i)
    if (i < term.count) sum = sum + row[term.pieces[i]];
  for (int c = 0; c < columns; ++c) sums[c] = sums[c] + sum;
}

/// Weights of pixels around one, as terms, and how rows lie in shared memory.
struct Terms {
  Halo reach;
  std::vector<int> lengths;  ///< of the pieces of each plane: 1, then each 2^step times the last
  int step;                  ///< of the lengths
  int stride;                ///< pixels from one plane to the next
  std::vector<Term> terms;   ///< row by row, from dy = -reach.y on
  std::vector<int> first;    ///< of each row's terms, and the end of all
  double sum = 0.0;          ///< of all weights

  /// `weights`: from 0 to 1; `width`: how many sums are computed of a row; `room`: how many pixels
  /// there is room for, in all planes.
  static Terms of(const Matrix& weights, int width, std::size_t room) {
    const Halo reach{weights.radius_x(), weights.radius_y()};
    Terms made{reach, {1}, 2, width + 2 * reach.x + columns, {}, {0}};
    std::vector<std::vector<double>> rows;
    int longest = 1;
    for (int y = 0; y < weights.height; ++y) {
      std::vector<double>& row = rows.emplace_back();
      int run = 0;
      for (int x = 0; x < weights.width; ++x) {
        row.push_back(weights.at(x, y));
        made.sum += row.back();
        run = row.back() == 1.0 ? run + 1 : 0;
        longest = std::max(longest, run - (columns - 1));
      }
    }
    const auto plane_count = [&](int step) {
      std::size_t count = 1;
      for (int length = 1; length <= longest >> step; length <<= step) ++count;
      return count;
    };
    while (plane_count(made.step) > 1 && plane_count(made.step) * made.stride > room) ++made.step;
    while (made.lengths.size() < plane_count(made.step))
      made.lengths.push_back(made.lengths.back() << made.step);
    for (const auto& row : rows) made.add_row(row);
    return made;
  }

  int planes() const { return static_cast<int>(lengths.size()); }
  /// How many numbers each row adds to a sum.
  std::vector<int> additions() const {
    std::vector<int> all;
    for (std::size_t row = 0; row + 1 < first.size(); ++row) {
      all.push_back(0);
      for (int t = first[row]; t < first[row + 1]; ++t)
        all.back() += terms[t].kind == Term::common     ? 1
                      : terms[t].kind == Term::weighted ? terms[t].count
                                                        : terms[t].count + 1;
    }
    return all;
  }
  float scale() const { return static_cast<float>(1.0 / sum); }

 private:
  void add_row(const std::vector<double>& weights) {
    const int end = static_cast<int>(weights.size());
    int done = 0;
    for (int x = 0; x < end; ++x) {
      int behind = x;
      while (behind < end && weights[behind] == 1.0) ++behind;
      if (behind - x < columns) continue;
      int left = 0, right = 0;
      while (left < Term::max_count && x - left > done && weights[x - left - 1] > 0.0) ++left;
      while (right < Term::max_count && behind + right < end && weights[behind + right] > 0.0 &&
             weights[behind + right] < 1.0)
        ++right;
      add_weighted(weights, done, x - left);
      add(Term::left_edge, weights, x - left, left);
      add_pieces(x + columns - 1, behind);
      add(Term::right_edge, weights, behind, right);
      done = behind + right;
      x = done - 1;
    }
    add_weighted(weights, done, end);
    first.push_back(static_cast<int>(terms.size()));
  }

  void add_weighted(const std::vector<double>& weights, int x, int end) {
    while (x < end) {
      int count = 0;
      while (count < Term::max_count && x + count < end && weights[x + count] > 0.0) ++count;
      if (count > 0) add(Term::weighted, weights, x, count);
      x += std::max(count, 1);
    }
  }

  void add(Term::Kind kind, const std::vector<double>& weights, int x, int count) {
    Term term{kind, count, x, 0, {}};
    for (int i = 0; i < count; ++i) term.weights[i] = static_cast<float>(weights[x + i]);
    terms.push_back(term);
  }

  void add_pieces(int x, int end) {
    for (int plane = planes() - 1; plane >= 0; --plane)
      for (; end - x >= lengths[plane]; x += lengths[plane]) {
        const int place = plane * stride + x;
        if (terms.back().kind != Term::common || terms.back().count == Term::max_count)
          terms.push_back({Term::common, 0, 0, 0, {}});
        Term& term = terms.back();
        term.pieces[term.count++] = place;
      }
  }
};

}  // namespace cuda_filters::aperture
