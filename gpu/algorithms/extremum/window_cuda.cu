// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "gpu/algorithms/extremum/columns.cuh"
#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/extremum/rows.cuh"
#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Extremes of windows of any shape, of the keys of window.hpp.

namespace cuda_filters::cuda {
namespace {

using namespace extremes;

/// The extremes along the rows of windows of several lengths, which are powers of two, from each
/// cell of `area` on: [row][level][x]. Those that would reach beyond its end mean nothing.
template <class Key>
struct Table {
  Cell<Key>* data;
  Rect area;
  int first, levels;  ///< windows of 2^first cells, and so on

  __host__ __device__ std::size_t row_cells() const {
    return static_cast<std::size_t>(levels) * area.width;
  }
  __device__ Cell<Key>* row(int y) const { return data + row_cells() * (y - area.y); }
};

template <class Key, class Load>
__global__ void __launch_bounds__(threads) table_kernel(Tiles tiles, Load load, Table<Key> table) {
  extern __shared__ uint4 memory[];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int count = min(row_width, tiles.area.right() - x), last = table.first + table.levels - 1;
  int known = count + (1 << last) - 1;
  auto* here = reinterpret_cast<Cell<Key>*>(memory);
  Cell<Key>* next = here + known;
  load_row(load, x, y, known, here);
  for (int level = 0;; ++level) {
    if (level >= table.first) {
      Cell<Key>* const to =
          table.row(y) + (level - table.first) * table.area.width + (x - table.area.x);
      for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) to[i] = here[i];
    }
    if (level == last) return;
    double_windows(1 << level, known -= 1 << level, here, next);
  }
}

/// Where the two windows begin that cover a row of a window, from its column on, in a table's row.
struct Run {
  int left, right;
};

constexpr int run_threads = 128, run_rows = 8;

/// Goes down the table's rows with the extremes of several windows one below the other.
/// `runs`: of the rows of a window, from -`reach` on.
template <class Key, class Storer>
__global__ void __launch_bounds__(run_threads)
    runs_kernel(Tiles tiles, Table<Key> table, const Run* all_runs, int reach, Storer store) {
  extern __shared__ uint4 memory[];
  auto* const runs = reinterpret_cast<Run*>(memory);
  for (int i = static_cast<int>(threadIdx.x); i <= 2 * reach; i += run_threads)
    runs[i] = all_runs[i];
  __syncthreads();
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x), top = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;
  const int end = min(top + run_rows - 1 + reach, table.area.bottom() - 1);
  Largest<Key> found[run_rows];
  for (int y = max(top - reach, table.area.y); y <= end; ++y) {
    const Cell<Key>* const row = table.row(y) + (x - tiles.area.x);
#pragma unroll
    for (int i = 0; i < run_rows; ++i) {
      const int at = y - (top + i) + reach;
      if (at < 0 || at > 2 * reach) continue;
      const Run run = runs[at];
      found[i].add(read(row + run.left));
      found[i].add(read(row + run.right));
    }
  }
#pragma unroll
  for (int i = 0; i < run_rows; ++i)
    if (top + i < tiles.area.bottom()) store(x, top + i, found[i].cell());
}

/// The pixels of a picture to those of `area` of another one.
template <class Key, class Load, class Storer>
class WindowFilter {
 public:
  WindowFilter(cudaStream_t stream, Load load, Rect area, Storer store)
      : stream_{stream}, load_{load}, area_{area}, store_{store} {}

  void rectangle(int half_width, int half_height) const {
    Rect tall = area_.grown(0, half_height);
    const int end = std::min(tall.bottom(), load_.have.bottom());
    tall.y = std::max(tall.y, load_.have.y), tall.height = end - tall.y;
    const Buffer<Cell<Key>> middle = cells_of(tall);
    const CellPlane<Key> plane{middle.data(), tall};
    if (2 * half_width + 1 < 2 * abreast)
      rows(half_width, plane);
    else
      wide_rows(half_width, plane);
    columns(plane, area_, half_height, 2 * half_height + 1, store_);
  }

  void runs(const std::vector<int>& half_widths) const {
    const int reach = static_cast<int>(half_widths.size()) - 1, widest = half_widths.front();
    const int first = level_of(half_widths.back()), levels = level_of(widest) - first + 1;
    // Tables are large: they are made for parts of the picture.
    constexpr std::size_t max_bytes = std::size_t{1} << 29;
    constexpr int max_width = 4096;
    const int width = std::min(area_.width, max_width), table_width = width + 2 * widest;
    const std::size_t row_bytes = sizeof(Cell<Key>) * levels * table_width;
    const int rows_in_table =
        static_cast<int>(std::min<std::size_t>(max_bytes / row_bytes, 1 << 20));
    const int height =
        std::min(std::max(128, (rows_in_table - 2 * reach) / run_rows * run_rows), area_.height);
    const Buffer<Cell<Key>> memory{
        static_cast<std::size_t>(levels) * table_width * (height + 2 * reach), stream_};
    PacedLaunches launches{stream_, 2};
    for (int y = 0; y < area_.height; y += height)
      for (int x = 0; x < area_.width; x += width) {
        const Rect part{area_.x + x, area_.y + y, std::min(width, area_.width - x),
                        std::min(height, area_.height - y)};
        launches.begin();
        runs_of_part(part, half_widths, Table<Key>{memory.data(), {}, first, levels});
        launches.end();
      }
  }

 private:
  Buffer<Cell<Key>> cells_of(Rect area) const {
    return {static_cast<std::size_t>(area.width) * area.height, stream_};
  }

  void rows(int half, CellPlane<Key> out) const {
    const Tiles tiles{out.area, row_width, 1};
    launch_rows(rows_kernel<Key, Load>, tiles, 2 * (row_width + std::size_t{2} * half), half,
                2 * half + 1, out);
  }
  /// In tiles of the same width, for which there is room in shared memory.
  void wide_rows(int half, CellPlane<Key> out) const {
    const int room =
        static_cast<int>(shared_memory_limit() / (cells_of_groups(1) * sizeof(Cell<Key>)));
    const int max_width = std::min(wide_row_width, abreast * (room - groups_seen(0, half)));
    const int count = (out.area.width + max_width - 1) / max_width;
    const int groups = (out.area.width + count * abreast - 1) / (count * abreast);
    const Tiles tiles{out.area, groups * abreast, 1};
    launch_rows(wide_rows_kernel<Key, Load>, tiles, cells_of_groups(groups_seen(tiles.width, half)),
                half, (2 * half + 1) / abreast - 1, out);
  }
  /// `window`: how many cells, or groups of them, two covers span.
  template <class Kernel>
  void launch_rows(Kernel kernel, Tiles tiles, std::size_t cells, int half, int window,
                   CellPlane<Key> out) const {
    const std::size_t shared = cells * sizeof(Cell<Key>);
    allow_shared_memory(kernel);
    kernel<<<tiles.count(), threads, shared, stream_>>>(tiles, load_, half,
                                                        extremum::half_cover(window), out);
    check(cudaGetLastError());
  }

  /// Of the windows from `above` rows above each row of `area` on.
  template <class AnyStorer>
  void columns(CellPlane<Key> in, Rect area, int above, int window, AnyStorer store) const {
    const ColumnPlan plan = plan_columns(above, window, area.height);
    CellPlane<Key> core{};
    int core_rows = plan.blocks;
    Buffer<Cell<Key>> of_blocks, of_tiles;
    if (plan.blocks > 0) {
      core.area = {area.x, 0, area.width, plan.all_blocks(area.height)};
      of_blocks = cells_of(core.area);
      core.data = of_blocks.data();
      const Tiles blocks{core.area, column_threads<Key>, 1};
      blocks_kernel<Key><<<blocks.count(), column_threads<Key>, 0, stream_>>>(
          blocks, in, area.y - above + plan.tile, plan.tile, core);
      check(cudaGetLastError());
    }
    if (plan.blocks > many_blocks) {
      const Rect tiles{area.x, 0, area.width, plan.tiles(area.height)};
      of_tiles = cells_of(tiles);
      const StoreKeys<Key> extremes{{of_tiles.data(), tiles}};
      columns(core, tiles, 0, plan.blocks, extremes);
      core = extremes.out, core_rows = 1;
    }
    const Tiles tiles{area, column_threads<Key>, plan.tile};
    const std::size_t shared = sizeof(Cell<Key>) * column_threads<Key> * plan.tile;
    const auto kernel = columns_kernel<Key, AnyStorer>;
    kernel<<<tiles.count(), column_threads<Key>, shared, stream_>>>(tiles, in, plan, core,
                                                                    core_rows, store);
    check(cudaGetLastError());
  }

  /// The number of times that a window of one pixel doubles to become half a cover of a row.
  static int level_of(int half) {
    int level = 0;
    while (2 << level <= 2 * half + 1) ++level;
    return level;
  }

  void runs_of_part(Rect part, const std::vector<int>& half_widths, Table<Key> table) const {
    const int reach = static_cast<int>(half_widths.size()) - 1, widest = half_widths.front();
    table.area = part.grown(widest, reach);
    const int end = std::min(table.area.bottom(), load_.have.bottom());
    table.area.y = std::max(table.area.y, load_.have.y), table.area.height = end - table.area.y;
    const Tiles rows{table.area, row_width, 1};
    const std::size_t longest = std::size_t{1} << (table.first + table.levels - 1);
    const std::size_t shared = 2 * sizeof(Cell<Key>) * (row_width + longest);
    const auto fill = table_kernel<Key, Load>;
    allow_shared_memory(fill);
    fill<<<rows.count(), threads, shared, stream_>>>(rows, load_, table);
    check(cudaGetLastError());
    std::vector<Run> runs(2 * reach + 1);
    for (int dy = 0; dy <= reach; ++dy) {
      const int half = half_widths[dy], level = level_of(half);
      const int left = (level - table.first) * table.area.width + widest - half;
      runs[reach + dy] = runs[reach - dy] = {left, left + 2 * half + 1 - (1 << level)};
    }
    Buffer<Run> on_device{runs.size(), stream_};
    on_device.upload(runs.data(), runs.size());
    const Tiles tiles{part, run_threads, run_rows};
    runs_kernel<Key><<<tiles.count(), run_threads, runs.size() * sizeof(Run), stream_>>>(
        tiles, table, on_device.data(), reach, store_);
    check(cudaGetLastError());
  }

  cudaStream_t stream_;
  Load load_;
  Rect area_;
  Storer store_;
};

}  // namespace

void extremum_filter(Exec& exec, const Input& in, const Output& out, const extremum::Window& window,
                     Extremum kind, Border border) {
  // Samples are moved as they are stored.
  if (!stored_alike(in, out))
    return exec.through_temporary(in, out, window.reach(),
                                  [&](const Input& from, const Output& to) {
                                    extremum_filter(exec, from, to, window, kind, border);
                                  });
  const Rect have = extremum::covered(in.area, in.image, border),
             area = extremum::covered(out.area, in.image, border);
  if (area.width == 0 || area.height == 0) return;
  const std::vector<int> half_widths = extremum::half_widths(window, in.image.size());
  rank::with_key(in.format.type, [&]<class Key>(Key, Key infinity) {
    const Coding<Key> coding{infinity, kind == Extremum::minimum, in.format.channels()};
    const auto run = [&](auto load, auto store) {
      const WindowFilter<Key, decltype(load), decltype(store)> filter{exec.stream(), load, area,
                                                                      store};
      if (half_widths.front() == half_widths.back())
        filter.rectangle(half_widths.front(), static_cast<int>(half_widths.size()) - 1);
      else
        filter.runs(half_widths);
    };
    if (coding.channels == 4)
      run(LoadCells<Key, true>{in, have, coding}, StoreCells<Key, true>{out, coding});
    else
      run(LoadCells<Key, false>{in, have, coding}, StoreCells<Key, false>{out, coding});
  });
}

}  // namespace cuda_filters::cuda
