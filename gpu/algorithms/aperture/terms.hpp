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
/// Of n pixels of weight 1, the four sums have n - 3 in common: these are added up once, of pieces
/// whose sums lie in planes. The other ones, and those with other weights beside them, are read
/// once for all sums that they are part of:
///
///     sum 0     w w 1 1 1 . . . . . 1 w w
///     sum 1       w w 1 1 . . . . . 1 1 w w             . : in common
///     sum 2         w w 1 . . . . . 1 1 1 w w
///     sum 3           w w . . . . . 1 1 1 1 w w
///               left_edge   common    right_edge
namespace cuda_filters::aperture {

inline constexpr int columns = 4;

/// Where pixel i of a row lies, so that threads that are four pixels apart read from different
/// banks of shared memory.
HOST_DEVICE constexpr int padded(int i) { return i + i / columns; }
/// From the pixels of four sums to those of the next four.
inline constexpr int padded_columns = columns + 1;

/// Some of what a row adds to four sums.
struct alignas(16) Term {
  enum Kind { weighted, left_edge, right_edge, common };
  /// How many weights, or pieces, there are at most.
  static constexpr int max_count = 4;

  int kind;
  int count;      ///< of weights or pieces; 0 … max_count
  int unused[2];  ///< what follows is read 16 bytes at a time
  /// Where the first four pixels that are read lie, or the pieces, for the first four sums of a
  /// row.
  int places[4];
  float weights[max_count];
};

/// Adds `count` weighted pixels to each sum, and those of weight 1 beside them that not all sums
/// have in common. at[i] is pixel i, and at[i] + padded_columns pixel i + 4.
template <int kind, int count>
HOST_DEVICE inline void add_pixels(Pixel (&sums)[columns], const Pixel* const (&at)[4],
                                   const float (&weights)[Term::max_count]) {
  for (int i = 0; i < count + columns - 1; ++i) {
    const Pixel pixel = at[i % 4][i / 4 * padded_columns];
    for (int c = 0; c < columns; ++c) {
      const int k = i - c;
      if (k >= 0 && k < count)
        sums[c] = sums[c] + pixel * weights[k];
      else if ((kind == Term::left_edge && k >= count) || (kind == Term::right_edge && k < 0))
        sums[c] = sums[c] + pixel;
    }
  }
}

template <int kind>
HOST_DEVICE inline void add_pixels(int count, Pixel (&sums)[columns], const Pixel* const (&at)[4],
                                   const float (&weights)[Term::max_count]) {
  switch (count) {
    case 0:
      return add_pixels<kind, 0>(sums, at, weights);
    case 1:
      return add_pixels<kind, 1>(sums, at, weights);
    case 2:
      return add_pixels<kind, 2>(sums, at, weights);
    case 3:
      return add_pixels<kind, 3>(sums, at, weights);
    case 4:
      return add_pixels<kind, 4>(sums, at, weights);
  }
}

/// Adds a term to the sums whose first pixel's row begins, with its planes, at `row`.
HOST_DEVICE inline void add_term(const Term& term, const Pixel* row, Pixel (&sums)[columns]) {
  const Pixel* const at[4]{row + term.places[0], row + term.places[1], row + term.places[2],
                           row + term.places[3]};
  switch (term.kind) {
    case Term::weighted:
      return add_pixels<Term::weighted>(term.count, sums, at, term.weights);
    case Term::left_edge:
      return add_pixels<Term::left_edge>(term.count, sums, at, term.weights);
    case Term::right_edge:
      return add_pixels<Term::right_edge>(term.count, sums, at, term.weights);
  }
  Pixel sum = *at[0];
  for (int i = 1; i < Term::max_count; ++i)
    if (i < term.count) sum = sum + *at[i];
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
    Terms made{reach, {1}, 2, padded(width + 2 * reach.x + columns), {}, {0}};
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
    Term term{kind, count, {}, {}, {}};
    for (int i = 0; i < 4; ++i) term.places[i] = padded(x + i);
    for (int i = 0; i < count; ++i) term.weights[i] = static_cast<float>(weights[x + i]);
    terms.push_back(term);
  }

  void add_pieces(int x, int end) {
    for (int plane = planes() - 1; plane >= 0; --plane)
      for (; end - x >= lengths[plane]; x += lengths[plane]) {
        const int place = plane * stride + padded(x);
        if (terms.back().kind != Term::common || terms.back().count == Term::max_count)
          terms.push_back({Term::common, 0, {}, {}, {}});
        Term& term = terms.back();
        term.places[term.count++] = place;
        std::fill(term.places + term.count, term.places + 4, place);
      }
  }
};

}  // namespace cuda_filters::aperture
