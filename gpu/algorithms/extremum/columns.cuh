// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/algorithms/extremum/cells.cuh"
#include "gpu/cuda/tiles.cuh"

// The extremes of windows along the columns, a tile of a column a thread.

namespace cuda_filters::cuda::extremes {

/// How many windows one below the other a thread has at the most, for which several blocks of
/// threads have room in shared memory; how many rows it reads before it needs the first of them.
/// Where windows hold more than `many_blocks` blocks, these are looked through for several tiles at
/// a time.
constexpr int max_tile = 32, rows_ahead = 8, many_blocks = 8;

/// Each row of a tile takes 1 KB of shared memory, of every type.
template <class Key>
constexpr int column_threads = 256 / sizeof(Key);

/// Windows of `window` rows in tiles of `tile`, from `above` rows above each row on. Those of a
/// tile all begin in its first `tile` rows; `blocks` blocks of as many rows follow, and `rest`
/// rows, which are in all of them.
struct ColumnPlan {
  int above, window, tile, blocks, rest;

  constexpr int tiles(int height) const { return (height + tile - 1) / tile; }
  /// The blocks of all tiles of an area: each tile's first one is the one after that of the tile
  /// above.
  constexpr int all_blocks(int height) const { return blocks > 0 ? tiles(height) - 1 + blocks : 0; }
};

/// Of windows that are so tall that blocks pay, the tile is one that leaves few rows over.
constexpr ColumnPlan plan_columns(int above, int window, int height) {
  constexpr int min_tile = max_tile / 4 * 3, max_rest = 2 * max_tile;
  const int tile = std::min(window, max_tile);
  const ColumnPlan plan{above, window, tile, 0, window - tile};
  if (plan.rest <= max_rest) return plan;
  int best = max_tile;
  for (int other = max_tile - 1; other >= min_tile; --other)
    if (window % other < window % best) best = other;
  const ColumnPlan tall{above, window, best, window / best - 1, window % best};
  // In an area of few rows there would be about as many blocks as rows.
  return tall.all_blocks(height) + tall.tiles(height) <= height ? tall : plan;
}

/// Whether the parts of such windows are as high together as these are.
constexpr bool are_whole(int max_window) {
  for (int window = 1; window <= max_window; ++window)
    for (const int height : {1, 100, 10000}) {
      const ColumnPlan plan = plan_columns(0, window, height);
      if (plan.tile * (1 + plan.blocks) + plan.rest != window) return false;
    }
  return true;
}
static_assert(are_whole(2001));

/// A column of a plane. A row that is not there is replaced by the nearest one, which is in every
/// window that has the missing one.
template <class Key>
class Column {
 public:
  __device__ Column(const CellPlane<Key>& plane, int x)
      : first_{plane.data + (x - plane.area.x)},
        width_{plane.area.width},
        top_{plane.area.y},
        last_{plane.area.height - 1} {}

  /// Reads the next of `count` rows, from y on downward or, with step -1, upward; 0 for the others.
  template <int step>
  __device__ void read_rows(int y, int count, Cell<Key> (&cells)[rows_ahead]) const {
#pragma unroll
    for (int i = 0; i < rows_ahead; ++i) {
      const int row = min(max(y - top_ + step * i, 0), last_);
      cells[i] = i < count ? read(first_ + static_cast<std::ptrdiff_t>(row) * width_) : Cell<Key>{};
    }
  }
  /// The extreme of those of `count` rows from y on that are there.
  __device__ Cell<Key> extreme(int y, int count) const {
    Largest<Key> extreme;
    const int end = min(y + count, top_ + last_ + 1);
    for (y = max(y, top_); y < end; y += rows_ahead) {
      Cell<Key> cells[rows_ahead];
      read_rows<1>(y, end - y, cells);
#pragma unroll
      for (const Cell<Key>& cell : cells) extreme.add(cell);
    }
    return extreme.cell();
  }

 private:
  const Cell<Key>* first_;
  int width_, top_, last_;
};

/// Row i of `out` becomes the extremes of the rows from first + i * rows on.
template <class Key>
__global__ void __launch_bounds__(column_threads<Key>)
    blocks_kernel(Tiles tiles, CellPlane<Key> in, int first, int rows, CellPlane<Key> out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x), i = tiles.y(blockIdx.x);
  if (x < tiles.area.right()) out.at(x, i) = Column{in, x}.extreme(first + i * rows, rows);
}

/// By van Herk and by Gil and Werman, but that a tile may have fewer windows than these have rows.
/// The extremes from each row down to the last one in which a window begins wait in shared memory
/// for those from there down to each window's end. `core`: of tile i, the extremes of its blocks
/// are those of `core_rows` rows from row i on.
template <class Key, class Storer>
__global__ void __launch_bounds__(column_threads<Key>)
    columns_kernel(Tiles tiles, CellPlane<Key> in, ColumnPlan plan, CellPlane<Key> core,
                   int core_rows, Storer store) {
  extern __shared__ uint4 memory[];
  constexpr int next_row = column_threads<Key>;
  Cell<Key>* const waiting = reinterpret_cast<Cell<Key>*>(memory) + threadIdx.x;
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x), top = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;
  const int count = min(plan.tile, tiles.area.bottom() - top);
  const int first = top - plan.above, end = first + plan.window;
  const Column<Key> column{in, x};
  Cell<Key> extreme{}, cells[rows_ahead];
  for (int i = plan.tile - 1; i >= 0; i -= rows_ahead) {
    column.template read_rows<-1>(first + i, i + 1, cells);
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) {
      extreme = larger(extreme, cells[k]);
      if (k <= i) waiting[(i - k) * next_row] = extreme;
    }
  }
  extreme = column.extreme(end - plan.rest, plan.rest);
  if (core_rows > 0) {
    const int tile = (top - tiles.area.y) / plan.tile;
    extreme = larger(extreme, Column{core, x}.extreme(tile, core_rows));
  }
  for (int i = 0; i < count; i += rows_ahead) {
    column.template read_rows<1>(end + i, count - 1 - i, cells);
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) {
      if (i + k < count) store(x, top + i + k, larger(waiting[(i + k) * next_row], extreme));
      extreme = larger(extreme, cells[k]);
    }
  }
}

}  // namespace cuda_filters::cuda::extremes
