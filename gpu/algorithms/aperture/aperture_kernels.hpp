// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// What a row of MirroredRows weighs: the pairs up to `full` by 1, and others by weights below 1.
struct MirroredRow {
  int full;            ///< how many pairs, of which the first is the middle pixel alone
  int begin, end;      ///< of the others
  std::size_t weight;  ///< where their weights begin
  int columns;         ///< how many pairs this row has, or any that is farther away
};

/// Two rows below each other that are added to all rows of the result that they are part of.
struct RowPair {
  int reach, reach_x;          ///< of the weights
  const MirroredRow* weights;  ///< by their distance from the middle
  const float* edges;          ///< the weights below 1
  const float* rows[2];        ///< spread, from reach_x pixels on the left on
  int nearest;                 ///< no row of the result that is nearer is wanted
  float* const* sums;  ///< 2 · reach + 2 rows of the result, from the first row's - reach on
  float* pairs;        ///< room for `pair_floats` times as many floats as a row has columns
};

/// The inner loops of means by mirrored weights, compiled for each level as Kernels are. Rows are
/// spread: a vector has pixels that are a strip's width apart, so that neighbors of all pixels of a
/// vector are a vector too, wherever they lie.
struct ApertureKernels {
  int strips;       ///< how many pixels a vector has
  int block;        ///< strips are so many pixels wide, or a multiple
  int pair_floats;  ///< for each column of the weights
  /// Vector i = the pixels i, i + strip, i + 2 · strip …
  void (*spread)(const float* row, int strip, int count, float* vectors);
  /// The inverse of spread() for the pixels of one result, times `scale`.
  void (*gather)(const float* vectors, int strip, float scale, float* row);
  /// sums[i] += what both rows weigh there, for strips of that width.
  void (*add_rows)(const RowPair& rows, int strip);
};

}  // namespace cuda_filters::cpu
