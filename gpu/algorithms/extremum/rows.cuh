// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/extremum/cells.cuh"
#include "gpu/cuda/tiles.cuh"

// The extremes of windows along the rows, a row of a tile a block.

namespace cuda_filters::cuda::extremes {

/// Tiles of wide windows are wider, as they overlap by a window.
constexpr int threads = 256, row_width = 1024, wide_row_width = 2048;
/// How many windows side by side a thread has, of wide ones; spread() is made for eight.
constexpr int abreast = 8;

/// Brings `known` cells of row y, from x on, to shared memory: cell i to here[place(i)].
template <class Key, class Load, class Place>
__device__ void load_row(Load load, int x, int y, int known, Cell<Key>* here, Place place) {
  // A conversion waits for its code: several are asked for before the first is converted.
  constexpr int ahead = 8;
  const auto row = load.row(y);
  for (int first = static_cast<int>(threadIdx.x); first < known; first += ahead * threads) {
    Cell<Key> codes[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (first + k * threads < known) codes[k] = load.codes(row, x + first + k * threads);
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (first + k * threads < known)
        here[place(first + k * threads)] = load.coding.keys(codes[k]);
  }
  __syncthreads();
}
template <class Key, class Load>
__device__ void load_row(Load load, int x, int y, int known, Cell<Key>* here) {
  load_row(load, x, y, known, here, [](int i) { return i; });
}

/// next = the extremes of windows of twice the length; `known` of them there are. Swaps both.
template <class Key>
__device__ void double_windows(int length, int known, Cell<Key>*& here, Cell<Key>*& next) {
  for (int i = static_cast<int>(threadIdx.x); i < known; i += threads)
    next[i] = larger(here[i], here[i + length]);
  __syncthreads();
  Cell<Key>* const was = here;
  here = next, next = was;
}

/// Along the rows: of windows of 1, 2, 4 … cells, up to `cover`, and then of two such.
template <class Key, class Load>
__global__ void __launch_bounds__(threads)
    rows_kernel(Tiles tiles, Load load, int half, int cover, CellPlane<Key> out) {
  extern __shared__ uint4 memory[];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x), window = 2 * half + 1;
  const int count = min(tiles.width, tiles.area.right() - x);
  int known = count + window - 1;
  auto* here = reinterpret_cast<Cell<Key>*>(memory);
  Cell<Key>* next = here + known;
  load_row(load, x - half, y, known, here);
  for (int length = 1; length < cover; length *= 2)
    double_windows(length, known -= length, here, next);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
    out.at(x + i, y) = larger(here[i], here[i + window - cover]);
}

/// How many groups of `abreast` cells the windows of `count` cells side by side see.
__host__ __device__ inline int groups_seen(int count, int half) {
  return (count + abreast - 1) / abreast + (2 * half + abreast - 1) / abreast;
}
/// How many cells wide_rows_kernel() has in shared memory for that many groups: one in nine is
/// left out, and each group's extreme is there twice.
constexpr std::size_t cells_of_groups(int groups) {
  return static_cast<std::size_t>(groups) * (abreast + 3);
}

/// Along the rows, of windows that hold at least one whole group of cells behind the first one's.
/// The windows that begin in the same group share its followers: these are a window of groups, as
/// rows_kernel() has them of cells. Before them lies what is left of the first group, behind them
/// what a thread adds cell by cell from one window to the next.
template <class Key, class Load>
__global__ void __launch_bounds__(threads)
    wide_rows_kernel(Tiles tiles, Load load, int half, int cover, CellPlane<Key> out) {
  extern __shared__ uint4 memory[];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x), window = 2 * half + 1;
  const int count = min(tiles.width, tiles.area.right() - x);
  const int own_groups = (count + abreast - 1) / abreast, shared_groups = window / abreast - 1;
  int groups = groups_seen(count, half);
  auto* const cells = reinterpret_cast<Cell<Key>*>(memory);
  Cell<Key>*here = cells + spread(groups * abreast), *next = here + groups;
  load_row(load, x - half, y, groups * abreast, cells, [](int i) { return spread(i); });
  for (int group = static_cast<int>(threadIdx.x); group < groups; group += threads) {
    Largest<Key> of_group;
#pragma unroll
    for (int i = 0; i < abreast; ++i) of_group.add(cells[spread(group * abreast) + i]);
    here[group] = of_group.cell();
  }
  __syncthreads();
  for (int length = 1; length < cover; length *= 2)
    double_windows(length, groups -= length, here, next);
  const int rest = window % abreast;
  static_assert(wide_row_width <= abreast * threads);
  const int group = static_cast<int>(threadIdx.x);
  Cell<Key>* const own = cells + spread(group * abreast);
  Cell<Key> extremes[abreast];
  if (group < own_groups) {
    extremes[abreast - 1] = own[abreast - 1];
#pragma unroll
    for (int i = abreast - 2; i >= 0; --i) extremes[i] = larger(extremes[i + 1], own[i]);
    Cell<Key> shared = larger(here[group + 1], here[group + 1 + shared_groups - cover]);
    for (int i = window - rest; i < window; ++i) shared = larger(shared, own[spread(i)]);
#pragma unroll
    for (int i = 0; i < abreast; ++i) {
      extremes[i] = larger(extremes[i], shared);
      if (i < abreast - 1) shared = larger(shared, own[spread(window + i)]);
    }
  }
  __syncthreads();  // the cells of these groups have been read for all windows
  if (group < own_groups)
#pragma unroll
    for (int i = 0; i < abreast; ++i) own[i] = extremes[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
    out.at(x + i, y) = cells[spread(i)];
}

}  // namespace cuda_filters::cuda::extremes
