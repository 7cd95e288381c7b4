// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <memory>

#include "gpu/algorithms/clahe/equalize_tiles.hpp"
#include "gpu/cuda/exec.cuh"

// Kernels in turn: the codes of all pixels; for some rows of tiles their counts and then their
// tables; and the rows of pixels that lie between these. Tiles go on beyond the picture, so that
// counting looks for the rows and columns that stand there.

namespace cuda_filters::cuda {
namespace {

using clahe::ClaheSettings;
using clahe::Codes;
using clahe::Tiling;

Tiling tiling_of(const Input& in, const ClaheSettings& settings) {
  return clahe::tiling_of(in.image.size(), in.format, settings);
}

/// The code of each pixel in every list; a thread has four rows of a column.
template <class Load, class Code>
__global__ void codes_kernel(Rect area, Load load, Tiling tiling, std::size_t plane, Code* codes) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (first + i >= area.bottom()) continue;
    const Pixel p = load.decoded(fetched[i]);
    const std::size_t at = static_cast<std::size_t>(first + i) * tiling.image.width + x;
    for (int list = 0; list < tiling.lists; ++list)
      codes[list * plane + at] = static_cast<Code>(clahe::counted_code(p, tiling, list));
  }
}

constexpr int count_warps = 8;

/// The tables of some rows of tiles, and what they are made of: [tile][list][code].
struct Group {
  Tiling tiling;
  int first;  ///< row of tiles

  __device__ int tile_x(int table) const { return table % tiling.tables_of_row() / tiling.lists; }
  __device__ int tile_y(int table) const { return first + table / tiling.tables_of_row(); }
  __device__ int list(int table) const { return table % tiling.lists; }
};

/// Of 256 bins: each warp counts in shared memory, row by row of the `rows` that a block has of a
/// tile.
__global__ void __launch_bounds__(32 * count_warps)
    count_bytes_kernel(Group group, const std::uint16_t* codes, std::size_t plane, int rows,
                       unsigned* counts) {
  constexpr int bins = 256;
  __shared__ unsigned of_warp[count_warps][bins];
  const Tiling& tiling = group.tiling;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int table = static_cast<int>(blockIdx.y);
  for (int bin = lane; bin < bins; bin += 32) of_warp[warp][bin] = 0;
  warp::sync();

  const std::uint16_t* const from = codes + group.list(table) * plane;
  const int left = group.tile_x(table) * tiling.tile.width, right = left + tiling.tile.width;
  const int top = group.tile_y(table) * tiling.tile.height;
  const int begin = static_cast<int>(blockIdx.x) * rows,
            end = min(begin + rows, tiling.tile.height);
  for (int i = begin + warp; i < end; i += count_warps) {
    const int y = clahe::reflected(top + i, tiling.image.height);
    const std::uint16_t* const row = from + static_cast<std::size_t>(y) * tiling.image.width;
    constexpr int at_once = 8;
    for (int x = left + lane; x < right; x += 32 * at_once) {
      int found[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int column = x + 32 * k;
        found[k] =
            column < right ? __ldg(row + clahe::reflected(column, tiling.image.width)) : bins;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (found[k] < bins) atomicAdd(&of_warp[warp][found[k]], 1u);
    }
  }
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += 32 * count_warps) {
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < count_warps; ++k) sum += of_warp[k][bin];
    if (sum > 0) atomicAdd(&counts[static_cast<std::size_t>(table) * bins + bin], sum);
  }
}

/// Rows that a thread goes down, and how many of them it asks for at a time.
constexpr int column_rows = 32, column_batch = 8;

/// Of 65536 bins: counts in memory. A thread goes down a piece of a column and adds equal neighbors
/// together, so that flat pictures count quickly, too; a block has `32 · count_warps` columns.
__global__ void __launch_bounds__(32 * count_warps)
    count_kernel(Group group, const std::uint32_t* codes, std::size_t plane, int across,
                 unsigned* counts) {
  const Tiling& tiling = group.tiling;
  const int table = static_cast<int>(blockIdx.y), bins = tiling.bins;
  const int chunk = static_cast<int>(blockIdx.x);
  const int column = chunk % across * (32 * count_warps) + static_cast<int>(threadIdx.x);
  const int begin = chunk / across * column_rows;
  const bool is_inside = column < tiling.tile.width;
  const int x =
      clahe::reflected(group.tile_x(table) * tiling.tile.width + min(column, tiling.tile.width - 1),
                       tiling.image.width);
  const int top = group.tile_y(table) * tiling.tile.height;
  const std::uint32_t* const from = codes + group.list(table) * plane + x;
  unsigned* const to = counts + static_cast<std::size_t>(table) * bins;

  int last = bins;
  unsigned length = 0;
  for (int first = begin; first < begin + column_rows; first += column_batch) {
    int found[column_batch];
#pragma unroll
    for (int k = 0; k < column_batch; ++k) {
      const int i = first + k;
      const int y = clahe::reflected(top + min(i, tiling.tile.height - 1), tiling.image.height);
      const auto code =
          static_cast<int>(__ldg(from + static_cast<std::size_t>(y) * tiling.image.width));
      found[k] = is_inside && i < tiling.tile.height ? code : bins;
    }
#pragma unroll
    for (int k = 0; k < column_batch; ++k) {
      if (found[k] != last) {
        if (last < bins) atomicAdd(&to[last], length);
        last = found[k], length = 0;
      }
      ++length;
    }
  }
  // Where the whole warp ends alike, one lane adds for all.
  if (warp::all(last == warp::from_lane(last, 0))) {
    length = across_warp(length, Sum{});
    if (threadIdx.x % 32 != 0) return;
  }
  if (last < bins) atomicAdd(&to[last], length);
}

/// A block makes a table of the counts of a tile, four bins a thread at a time.
template <int threads>
__global__ void __launch_bounds__(threads)
    tables_kernel(Tiling tiling, const unsigned* counts, std::uint16_t* tables) {
  using Reduce = cub::BlockReduce<unsigned, threads>;
  using Scan = cub::BlockScan<unsigned, threads>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  __shared__ unsigned shared_sum;
  const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * tiling.bins;
  const auto* const from = reinterpret_cast<const uint4*>(counts + begin);
  auto* const to = reinterpret_cast<ushort4*>(tables + begin);
  const int thread = static_cast<int>(threadIdx.x), fours = tiling.bins / 4;
  const auto sum_of = [&](auto of_bin) {
    unsigned mine = 0;
    for (int i = thread; i < fours; i += threads) {
      const uint4 bins = from[i];
      mine += (of_bin(bins.x) + of_bin(bins.y)) + (of_bin(bins.z) + of_bin(bins.w));
    }
    const unsigned sum = Reduce{storage.reduce}.Sum(mine);
    if (thread == 0) shared_sum = sum;
    __syncthreads();
    const unsigned all = shared_sum;
    __syncthreads();  // both serve again
    return all;
  };
  const unsigned counted = sum_of([](unsigned count) { return count; });
  const unsigned limit = clahe::clip_limit_of(tiling, counted);
  const unsigned clipped =
      sum_of([&](unsigned count) { return count > limit ? count - limit : 0u; });
  const clahe::Clipping clipping = clahe::clipping_of(tiling, counted, limit, clipped);

  const int top = tiling.bins - 1;
  unsigned before = 0;
  for (int first = 0; first < fours; first += threads) {
    const int i = first + thread;  // there are as many fours as threads, or a multiple of these
    const uint4 bins = from[i];
    const unsigned a = min(bins.x, limit), b = a + min(bins.y, limit), c = b + min(bins.z, limit),
                   d = c + min(bins.w, limit);
    unsigned start = 0, all = 0;
    Scan{storage.scan}.ExclusiveSum(d, start, all);
    __syncthreads();  // the storage serves again
    start += before;
    before += all;
    const auto code = [&](int k, unsigned sum) {
      const auto bin = static_cast<unsigned>(4 * i + k);
      return static_cast<unsigned short>(
          clipping.empty ? static_cast<int>(bin)
                         : clipping.code(start + sum + clipping.spread(bin), top));
    };
    to[i] = {code(0, a), code(1, b), code(2, c), code(3, d)};
  }
}

/// Brings pixels through the tables of the tiles around them; a thread has four rows of a column.
template <class Load, class Storer>
__global__ void equalize_kernel(Rect area, Load load, Storer store, Group group, bool color,
                                const std::uint16_t* tables) {
  const Tiling& tiling = group.tiling;
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
  const clahe::Between across = clahe::between_tiles(x, tiling.tile.width, tiling.tiles_x);
  const float top = tiling.top();
  const auto table = [&](int tile_x, int tile_y, int list) {
    const int row = (tile_y - group.first) * tiling.tables_of_row();
    return tables + static_cast<std::size_t>(row + tile_x * tiling.lists + list) * tiling.bins;
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int y = first + i;
    if (y >= area.bottom()) continue;
    const Pixel before = load.decoded(fetched[i]);
    const clahe::Between down = clahe::between_tiles(y, tiling.tile.height, tiling.tiles_y);
    const auto found = [&](float value, int list) {
      const int code = clahe::code_of(clahe::limited(value), top);
      const auto at = [&](int tile_x, int tile_y) {
        return static_cast<float>(__ldg(table(tile_x, tile_y, list) + code));
      };
      return static_cast<float>(clahe::interpolated(
          at(across.before, down.before), at(across.after, down.before),
          at(across.before, down.after), at(across.after, down.after), across.share, down.share));
    };
    Pixel after = before;
    if (tiling.lists == 3) {
      after.r = clahe::equalized(before.r, found(before.r, 0), top);
      after.g = clahe::equalized(before.g, found(before.g, 1), top);
      after.b = clahe::equalized(before.b, found(before.b, 2), top);
    } else if (color) {
      const float luminance = clahe::luminance_of(before);
      after = clahe::with_luminance(before, luminance, found(luminance, 0), top);
    } else {
      after.r = after.g = after.b = clahe::equalized(before.r, found(before.r, 0), top);
    }
    store(x, y, after, before);
  }
}

using CodeBuffer = Buffer<std::byte>;

CodeBuffer make_codes(const Tiling& tiling, cudaStream_t stream) {
  return {plane_pixels(tiling) * tiling.lists * code_bytes(tiling), stream};
}

constexpr int block_columns = 64, block_rows = 4;
dim3 grid_of(Rect area) {
  return {divide_up(area.width, block_columns), divide_up(area.height, 4 * block_rows)};
}

void collect(const Input& in, Rect area, const Tiling& tiling, std::byte* codes,
             cudaStream_t stream) {
  const dim3 block{block_columns, block_rows};
  with_quick_loader_or_gray(in, [&](auto load) {
    with_code_type(tiling, [&]<class Code>(Code) {
      codes_kernel<<<grid_of(area), block, 0, stream>>>(area, load, tiling, plane_pixels(tiling),
                                                        reinterpret_cast<Code*>(codes));
      check(cudaGetLastError());
    });
  });
}

/// Makes the tables of `rows` rows of tiles; `counts` has room for as many.
void make_tables(const Group& group, int rows, const std::byte* codes, Buffer<unsigned>& counts,
                 std::uint16_t* tables, cudaStream_t stream) {
  const Tiling& tiling = group.tiling;
  const auto all = static_cast<unsigned>(rows * tiling.tables_of_row());
  const std::size_t plane = plane_pixels(tiling), bins = static_cast<std::size_t>(tiling.bins);
  check(cudaMemsetAsync(counts.data(), 0, all * bins * sizeof(unsigned), stream));
  if (tiling.bins == 256) {
    // So many rows a block that there are some thousands of blocks.
    constexpr int enough = 2048;
    const int parts = std::max(1, enough / static_cast<int>(all));
    const int rows_of_block = std::max<int>(count_warps, divide_up(tiling.tile.height, parts));
    const dim3 grid{divide_up(tiling.tile.height, rows_of_block), all};
    count_bytes_kernel<<<grid, 32 * count_warps, 0, stream>>>(
        group, reinterpret_cast<const std::uint16_t*>(codes), plane, rows_of_block, counts.data());
    check(cudaGetLastError());
    tables_kernel<64><<<all, 64, 0, stream>>>(tiling, counts.data(), tables);
  } else {
    const unsigned across = divide_up(tiling.tile.width, 32 * count_warps);
    const dim3 grid{across * divide_up(tiling.tile.height, column_rows), all};
    count_kernel<<<grid, 32 * count_warps, 0, stream>>>(
        group, reinterpret_cast<const std::uint32_t*>(codes), plane, static_cast<int>(across),
        counts.data());
    check(cudaGetLastError());
    tables_kernel<1024><<<all, 1024, 0, stream>>>(tiling, counts.data(), tables);
  }
  check(cudaGetLastError());
}

}  // namespace

void collect_codes(Exec& exec, const Input& in, Rect area, const ClaheSettings& settings,
                   Codes& codes) {
  const Tiling tiling = tiling_of(in, settings);
  if (codes.on_device == nullptr) {
    const auto memory = std::make_shared<CodeBuffer>(make_codes(tiling, exec.stream()));
    codes.on_device = {memory, memory->data()};
  }
  collect(in, area, tiling, static_cast<std::byte*>(codes.on_device.get()), exec.stream());
}

void equalize_tiles(Exec& exec, const Input& in, const Output& out, const ClaheSettings& settings,
                    const Codes& codes) {
  const Tiling tiling = tiling_of(in, settings);
  const auto* all = static_cast<const std::byte*>(codes.on_device.get());
  CodeBuffer own;
  if (all == nullptr) {
    own = make_codes(tiling, exec.stream());
    collect(in, in.image, tiling, own.data(), exec.stream());
    all = own.data();
  }
  const auto place = [&](int y) {
    return clahe::between_tiles(y, tiling.tile.height, tiling.tiles_y);
  };
  const Rect area = out.area;
  const int last = place(area.bottom() - 1).after;
  const int max_rows = std::min(rows_at_once(tiling), last + 1 - place(area.y).before);
  const std::size_t room =
      static_cast<std::size_t>(max_rows) * tiling.tables_of_row() * tiling.bins;
  Buffer<unsigned> counts{room, exec.stream()};
  const Buffer<std::uint16_t> tables{room, exec.stream()};
  const bool color = in.format.color;
  const dim3 block{block_columns, block_rows};

  const auto compute = [&](const Input& from, const Output& to) {
    for (int y = area.y; y < area.bottom();) {
      const Group group{tiling, place(y).before};
      const int end = std::min(last + 1, group.first + max_rows);
      make_tables(group, end - group.first, all, counts, tables.data(), exec.stream());
      int bottom = y;
      while (bottom < area.bottom() && place(bottom).after < end) ++bottom;
      const Rect part{area.x, y, area.width, bottom - y};
      with_quick_both_or_gray(from, to, [&](auto load, auto store) {
        equalize_kernel<<<grid_of(part), block, 0, exec.stream()>>>(part, load, store, group, color,
                                                                    tables.data());
        check(cudaGetLastError());
      });
      y = bottom;
    }
  };
  if (!stored_alike(in, out)) return exec.through_temporary(in, out, {}, compute);
  compute(in, out);
}

}  // namespace cuda_filters::cuda
