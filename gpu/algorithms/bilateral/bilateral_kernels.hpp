// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/algorithms/bilateral/bilateral.hpp"
#include "gpu/algorithms/bilateral/grid.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// Rows of floats, some for each channel: those around a row of the result, whose first pixel
/// stands at `center`.
struct BilateralPlanes {
  const float* center = nullptr;
  std::ptrdiff_t row = 0, channel = 0;  ///< how many floats lie from one to the next
};

/// What a row of the result is computed from.
struct BilateralRow {
  bilateral::Window window;
  BilateralPlanes picture, guide;
  int colors;        ///< one or three, of the picture
  bool weighted;     ///< whether the next plane of the picture is alpha
  int guide_colors;  ///< one or three, or none: what is compared are the picture's own values
  bool by_channel;   ///< each channel with its own; then the guide has those of the picture
};

/// Pixels of a row that a node of a grid sums up in three rows of cells, not yet along the row.
struct GridSplat {
  const float* guide;
  const float* values[3];
  int value_count;
  const float* alphas;  ///< what weights are multiplied with, or null
  bool counts_all;      ///< whether weights without alpha are summed up, too, as the last sum
  float node, range;
  float weights[3];    ///< of the pixels' row in the rows of cells
  float* sums[3];      ///< of each row of cells
  std::ptrdiff_t sum;  ///< how many floats lie from one sum to the next
};

/// What a row of cells is convolved from.
struct GridTaps {
  const float* cells;  ///< at the first cell of the result
  std::ptrdiff_t row;
  const float* kernel;
  const int* ends;
  int reach;
};

/// A row of pixels that sums of cells are mixed for, and some of the nodes.
struct GridMixing {
  bilateral::Grid grid;
  const float* guide;
  const int* first_of_bin;  ///< by the number of the bin, from 0
  int first_node, node_count;
  const float* cells;  ///< of this row: from one cell to the next all nodes, each with its sums
  int first_cell;
  int sum_count;
  int x;  ///< of the first pixel
};

/// The inner loops of bilateral_blur(), compiled for each level as Kernels are, with the same
/// slack.
struct BilateralKernels {
  /// Computes `count` pixels, a row for each channel that the picture has planes for.
  void (*blur)(const BilateralRow& row, int count, float* const* out);
  /// Adds `count` pixels of a row to the cells' sums.
  void (*splat)(const GridSplat& row, int count);
  void (*convolve)(const GridTaps& taps, int count, float* out);
  /// Adds to the sums of `count` pixels, rows of which lie `sum` floats apart.
  void (*mix)(const GridMixing& row, int count, float* sums, std::ptrdiff_t sum);
};

}  // namespace cuda_filters::cpu
