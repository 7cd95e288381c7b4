// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/aperture/terms.hpp"
#include "gpu/algorithms/aperture/weighted_mean.cuh"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/parts.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using aperture::Term;
using aperture::Terms;

using aperture::columns;

/// A block has a tile; each thread some rows of `columns` pixels, with a sum in registers for each.
constexpr int warp = 32, tile_width = columns * warp, max_rows_at_once = 4;

struct DeviceTerms {
  const Term* terms;
  const int* first;
  Halo reach;
  int planes, step, stride;
  int rows_at_once;  ///< as many rows of the input as there is room for
  float scale;
};

/// A term, which all threads of a warp read.
__device__ Term read(const Term* term) {
  const int4* const from = reinterpret_cast<const int4*>(term);
  union {
    int4 parts[3];
    Term term;
  } copy{{__ldg(from), __ldg(from + 1), __ldg(from + 2)}};
  return copy.term;
}

__device__ float finite(float value) { return isfinite(value) ? value : 0.0f; }

/// Adds what a row gives; a compensated sum keeps what rounding lost in `lost` (Kahan, 1965).
template <bool compensated>
__device__ void add_row(Pixel& sum, Pixel& lost, const Pixel& row) {
  if constexpr (compensated) {
    const Pixel value = row - lost, next = sum + value, more = (next - sum) - value;
    sum = next;
    // From infinity on nothing is lost that could be counted.
    lost = {finite(more.r), finite(more.g), finite(more.b), finite(more.a)};
  } else {
    sum = sum + row;
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
/// in them, and are added to all rows of the tile that they are part of.
template <int warps, int rows, bool compensated, class Load, class Storer>
__global__ void __launch_bounds__(warp* warps)
    aperture_kernel(Tiles tiles, Rect area, Load load, DeviceTerms terms, Storer store) {
  constexpr int threads = warp * warps;
  extern __shared__ Pixel shared[];
  const int x0 = tiles.x(blockIdx.x), y0 = tiles.y(blockIdx.x);
  const int width = min(tile_width, area.right() - x0);
  const int height = min(rows * warps, area.bottom() - y0);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp, reach = terms.reach.y;
  // Rows of a warp do not lie side by side: so all warps have about as much to do at any time.
  const int first_row = thread / warp;
  const int count = width + 2 * terms.reach.x, row_stride = terms.planes * terms.stride;
  Pixel sums[rows][columns] = {}, lost[rows][columns] = {};
  const int end_row = y0 + height + reach;
  for (int y = y0 - reach; y < end_row; y += terms.rows_at_once) {
    const int row_count = min(terms.rows_at_once, end_row - y);
    __syncthreads();  // the rows before are done with
    for (int r = 0; r < row_count; ++r)
      for (int i = thread; i < count; i += threads)
        shared[r * row_stride + aperture::padded(i)] =
            load(max(x0 + i, area.x) - terms.reach.x, y + r);
    int length = 1;
    for (int k = 1; k < terms.planes; ++k) {
      __syncthreads();
      const int whole = count - (length << terms.step) + 1;
      for (int r = 0; r < row_count; ++r) {
        Pixel* const to = shared + r * row_stride + k * terms.stride;
        const Pixel* const from = to - terms.stride;
        for (int i = thread; i < whole; i += threads) {
          Pixel sum = from[aperture::padded(i)];
          for (int j = 1; j < 1 << terms.step; ++j)
            sum = sum + from[aperture::padded(i + j * length)];
          to[aperture::padded(i)] = sum;
        }
      }
      length <<= terms.step;
    }
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < row_count; ++r) {
      const Pixel* const pixels = shared + r * row_stride + lane * aperture::padded_columns;
#pragma unroll 1
      for (int j = 0; j < rows; ++j) {
        const int row = y + r - (y0 + first_row + j * warps) + reach;
        if (row < 0 || row > 2 * reach) continue;
        Pixel of_row[columns] = {};
        const int end = __ldg(terms.first + row + 1);
        for (int t = __ldg(terms.first + row); t < end; ++t)
          aperture::add_term(read(terms.terms + t), pixels, of_row);
#pragma unroll
        for (int k = 0; k < rows; ++k)
          if (k == j)
#pragma unroll
            for (int c = 0; c < columns; ++c)
              add_row<compensated>(sums[k][c], lost[k][c], of_row[c]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < rows; ++j)
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const int x = x0 + lane * columns + c, y = y0 + first_row + j * warps;
      if (x >= area.x && x < area.right() && y < area.bottom())
        store(x, y, sums[j][c] * terms.scale);
    }
}

}  // namespace

void weighted_mean(Exec& exec, const Input& in, const Output& out, const Matrix& weights) {
  // Two blocks have room beside each other.
  const auto room = static_cast<std::size_t>(shared_memory_limit()) / 2 / sizeof(Pixel);
  const Terms terms = Terms::of(weights, tile_width, room);
  const auto device_terms = exec.upload(terms.terms);
  const auto first = exec.upload(terms.first);
  const std::size_t row_stride = static_cast<std::size_t>(terms.stride) * terms.planes();
  const int rows_at_once = std::clamp(static_cast<int>(room / row_stride), 1, max_rows_at_once);
  const DeviceTerms device{device_terms.data(), first.data(), terms.reach,  terms.planes(),
                           terms.step,          terms.stride, rows_at_once, terms.scale()};
  const std::size_t bytes = sizeof(Pixel) * row_stride * rows_at_once;
  // In which order a pixel's terms are added up depends on which of its thread's columns it is in:
  // that must be the same wherever the area begins.
  Rect aligned = out.area;
  aligned.x = out.area.x & -columns;
  aligned.width += out.area.x - aligned.x;
  // An H200 takes 40 ms for as many.
  const double part_rows = 2e10 / (static_cast<double>(terms.terms.size()) * aligned.width);
  with_both(in, out, [&](auto load, auto store) {
    const auto launch = [&](auto kernel, int warps, int rows) {
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)));
      const int height = rows * warps;
      const int of_part = rows_of_parts(part_rows, {aligned, tile_width, height},
                                        blocks_at_once(kernel, warp * warps, bytes));
      in_parts(exec.stream(), aligned, of_part, height, [&](Rect part) {
        const Tiles tiles{part, tile_width, height};
        const Rect wanted{out.area.x, part.y, out.area.width, part.height};
        kernel<<<tiles.count(), warp * warps, bytes, exec.stream()>>>(tiles, wanted, load, device,
                                                                      store);
      });
    };
    using Load = decltype(load);
    using Storer = decltype(store);
    // Higher tiles read each row less often, and lower ones have more threads beside each other.
    if (terms.reach.y <= 8)
      launch(aperture_kernel<8, 2, false, Load, Storer>, 8, 2);
    else if (terms.reach.y <= 100)
      launch(aperture_kernel<8, 4, false, Load, Storer>, 8, 4);
    else  // so many rows that rounding their sum would show
      launch(aperture_kernel<16, 2, true, Load, Storer>, 16, 2);
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
