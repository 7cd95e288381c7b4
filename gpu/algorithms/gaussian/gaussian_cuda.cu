// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/gaussian/small_blur.cuh"
#include "gpu/algorithms/separable/channel.cuh"
#include "gpu/algorithms/separable/covering.cuh"

namespace cuda_filters::cuda {
namespace {

static_assert(2 * gaussian::direct_radius(gaussian::pyramid_from) + 1 <= AxisWeights::max_count);

using gaussian::Axes;
using gaussian::Axis;
using gaussian::IndexSpan;

/// The fixed weights of the pyramid, by value in a kernel's parameters.
struct PyramidWeights {
  float down[gaussian::decimate_taps];
  float up[gaussian::factor][gaussian::interpolate_taps];
};

PyramidWeights pyramid_weights() {
  PyramidWeights weights{};
  const auto down = gaussian::decimate_weights();
  const auto up = gaussian::interpolate_weights();
  for (int i = 0; i < gaussian::decimate_taps; ++i) weights.down[i] = down[i];
  for (int p = 0; p < gaussian::factor; ++p)
    for (int i = 0; i < gaussian::interpolate_taps; ++i) weights.up[p][i] = up[p][i];
  return weights;
}

constexpr int across_threads = 128, across_cells = 2 * across_threads;
constexpr int across_pixels = 4 * (across_cells - 1) + gaussian::decimate_taps;

/// Cells of one row: each thread two neighbors, which share most of their pixels.
template <class Load>
__global__ void __launch_bounds__(across_threads)
    decimate_across_kernel(Tiles tiles, Load load, const __grid_constant__ PyramidWeights weights,
                           Plane out) {
  __shared__ Pixel shared[across_pixels + across_pixels / 8 + 1];
  const int cell = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int cells = min(across_cells, tiles.area.right() - cell);
  const int pixels = 4 * (cells - 1) + gaussian::decimate_taps;
  const int x = 4 * cell - gaussian::decimate_before;
  load_shared<across_threads, 5>(
      static_cast<int>(threadIdx.x), pixels, load,
      [&](int i) {
        return int2{x + i, y};
      },
      [&](int i) -> Pixel& { return shared[spread(i)]; });
  __syncthreads();
  const int mine = 2 * static_cast<int>(threadIdx.x);
  if (mine >= cells) return;
  const bool second = mine + 1 < cells;
  Pixel sum[2] = {};
#pragma unroll
  for (int k = 0; k < gaussian::decimate_taps + 4; ++k) {
    if (k >= gaussian::decimate_taps && !second) break;
    const Pixel p = shared[spread(4 * mine + k)];
    if (k < gaussian::decimate_taps) add(sum[0], p, weights.down[k], weights.down[k]);
    if (k >= 4) add(sum[1], p, weights.down[k - 4], weights.down[k - 4]);
  }
  out.at(cell + mine, y) = sum[0];
  if (second) out.at(cell + mine + 1, y) = sum[1];
}

constexpr int down_cells = 4;

/// Cells of one column, each thread four below each other.
template <class Load>
__global__ void __launch_bounds__(256)
    decimate_down_kernel(Tiles tiles, Load load, const __grid_constant__ PyramidWeights weights,
                         Plane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int cell = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * down_cells;
  if (cell >= tiles.area.bottom()) return;  // a warp has one cell
  const int cells = min(down_cells, tiles.area.bottom() - cell);
  const int y = 4 * cell - gaussian::decimate_before;
  // Far outside, a border may be one row again and again.
  bool repeated = false;
  if constexpr (requires { load.repeats(0, 0); })
    repeated = load.repeats(y, gaussian::decimate_taps + 4 * (cells - 1));
  if (x >= tiles.area.right()) return;
  Pixel sum[down_cells] = {}, p{};
#pragma unroll
  for (int k = 0; k < gaussian::decimate_taps + 4 * (down_cells - 1); ++k) {
    if (k >= gaussian::decimate_taps + 4 * (cells - 1)) break;
    if (k == 0 || !repeated) p = load(x, y + k);
#pragma unroll
    for (int j = 0; j < down_cells; ++j)
      if (k >= 4 * j && k - 4 * j < gaussian::decimate_taps)
        add(sum[j], p, weights.down[k - 4 * j], weights.down[k - 4 * j]);
  }
#pragma unroll
  for (int j = 0; j < down_cells; ++j)
    if (j < cells) out.at(x, cell + j) = sum[j];
}

/// The tiles of a block: what it keeps of them must fit in the 64 KiB of a GPU of compute
/// capability 7.5.
template <bool along_x>
constexpr int up_width = along_x ? 128 : 64;
constexpr int up_height = 32, up_threads = 256, up_reach = gaussian::interpolate_reach;

__device__ inline int cell_of(int pixel) { return pixel >> 2; }

/// Interpolates a tile, along columns into shared memory and then along rows. The tiles' grid is
/// that of the cells: the area begins at a multiple of four along an axis that is interpolated.
template <bool along_x, bool along_y, class Storer>
__global__ void __launch_bounds__(up_threads)
    interpolate_kernel(Tiles tiles, Rect wanted, LoadPlane load,
                       const __grid_constant__ PyramidWeights weights, Storer store) {
  constexpr int width = up_width<along_x>;
  constexpr int columns = along_x ? width / 4 + 2 * up_reach : width;
  constexpr int rows = along_y ? up_height / 4 + 2 * up_reach : up_height;
  extern __shared__ Pixel dynamic[];
  Pixel* const coarse = dynamic;                                 // rows × columns
  Pixel* const tall = dynamic + (along_y ? rows * columns : 0);  // up_height × columns
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int left = along_x ? cell_of(x) - up_reach : x, top = along_y ? cell_of(y) - up_reach : y;
  const Rect have = load.plane.area;
  // Threads of one warp read the weights of different phases: from constants they would queue.
  __shared__ float up[gaussian::factor][gaussian::interpolate_taps];
  if (threadIdx.x < gaussian::factor * gaussian::interpolate_taps)
    up[threadIdx.x / gaussian::interpolate_taps][threadIdx.x % gaussian::interpolate_taps] =
        weights
            .up[threadIdx.x / gaussian::interpolate_taps][threadIdx.x % gaussian::interpolate_taps];
  for (int i = threadIdx.x; i < rows * columns; i += up_threads) {
    const int column = left + i % columns, row = top + i / columns;
    const bool inside =
        column >= have.x && column < have.right() && row >= have.y && row < have.bottom();
    coarse[i] = inside ? load(column, row) : Pixel{};
  }
  __syncthreads();
  if (along_y) {
    for (int i = threadIdx.x; i < up_height / 4 * columns; i += up_threads) {
      const int column = i % columns, group = i / columns;
      Pixel sum[4] = {};
#pragma unroll
      for (int k = 0; k <= 2 * up_reach; ++k) {
        const Pixel p = coarse[(group + k) * columns + column];
#pragma unroll
        for (int phase = 0; phase < 4; ++phase) {
          const int tap = k - up_reach - gaussian::interpolate_first(phase);
          if (tap >= 0 && tap < gaussian::interpolate_taps)
            add(sum[phase], p, weights.up[phase][tap], weights.up[phase][tap]);
        }
      }
#pragma unroll
      for (int phase = 0; phase < 4; ++phase)
        tall[(4 * group + phase) * columns + column] = sum[phase];
    }
    __syncthreads();
  }
  // A warp writes 32 neighbors.
  for (int i = threadIdx.x; i < width * up_height; i += up_threads) {
    const int column = i % width, row = i / width;
    const int pixel_x = x + column, pixel_y = y + row;
    if (pixel_x < wanted.x || pixel_x >= wanted.right() || pixel_y < wanted.y ||
        pixel_y >= wanted.bottom())
      continue;
    const Pixel* cells = tall + row * columns;
    Pixel sum{};
    if (along_x) {
      const int phase = column & 3;
      const int first = column / 4 + up_reach + gaussian::interpolate_first(phase);
#pragma unroll
      for (int tap = 0; tap < gaussian::interpolate_taps; ++tap) {
        const float weight = up[phase][tap];
        add(sum, cells[first + tap], weight, weight);
      }
    } else {
      sum = cells[column];
    }
    if constexpr (requires { store.fetch(x, y); })
      store(pixel_x, pixel_y, sum, store.fetch(pixel_x, pixel_y));
    else
      store(pixel_x, pixel_y, sum);
  }
}

std::size_t pixels_of(Rect area) { return static_cast<std::size_t>(area.width) * area.height; }

template <class Load>
void decimate_across(cudaStream_t stream, Load load, Plane out) {
  const Tiles tiles{out.area, across_cells, 1};
  decimate_across_kernel<<<tiles.count(), across_threads, 0, stream>>>(tiles, load,
                                                                       pyramid_weights(), out);
  check(cudaGetLastError());
}

template <class Load>
void decimate_down(cudaStream_t stream, Load load, Plane out) {
  const Tiles tiles{out.area, 32, 8 * down_cells};
  decimate_down_kernel<<<tiles.count(), dim3{32, 8}, 0, stream>>>(tiles, load, pyramid_weights(),
                                                                  out);
  check(cudaGetLastError());
}

/// One level down: rows first, and then columns.
template <class Load>
void decimate(cudaStream_t stream, Load load, Axes axes, Plane out) {
  if (!axes.x) return decimate_down(stream, load, out);
  if (!axes.y) return decimate_across(stream, load, out);
  const IndexSpan rows = gaussian::fine_for({out.area.y, out.area.bottom()});
  Rect tall{out.area.x, rows.begin, out.area.width, rows.end - rows.begin};
  if constexpr (requires { load.in; })
    if (load.in.slots < tall.height) {
      // The border repeats rows: each is decimated once.
      tall.y = 0, tall.height = load.in.slots;
      const Buffer<Pixel> memory{pixels_of(tall), stream};
      const Plane plane{memory.data(), tall};
      decimate_across(stream, LoadSlots<Load>{load}, plane);
      return decimate_down(stream, LoadRows{{plane}, load.in.rows, load.in.area.y}, out);
    }
  const Buffer<Pixel> memory{pixels_of(tall), stream};
  const Plane plane{memory.data(), tall};
  decimate_across(stream, load, plane);
  decimate_down(stream, LoadPlane{plane}, out);
}

template <bool along_x, bool along_y, class Storer>
void interpolate_along(cudaStream_t stream, Plane in, Rect wanted, Storer store) {
  Rect aligned = wanted;
  if (along_x) aligned.x = wanted.x & ~3, aligned.width = wanted.right() - aligned.x;
  if (along_y) aligned.y = wanted.y & ~3, aligned.height = wanted.bottom() - aligned.y;
  constexpr int width = up_width<along_x>;
  const Tiles tiles{aligned, width, up_height};
  constexpr int columns = along_x ? width / 4 + 2 * up_reach : width;
  constexpr int rows = along_y ? up_height / 4 + 2 * up_reach : 0;
  constexpr std::size_t bytes = sizeof(Pixel) * columns * (rows + up_height);
  static_assert(bytes <= 64 * 1024);
  const auto kernel = interpolate_kernel<along_x, along_y, Storer>;
  allow_shared_memory(kernel);
  kernel<<<tiles.count(), up_threads, bytes, stream>>>(tiles, wanted, LoadPlane{in},
                                                       pyramid_weights(), store);
  check(cudaGetLastError());
}

template <class Storer>
void interpolate(cudaStream_t stream, Plane in, Axes axes, Rect wanted, Storer store) {
  if (axes.x && axes.y)
    interpolate_along<true, true>(stream, in, wanted, store);
  else if (axes.x)
    interpolate_along<true, false>(stream, in, wanted, store);
  else
    interpolate_along<false, true>(stream, in, wanted, store);
}

/// Takes blurred pixels and stores sharpened ones.
template <class Load, class Storer>
struct StoreSharpened {
  Load load;
  Sharpen sharpen;
  Storer store;
  __device__ auto fetch(int x, int y) const { return load.fetch(x, y); }
  template <class T>
  __device__ void operator()(int x, int y, Pixel blurred, const T& fetched) const {
    const Pixel original = load.decoded(fetched);
    store(x, y, sharpen(original, blurred), original);
  }
};

/// What becomes of a sum in small_blur(): itself, …
struct Blurred {};
/// … or the pixel sharpened by it.
struct Sharpened {
  LoadBytes load;
  Sharpen sharpen;
  __device__ auto fetch(int x, int y) const { return load.fetch(x, y); }
  template <class T>
  __device__ Pixel operator()(Pixel blurred, const T& fetched) const {
    return sharpen(load.decoded(fetched), blurred);
  }
};

template <class Load, class Storer>
void blur(cudaStream_t stream, Load load, Rect area, Axis across, Axis down, Storer store) {
  const Axes axes{across.decimates(), down.decimates()};
  if (!axes.x && !axes.y)
    return separable_sums<Weighing::blur>(stream, area, load, AxisWeights{across.weights()},
                                          AxisWeights{down.weights()}, store);
  if (axes.x) across = across.coarse();
  if (axes.y) down = down.coarse();
  const Rect coarse = gaussian::coarse_area(area, axes);
  const Rect wide = coarse.grown(across.halo(), down.halo());
  Buffer<Pixel> blurred{pixels_of(coarse), stream};
  {
    Buffer<Pixel> decimated{pixels_of(wide), stream};
    decimate(stream, load, axes, {decimated.data(), wide});
    blur(stream, LoadPlane{{decimated.data(), wide}}, coarse, across, down,
         StorePlane{{blurred.data(), coarse}});
  }
  interpolate(stream, {blurred.data(), coarse}, axes, area, store);
}

/// The same for an image that may be small beside the halo of an axis.
template <class Load, class Storer>
void blur(cudaStream_t stream, Load load, const Output& out, Axis across, Axis down, Border border,
          Storer store) {
  const auto [width, height] = out.image.size();
  const bool temporary = load.in.is_temporary;
  covering::Axis columns, rows;
  if (covering::applies(temporary, width, out.area.columns()))
    columns = across.covering(width, border);
  if (covering::applies(temporary, height, out.area.rows())) rows = down.covering(height, border);
  if (columns) across = {0.0};
  if (rows) down = {0.0};
  with_covering(stream, load, out.area, down.halo(), columns, rows, store,
                [&](auto from, Rect area, auto to) { blur(stream, from, area, across, down, to); });
}

/// Weights that may be left out where the result has 8 bits: at their darkest, where one code is
/// 1 / 3295 of the brightest light, they are a 79th of it.
constexpr float negligible = 0x1p-18f;

/// Blurs 8-bit RGBA by a small sigma; false if this is something else. What `missing` is of all
/// weights may be left out.
template <class Finish>
bool small_gaussian(cudaStream_t stream, const Input& in, const Output& out, Axis across, Axis down,
                    float missing, Finish finish) {
  if (across.decimates() || down.decimates()) return false;
  return small_blur(stream, in, out, without_ends(across.weights(), missing),
                    without_ends(down.weights(), missing), finish);
}

}  // namespace

void gaussian_blur(Exec& exec, const Input& in, const Output& out, double sigma_x, double sigma_y,
                   Border border) {
  if (!stored_alike(in, out))
    return exec.through_temporary(in, out, footprint::gaussian_blur(sigma_x, sigma_y).halo,
                                  [&](const Input& from, const Output& to) {
                                    gaussian_blur(exec, from, to, sigma_x, sigma_y, border);
                                  });
  const Axis across{sigma_x}, down{sigma_y};
  if (small_gaussian(exec.stream(), in, out, across, down, negligible, Blurred{})) return;
  with_both(in, out, [&](auto load, auto store) {
    blur(exec.stream(), load, out, across, down, border, store);
  });
}

void gaussian_blur(Exec& exec, const Channel& in, const Channel& out, double sigma_x,
                   double sigma_y, Border) {
  const cudaStream_t stream = exec.stream();
  const Axis none{0.0}, across{sigma_x}, down{sigma_y};
  sum_channel(
      stream, in, out, down.halo(),
      [&](auto load, Rect area, auto store) { blur(stream, load, area, across, none, store); },
      [&](Plane plane, Rect area, auto store) {
        if (down.decimates()) return blur(stream, LoadPlane{plane}, area, none, down, store);
        sum_columns<Weighing::blur>(stream, area, plane, AxisWeights{down.weights()}, store);
      });
}

void unsharp(Exec& exec, const Input& in, const Output& out, double sigma, const Sharpen& sharpen,
             Border border) {
  if (!stored_alike(in, out))
    return exec.through_temporary(in, out, footprint::unsharp(sigma).halo,
                                  [&](const Input& from, const Output& to) {
                                    unsharp(exec, from, to, sigma, sharpen, border);
                                  });
  const Axis axis{sigma};
  // What is missing counts `scale` times, and at a threshold it would decide.
  const float missing = sharpen.threshold > 0.0f ? 0.0f : negligible / fmaxf(1.0f, sharpen.scale);
  if (small_gaussian(exec.stream(), in, out, axis, axis, missing,
                     Sharpened{LoadBytes{in}, sharpen}))
    return;
  with_both(in, out, [&](auto load, auto store) {
    blur(exec.stream(), load, out, axis, axis, border, StoreSharpened{load, sharpen, store});
  });
}

}  // namespace cuda_filters::cuda
