// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/groups.hpp"
#include "gpu/algorithms/aperture/terms.hpp"
#include "gpu/algorithms/aperture/weighted_mean.cuh"
#include "gpu/core/floor_divide.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/parts.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using aperture::Term;
using aperture::Terms;

using aperture::columns;

/// A block has a tile; each thread `columns` pixels of one of its rows, with a sum in registers for
/// each.
constexpr int warp = 32, tile_width = columns * warp, max_rows_at_once = 4;

/// Rows of a tile. Higher tiles read each row of the input less often; of two blocks beside each
/// other one computes while the other one waits for its rows.
constexpr int many_warps = 24, few_warps = 12, least_warps = 4;
constexpr int blocks_of(bool grouped) { return grouped ? 1 : 2; }
/// `limit`: how much shared memory a block may have. The sums of groups leave two fifths of it.
int warps_of(bool grouped, std::size_t limit) {
  const std::size_t of_warp = sizeof(Pixel) * tile_width;
  if (!grouped) return few_warps;
  for (const int warps : {many_warps, few_warps})
    if (5 * warps * of_warp <= 3 * limit) return warps;
  return least_warps;
}

struct DeviceTerms {
  const Term* terms;
  const int* rows;  ///< for each row, and the end: packed_row()
  Halo reach;
  int planes, step, stride;
  int rows_at_once;  ///< as many rows of the input as there is room for
  float scale;
};

/// The number of a row's first term, and whether the row before is the last one of its group.
int packed_row(int first, bool begins_group) { return 2 * first + (begins_group ? 1 : 0); }
__device__ int first_of(int row) { return row >> 1; }
__device__ bool begins_group(int row) { return row & 1; }

/// A term, which all threads of a warp read.
__device__ Term read(const Term* term) {
  const int4* const from = reinterpret_cast<const int4*>(term);
  union {
    int4 parts[2];
    Term term;
  } copy{{__ldg(from), __ldg(from + 1)}};
  return copy.term;
}

/// Of a row of `count` pixels, to[i] becomes the sum of the 2^`step` pieces of `from` that lie
/// 2^`log_length` pixels apart, from i on.
template <int threads>
__device__ void sum_pieces(const Pixel* from, Pixel* to, int log_length, int step, int count) {
  const int thread = static_cast<int>(threadIdx.x), length = 1 << log_length;
  const int whole = count - (length << step) + 1;
  if (step != 2 || length == 1) {
    for (int i = thread; i < whole; i += threads) {
      Pixel sum = from[i];
      for (int j = 1; j < 1 << step; ++j) sum = sum + from[i + (j << log_length)];
      to[i] = sum;
    }
    return;
  }
  // Four sums of four pieces each share seven that are read.
  constexpr int sums = 4;
  const int last = count - length;
  for (int group = thread;; group += threads) {
    const int first = (group >> log_length << (log_length + 2)) + (group & (length - 1));
    if (first >= whole) return;
    Pixel pixels[2 * sums - 1];
#pragma unroll
    for (int k = 0; k < 2 * sums - 1; ++k) pixels[k] = from[min(first + (k << log_length), last)];
#pragma unroll
    for (int k = 0; k < sums; ++k)
      if (first + (k << log_length) < whole)
        to[first + (k << log_length)] = pixels[k] + pixels[k + 1] + pixels[k + 2] + pixels[k + 3];
  }
}

/// So many rows of tiles, or somewhat fewer, that the GPU has blocks for all of its multiprocessors
/// until the last ones: as many blocks as it computes at a time, or some times that.
int rows_of_parts(double rows, const Tiles& tiles, unsigned blocks_at_once) {
  const double across = tiles.across();
  const double blocks = std::floor(rows / tiles.height) * across;
  const double times = std::floor(blocks / blocks_at_once);
  const double full = times > 0.0 ? times * blocks_at_once : blocks;
  const double down = std::min(std::floor(full / across), 1e6);
  return std::max(1, static_cast<int>(down)) * tiles.height;
}

/// Some rows of the input at a time come to shared memory, with the sums of what lies side by side
/// in them, and are added to all rows of the tile that they are part of. `grouped`: groups of the
/// aperture's rows have sums of their own, which are added up in shared memory.
template <int warps, bool grouped, class Load, class Storer>
__global__ void __launch_bounds__(warp* warps, blocks_of(grouped))
    aperture_kernel(Tiles tiles, Rect area, Load load, DeviceTerms terms, Storer store) {
  constexpr int threads = warp * warps;
  extern __shared__ Pixel shared[];
  Pixel* const rows = shared + (grouped ? columns * threads : 0);
  const int x0 = tiles.x(blockIdx.x), y0 = tiles.y(blockIdx.x);
  const int width = min(tile_width, area.right() - x0), height = min(warps, area.bottom() - y0);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp, reach = terms.reach.y;
  const int own_y = y0 + thread / warp;
  const int count = width + 2 * terms.reach.x, row_stride = terms.planes * terms.stride;
  Pixel sums[columns] = {};
  if (grouped)
    for (int c = 0; c < columns; ++c) shared[c * threads + thread] = {};
  const int end_row = y0 + height + reach;
  for (int y = y0 - reach; y < end_row; y += terms.rows_at_once) {
    const int row_count = min(terms.rows_at_once, end_row - y);
    __syncthreads();  // the rows before are done with
    for (int r = 0; r < row_count; ++r)
      for (int i = thread; i < count; i += threads)
        rows[r * row_stride + i] = load(max(x0 + i, area.x) - terms.reach.x, y + r);
    for (int k = 1; k < terms.planes; ++k) {
      __syncthreads();
      for (int r = 0; r < row_count; ++r) {
        Pixel* const to = rows + r * row_stride + k * terms.stride;
        sum_pieces<threads>(to - terms.stride, to, (k - 1) * terms.step, terms.step, count);
      }
    }
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < row_count; ++r) {
      const int row = y + r - own_y + reach;
      if (row < 0 || row > 2 * reach) continue;
      const Pixel* const pixels = rows + r * row_stride + lane * columns;
      const int next = __ldg(terms.rows + row + 1), end = first_of(next);
#pragma unroll 1
      for (int t = first_of(__ldg(terms.rows + row)); t < end; ++t)
        aperture::add_term(read(terms.terms + t), pixels, sums);
      if (grouped && begins_group(next))
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          Pixel& total = shared[c * threads + thread];
          total = total + sums[c];
          sums[c] = {};
        }
    }
  }
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const int x = x0 + lane * columns + c;
    if (x >= area.x && x < area.right() && own_y < area.bottom())
      store(x, own_y, (grouped ? shared[c * threads + thread] : sums[c]) * terms.scale);
  }
}

/// The multiple of `columns` at or before x.
int aligned_column(int x) { return floor_divide(x, columns) * columns; }

/// The terms of an aperture, and of which block they are for.
struct Planned {
  bool grouped;
  int warps;
  std::size_t bytes_of_groups, room;  ///< the latter in pixels
  Terms terms;

  Planned(const Matrix& weights, bool in_groups)
      : grouped{in_groups},
        warps{warps_of(grouped, shared_memory_limit())},
        bytes_of_groups{grouped ? sizeof(Pixel) * tile_width * warps : 0},
        room{(shared_memory_limit(blocks_of(grouped)) - bytes_of_groups) / sizeof(Pixel)},
        terms{Terms::of(weights, tile_width, room)} {}

  /// How many numbers go into a result.
  int additions() const {
    const std::vector<int> all = terms.additions();
    return std::accumulate(all.begin(), all.end(), 0);
  }
  std::vector<int> packed_rows() const {
    const std::vector<bool> ends = aperture::ends_of_groups(terms.additions());
    std::vector<int> rows{packed_row(0, false)};
    for (std::size_t row = 0; row < ends.size(); ++row)
      rows.push_back(packed_row(terms.first[row + 1], ends[row]));
    return rows;
  }
};

}  // namespace

void weighted_mean(Exec& exec, const Input& in, const Output& out, const Matrix& weights) {
  // One sum may have twice as many as a group: without groups two blocks have room.
  Planned planned{weights, false};
  if (planned.additions() > 2 * aperture::max_additions) planned = {weights, true};
  const Terms& terms = planned.terms;
  const int warps = planned.warps;
  const auto device_terms = exec.upload(terms.terms);
  const std::vector<int> packed_rows = planned.packed_rows();
  const auto rows = exec.upload(packed_rows);
  const std::size_t row_stride = static_cast<std::size_t>(terms.stride) * terms.planes();
  const int rows_at_once =
      std::clamp(static_cast<int>(planned.room / row_stride), 1, max_rows_at_once);
  const DeviceTerms device{device_terms.data(), rows.data(),  terms.reach,  terms.planes(),
                           terms.step,          terms.stride, rows_at_once, terms.scale()};
  const std::size_t bytes = sizeof(Pixel) * row_stride * rows_at_once + planned.bytes_of_groups;
  // In which order a pixel's terms are added up depends on which of its thread's columns it is in:
  // that must be the same wherever the area begins.
  Rect aligned = out.area;
  aligned.x = aligned_column(out.area.x);
  aligned.width += out.area.x - aligned.x;
  // An H200 takes up to 30 ms for as many.
  const double part_rows = 2e10 / (static_cast<double>(terms.terms.size()) * aligned.width);
  with_both(in, out, [&](auto load, auto store) {
    const auto launch = [&](auto kernel) {
      allow_shared_memory(kernel);
      const int of_part = rows_of_parts(part_rows, {aligned, tile_width, warps},
                                        blocks_at_once(kernel, warp * warps, bytes));
      in_parts(exec.stream(), aligned, of_part, warps, [&](Rect part) {
        const Tiles tiles{part, tile_width, warps};
        const Rect wanted{out.area.x, part.y, out.area.width, part.height};
        kernel<<<tiles.count(), warp * warps, bytes, exec.stream()>>>(tiles, wanted, load, device,
                                                                      store);
      });
    };
    using Load = decltype(load);
    using Storer = decltype(store);
    if (!planned.grouped)
      launch(aperture_kernel<few_warps, false, Load, Storer>);
    else if (warps == many_warps)
      launch(aperture_kernel<many_warps, true, Load, Storer>);
    else if (warps == few_warps)
      launch(aperture_kernel<few_warps, true, Load, Storer>);
    else
      launch(aperture_kernel<least_warps, true, Load, Storer>);
  });
}

void aperture_mean(Exec& exec, const Input& in, const Output& out,
                   const aperture::Aperture& aperture) {
  if (out.area.empty()) return;
  if (!stored_alike(in, out))
    return exec.through_temporary(
        in, out, footprint::aperture_mean(aperture).halo,
        [&](const Input& from, const Output& to) { aperture_mean(exec, from, to, aperture); });
  weighted_mean(exec, in, out, aperture::weights_of(aperture));
}

}  // namespace cuda_filters::cuda
