// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <utility>

#include "gpu/cuda/selected.cuh"
#include "gpu/cuda/store.cuh"

// The kernels of the primitives, which Exec launches.

namespace cuda_filters::cuda {

/// Gives the function of a map() to its kernel: one that the host knew, …
template <class F>
struct Known {
  using Function = F;
  F f;
  __device__ const F& operator()() const { return f; }
};
/// … or one that was made of what was found before, which never leaves the device.
template <class F>
struct DeviceFunctor {
  using Function = F;
  const F* f;
  __device__ const F& operator()() const { return *f; }
};
template <class Make, class Found, class F>
__global__ void make_kernel(Make make, const Found* found, F* f) {
  *f = make(*found);
}

template <class Load, class Storer, class Given>
__global__ void map_kernel(Rect area, Load load, Storer store, Given given) {
  const auto& f = given();
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
  Pixel before[4], after[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) after[i] = before[i] = load.decoded(fetched[i]);
  if constexpr (requires { f.change(after); })
    f.change(after);
  else
#pragma unroll
    for (int i = 0; i < 4; ++i) after[i] = f(before[i]);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i < area.bottom()) store(x, first + i, after[i], before[i]);
}

constexpr int table_threads = 256, table_rows = 32;

/// Rewrites the pixels of 8-bit RGBA with all threads of a block, four a thread; `wide`: they lie
/// at multiples of 16 bytes. The columns of the image just count up. A thread asks for `at_once`
/// rows before it waits: one is best for a table (0.058 against 0.063 ms on an H200), two are where
/// more is computed (0.070 against 0.074).
template <bool wide, int at_once, class Changed>
__device__ void rewrite_bytes(const Input& in, const Output& out, Changed changed) {
  const int width = out.area.width, thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * 4 * table_threads, four = first + 4 * thread;
  const int top = static_cast<int>(blockIdx.y) * table_rows;
  const int rows = min(table_rows, out.area.height - top);
  // Each lane knows the place of one row.
  static_assert(table_rows == 32);
  const int slot = in.rows[out.area.y - in.area.y + top + min(thread % 32, rows - 1)];
  const auto slot_bytes = static_cast<unsigned>(in.slot_bytes);
  const std::byte* const store =
      in.store + in.columns[out.area.x - in.area.x] * std::int64_t{sizeof(unsigned)};
  auto* to = reinterpret_cast<unsigned*>(out.codes) + static_cast<std::size_t>(top) * width;
#pragma unroll 1
  for (int y = 0; y < rows; y += at_once) {
    const unsigned* from[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const std::uint64_t row = static_cast<unsigned>(warp::from_lane(slot, min(y + k, rows - 1)));
      from[k] = reinterpret_cast<const unsigned*>(store + row * slot_bytes);
    }
    if (wide && four + 4 <= width) {
      uint4 p[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        p[k] = __ldg(reinterpret_cast<const uint4*>(from[k] + four));
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (y + k < rows)
          *reinterpret_cast<uint4*>(to + std::size_t(k) * width + four) = {
              changed(p[k].x), changed(p[k].y), changed(p[k].z), changed(p[k].w)};
    } else {
#pragma unroll
      for (int k = 0; k < at_once; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int x = wide ? four + i : first + thread + i * table_threads;
          if (x < width && y + k < rows)
            to[std::size_t(k) * width + x] = changed(__ldg(from[k] + x));
        }
    }
    to += std::size_t{at_once} * width;
  }
}

/// A function of single samples: each block makes a table of all codes.
template <bool wide, class Given>
__global__ void __launch_bounds__(table_threads)
    byte_table_kernel(Input in, Output out, Given given) {
  const auto& f = given();
  constexpr IndexRange changed = changed_channels<typename Given::Function>;
  __shared__ std::uint8_t table[changed.end - changed.begin][256];
  const unsigned code = threadIdx.x;
  for (int c = changed.begin; c < changed.end; ++c) {
    const float value = decode_code(code, 255.0f, c < 3 ? in.curves.values[c] : nullptr);
    table[c - changed.begin][code] =
        static_cast<std::uint8_t>(encode_code(f.color(value, c), 255, in.curves, c));
  }
  __syncthreads();
  rewrite_bytes<wide, 1>(in, out, [&](unsigned pixel) {
    unsigned result = 0;
#pragma unroll
    for (int c = 0; c < 4; ++c)
      result |= c >= changed.begin && c < changed.end
                    ? unsigned{table[c - changed.begin][pixel >> 8 * c & 255]} << 8 * c
                    : pixel & 255u << 8 * c;
    return result;
  });
}

/// A color and, in the lowest byte, the code that it was stored as.
struct StoredColor {
  float value;
  unsigned code;
  __device__ operator float() const { return value; }
};

/// A pixel of the lowest bytes of four.
__device__ inline unsigned pixel_of(unsigned r, unsigned g, unsigned b, unsigned a) {
  return __byte_perm(__byte_perm(r, g, 0x0040), __byte_perm(b, a, 0x0040), 0x5410);
}

/// A function of whole pixels, without premultiplication; `curved`: the colors have curves, which
/// follow a formula.
template <bool wide, bool curved, class Given>
__global__ void __launch_bounds__(table_threads)
    byte_map_kernel(Input in, Output out, Given given) {
  const auto& f = given();
  __shared__ float values[curved ? 3 : 1][256];
  if constexpr (curved) {
    for (int c = 0; c < 3; ++c) values[c][threadIdx.x] = in.curves.values[c][threadIdx.x];
    __syncthreads();
  }
  const auto decode = [&](unsigned pixel, int c) {
    return curved && c < 3 ? values[c][pixel >> 8 * c & 255] : decode_byte(pixel, c, nullptr);
  };
  const auto decoded = [&](unsigned pixel) {
    return Pixel{decode(pixel, 0), decode(pixel, 1), decode(pixel, 2), decode(pixel, 3)};
  };
  if constexpr (requires(Pixel p) { f.gray(p); }) {
    rewrite_bytes<wide, 2>(in, out, [&](unsigned pixel) {
      const float gray = f.gray(decoded(pixel));
      bool doubt = false;
      const unsigned code =
          curved ? estimate_code(gray, 255, in.curves, doubt) : nearest_code(gray, 255.0f);
      if (!doubt) return __byte_perm(code, pixel, 0x7000);
      unsigned codes[3];
#pragma unroll
      for (int c = 0; c < 3; ++c)
        codes[c] = c > 0 && in.curves.thresholds[c] == in.curves.thresholds[0]
                       ? codes[0]
                       : corrected_code(code, gray, 255, in.curves.thresholds[c]);
      return pixel_of(codes[0], codes[1], codes[2], pixel >> 24);
    });
    return;
  }
  if constexpr (requires(StoredColor c) { f.pick(c, c, c, 0.0f); }) {
    const bool same = in.curves.thresholds[0] == in.curves.thresholds[1] &&
                      in.curves.thresholds[0] == in.curves.thresholds[2];
    if (same) {
      rewrite_bytes<wide, 2>(in, out, [&](unsigned pixel) {
        StoredColor r{decode(pixel, 0), pixel}, g{decode(pixel, 1), pixel >> 8},
            b{decode(pixel, 2), pixel >> 16};
        const float a = f.pick(r, g, b, decode(pixel, 3));
        return pixel_of(r.code, g.code, b.code, nearest_code(a, 255.0f));
      });
      return;
    }
  }
  rewrite_bytes<wide, 2>(in, out, [&](unsigned pixel) {
    const Pixel after = f(decoded(pixel));
    const float colors[3] = {after.r, after.g, after.b};
    unsigned codes[3];
    if constexpr (curved)
      encode_colors<true>(colors, 255, in.curves, codes);
    else
#pragma unroll
      for (int c = 0; c < 3; ++c) codes[c] = nearest_code(colors[c], 255.0f);
    const unsigned alpha =
        in.alpha == Alpha::passthrough ? pixel >> 24 : nearest_code(after.a, 255.0f);
    return pixel_of(codes[0], codes[1], codes[2], alpha);
  });
}

constexpr int reduce_threads = 256;

/// Each block leaves what its pixels make of a T.
template <class T, class Load, class Others, class F>
__global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(Rect area, Load load, Others others, F f, T* of_blocks) {
  __shared__ alignas(T) std::byte memory[reduce_threads * sizeof(T)];
  T* const totals = reinterpret_cast<T*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  T mine{};
  const auto add = [&](const auto&... values) { f(mine, values...); };
  for_selected<reduce_threads>(
      area, load, [&](const Pixel& p, int x, int y) { Others::apply(add, others.fetch(x, y), p); });
  totals[thread] = mine;
  for (int half = reduce_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) totals[thread].merge(totals[thread + half]);
  }
  if (thread == 0) of_blocks[blockIdx.x] = totals[0];
}

/// What another lane of the warp has.
__device__ inline Pixel pixel_from_lane(Pixel p, int lane) {
  return {warp::from_lane(p.r, lane), warp::from_lane(p.g, lane), warp::from_lane(p.b, lane),
          warp::from_lane(p.a, lane)};
}

/// A warp goes down a strip of 30 columns; its outer lanes only read.
constexpr int stencil_rows = 16, stencil_columns = 30, stencil_warps = 4;
/// Rows that it reads at a time.
constexpr int stencil_batch = 4;

template <class Load, class Storer, class F>
__global__ void __launch_bounds__(32 * stencil_warps)
    stencil3_kernel(Rect area, Load load, Storer store, F f) {
  const int lane = threadIdx.x % 32;
  const int strip =
      static_cast<int>(blockIdx.x) * stencil_warps + static_cast<int>(threadIdx.x) / 32;
  const int x = area.x + strip * stencil_columns - 1 + lane;
  const int first = area.y + static_cast<int>(blockIdx.y) * stencil_rows;
  const bool writes = lane > 0 && lane < 31 && x < area.right();
  // Columns and rows beyond the last one that is needed are that one again.
  const auto fetch = [&](int y) { return load.fetch(min(x, area.right()), min(y, area.bottom())); };
  Pixel around[3][3];
  const auto push = [&](const auto& fetched) {
    const Pixel pixel = load.decoded(fetched);
#pragma unroll
    for (int row = 0; row < 2; ++row)
#pragma unroll
      for (int column = 0; column < 3; ++column) around[row][column] = around[row + 1][column];
    around[2][0] = pixel_from_lane(pixel, (lane + 31) % 32);
    around[2][1] = pixel;
    around[2][2] = pixel_from_lane(pixel, (lane + 1) % 32);
  };
  push(fetch(first - 1));
  push(fetch(first));
#pragma unroll
  for (int i = 0; i < stencil_rows; i += stencil_batch) {
    decltype(fetch(first)) fresh[stencil_batch];
#pragma unroll
    for (int k = 0; k < stencil_batch; ++k) fresh[k] = fetch(first + i + k + 1);
#pragma unroll
    for (int k = 0; k < stencil_batch; ++k) {
      push(fresh[k]);
      const int y = first + i + k;
      if (writes && y < area.bottom()) store(x, y, f(around), around[1][1]);
    }
  }
}

/// f of the pixels of several pictures, the first one of which may be stored in any way.
template <class Load, class Others, class Storer, class F>
__global__ void map_pictures_kernel(Rect area, Load load, Others others, Storer store, F f) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
  typename Others::Values other[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int y = min(first + i, area.bottom() - 1);
    fetched[i] = load.fetch(x, y);
    other[i] = others.fetch(x, y);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const auto before = load.decoded(fetched[i]);
    const auto after = Others::apply(f, other[i], before);
    if (first + i >= area.bottom()) continue;
    if constexpr (requires { store(x, first, after, before); })
      store(x, first + i, after, before);
    else
      store(x, first + i, after);
  }
}

/// Finds what is around a pixel.
template <class Load>
struct Around {
  Load load;
  int x, y;
  __device__ auto operator()(int dx, int dy) const { return load.fetch(x + dx, y + dy); }
};

constexpr int neighborhood_columns = 32, neighborhood_rows = 8;

/// f of what is around each pixel of intermediate images, one a thread. Neighbors find what they
/// share in the cache.
template <class F, class... Loads>
__global__ void __launch_bounds__(neighborhood_columns* neighborhood_rows)
    neighborhood_kernel(Rect area, Plane out, F f, Loads... loads) {
  const int x = area.x + static_cast<int>(blockIdx.x * neighborhood_columns + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * neighborhood_rows + threadIdx.y);
  if (x < area.right() && y < area.bottom()) out.at(x, y) = f(Around<Loads>{loads, x, y}...);
}

/// The same of an F whose column() computes F::rows_at_once pixels below each other, all of them by
/// one thread.
template <class F, class... Loads>
__global__ void __launch_bounds__(neighborhood_columns* neighborhood_rows)
    neighborhood_columns_kernel(Rect area, Plane out, F f, Loads... loads) {
  constexpr int rows = F::rows_at_once;
  const int x = area.x + static_cast<int>(blockIdx.x * neighborhood_columns + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * rows;
  if (x >= area.right() || y >= area.bottom()) return;
  const int count = min(rows, area.bottom() - y);
  Pixel results[rows];
  f.column(count, results, Around<Loads>{loads, x, y}...);
#pragma unroll
  for (int k = 0; k < rows; ++k)
    if (k < count) out.at(x, y + k) = results[k];
}

}  // namespace cuda_filters::cuda
