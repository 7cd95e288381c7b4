// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/algorithms/local_laplacian/local_laplacian_filter.hpp"
#include "gpu/algorithms/pyramid/pyramid.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Samples go four at a time, as the four numbers of a Pixel. Their pyramids begin with level 1,
// which is made of the luminance at once; what they say of each level is added up before the next
// four.

namespace cuda_filters::cuda {
namespace {

using local_laplacian::Change;
using local_laplacian::LocalContrastSettings;
using local_laplacian::Sampling;
using pyramid::reduce_reach;

constexpr int tile_width = 32, tile_height = 8, threads = tile_width * tile_height;
constexpr int at_once = 4;

/// A level of a pyramid, whose pixels are floats or those of four samples.
template <class T>
struct LevelPlane {
  T* data;
  Size size;

  __device__ T& at(int x, int y) const {
    return data[static_cast<std::size_t>(y) * size.width + x];
  }
  /// The pixel that is there, or the next to it.
  __device__ T nearest(int x, int y) const {
    return at(min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1));
  }
  Rect area() const { return {0, 0, size.width, size.height}; }
};

/// Four samples from `first` on.
struct Samples {
  Change change;
  float first, scale;

  __device__ Pixel changed(float value) const {
    const auto of = [&](float k) { return change(value - quotient(first + k, scale)); };
    return {of(0.0f), of(1.0f), of(2.0f), of(3.0f)};
  }
};

/// Reads a level.
template <class T>
struct LoadLevel {
  LevelPlane<T> level;
  __device__ T operator()(int x, int y) const { return level.nearest(x, y); }
};
/// Reads level 0 of four samples.
struct LoadChanged {
  LevelPlane<float> guide;
  Samples samples;
  __device__ Pixel operator()(int x, int y) const { return samples.changed(guide.nearest(x, y)); }
};

/// REDUCE of a tile, along rows and then along columns, in shared memory: a thread a pixel.
template <class T, class Load>
__global__ void __launch_bounds__(threads)
    reduce_level_kernel(Tiles tiles, Load load, LevelPlane<T> out) {
  constexpr int fine_width = 2 * (tile_width - 1) + 2 * reduce_reach + 1;
  constexpr int fine_height = 2 * (tile_height - 1) + 2 * reduce_reach + 1;
  __shared__ T fine[fine_height][fine_width], rows[fine_height][tile_width];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x),
            thread = static_cast<int>(threadIdx.x);
  const int left = 2 * x - reduce_reach, top = 2 * y - reduce_reach;
  for (int i = thread; i < fine_height * fine_width; i += threads)
    fine[i / fine_width][i % fine_width] = load(left + i % fine_width, top + i / fine_width);
  __syncthreads();
  for (int i = thread; i < fine_height * tile_width; i += threads) {
    const T* const p = &fine[i / tile_width][2 * (i % tile_width)];
    rows[i / tile_width][i % tile_width] = pyramid::reduced(p[0], p[1], p[2], p[3], p[4]);
  }
  __syncthreads();
  const int column = thread % tile_width, row = thread / tile_width;
  if (x + column >= out.size.width || y + row >= out.size.height) return;
  const auto at = [&](int k) { return rows[2 * row + k][column]; };
  out.at(x + column, y + row) = pyramid::reduced(at(0), at(1), at(2), at(3), at(4));
}

/// EXPAND at a pixel of the level below.
template <class T>
__device__ T expanded(const LevelPlane<T>& coarse, int x, int y) {
  const int column = x >> 1, row = y >> 1;
  const auto down = [&](int i) {
    const auto at = [&](int k) { return coarse.nearest(column + i, row + k); };
    return (y & 1) != 0 ? pyramid::expanded_odd(at(0), at(1))
                        : pyramid::expanded_even(at(-1), at(0), at(1));
  };
  return (x & 1) != 0 ? pyramid::expanded_odd(down(0), down(1))
                      : pyramid::expanded_even(down(-1), down(0), down(1));
}

__device__ float weight(float t) {
  if (t >= static_cast<float>(Sampling::reach)) return 0.0f;
  return t < 1.0f   ? local_laplacian::weight_within_1(t)
         : t < 2.0f ? local_laplacian::weight_within_2(t)
                    : local_laplacian::weight_within_3(t);
}

/// Adds the coefficients of four samples, times their weights; `load` reads their pixels.
template <class Load>
__global__ void __launch_bounds__(threads)
    add_coefficients_kernel(Tiles tiles, Samples samples, LevelPlane<float> guide, Load load,
                            LevelPlane<Pixel> coarse, LevelPlane<float> sum) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x) % tile_width;
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.x) / tile_width;
  if (x >= guide.size.width || y >= guide.size.height) return;
  const float place = guide.at(x, y) * samples.scale - samples.first;
  constexpr auto reach = static_cast<float>(Sampling::reach);
  if (!(place > -reach && place < at_once - 1 + reach)) return;
  const auto of = [&](float k) { return weight(fabsf(place - k)); };
  const Pixel p = load(x, y) - expanded(coarse, x, y);
  sum.at(x, y) += (of(0.0f) * p.r + of(1.0f) * p.g) + (of(2.0f) * p.b + of(3.0f) * p.a);
}

/// fine += EXPAND of the level above.
__global__ void __launch_bounds__(threads)
    add_expanded_kernel(Tiles tiles, LevelPlane<float> coarse, LevelPlane<float> fine) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x) % tile_width;
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.x) / tile_width;
  if (x >= fine.size.width || y >= fine.size.height) return;
  fine.at(x, y) += expanded(coarse, x, y);
}

/// The luminance of each pixel; a thread has four rows of a column.
template <class Load>
__global__ void luminance_kernel(Rect area, Load load, LevelPlane<float> out) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i < area.bottom())
      out.at(x, first + i) = local_laplacian::luminance_of(load.decoded(fetched[i]));
}

/// Adds to the luminance of each pixel.
template <class Load, class Storer>
__global__ void add_luminance_kernel(Rect area, Load load, Storer store, LevelPlane<float> more) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (first + i >= area.bottom()) continue;
    const Pixel before = load.decoded(fetched[i]);
    store(x, first + i, local_laplacian::with_more(before, more.at(x, first + i)), before);
  }
}

constexpr int block_columns = 64, block_rows = 4;
dim3 grid_of(Rect area) {
  return {divide_up(area.width, block_columns), divide_up(area.height, 4 * block_rows)};
}

std::size_t pixels_of(Size size) { return static_cast<std::size_t>(size.width) * size.height; }

/// Levels one behind the other in device memory.
template <class T>
class DevicePyramid {
 public:
  DevicePyramid(const std::vector<Size>& levels, std::size_t begin, std::size_t end,
                cudaStream_t stream) {
    std::size_t pixels = 0;
    for (std::size_t i = begin; i < end; ++i) pixels += pixels_of(levels[i]);
    memory_ = std::make_shared<Buffer<T>>(pixels, stream);
    T* next = memory_->data();
    for (std::size_t i = begin; i < end; ++i) {
      planes_.push_back({next, levels[i]});
      next += pixels_of(levels[i]);
    }
  }
  const LevelPlane<T>& operator[](std::size_t i) const { return planes_[i]; }
  const std::shared_ptr<Buffer<T>>& memory() const { return memory_; }

 private:
  std::shared_ptr<Buffer<T>> memory_;
  std::vector<LevelPlane<T>> planes_;
};

Tiles tiles_of(Rect area) { return {area, tile_width, tile_height}; }

template <class T, class Load>
void reduce(Load load, const LevelPlane<T>& out, cudaStream_t stream) {
  const Tiles tiles = tiles_of(out.area());
  reduce_level_kernel<T><<<tiles.count(), threads, 0, stream>>>(tiles, load, out);
  check(cudaGetLastError());
}

template <class Load>
void add_coefficients(const Samples& samples, const LevelPlane<float>& guide, Load load,
                      const LevelPlane<Pixel>& coarse, const LevelPlane<float>& sum,
                      cudaStream_t stream) {
  const Tiles tiles = tiles_of(sum.area());
  add_coefficients_kernel<<<tiles.count(), threads, 0, stream>>>(tiles, samples, guide, load,
                                                                 coarse, sum);
  check(cudaGetLastError());
}

using Floats = std::shared_ptr<Buffer<float>>;

/// What is added to these luminances.
Floats compute(Size size, const LocalContrastSettings& settings, float* luminance,
               cudaStream_t stream) {
  const std::vector<Size> levels = local_laplacian::levels_of(size);
  const std::size_t count = levels.size() - 1;  // of coefficients: there are none of the last level
  const DevicePyramid<float> sum{levels, 0, std::max<std::size_t>(count, 1), stream};
  check(cudaMemsetAsync(sum.memory()->data(), 0, sum.memory()->count() * sizeof(float), stream));
  if (count == 0) return sum.memory();
  // Level 0 of the guide is the luminance itself.
  const DevicePyramid<float> coarser{levels, 1, count, stream};
  const DevicePyramid<Pixel> sampled{levels, 1, count + 1, stream};
  const auto guide = [&](std::size_t level) {
    return level == 0 ? LevelPlane<float>{luminance, size} : coarser[level - 1];
  };
  for (std::size_t i = 1; i < count; ++i) reduce(LoadLevel<float>{guide(i - 1)}, guide(i), stream);

  const Sampling sampling{settings};
  PacedLaunches paced{stream, 8};
  for (int first = sampling.first(); first <= sampling.last(); first += at_once) {
    paced.begin();
    const Samples samples{Change{settings}, static_cast<float>(first),
                          static_cast<float>(sampling.steps)};
    const LoadChanged changed{guide(0), samples};
    reduce(changed, sampled[0], stream);
    for (std::size_t i = 1; i < count; ++i)
      reduce(LoadLevel<Pixel>{sampled[i - 1]}, sampled[i], stream);
    add_coefficients(samples, guide(0), changed, sampled[0], sum[0], stream);
    for (std::size_t i = 1; i < count; ++i)
      add_coefficients(samples, guide(i), LoadLevel<Pixel>{sampled[i - 1]}, sampled[i], sum[i],
                       stream);
    paced.end();
  }
  for (std::size_t i = count - 1; i-- > 0;) {
    const Tiles tiles = tiles_of(sum[i].area());
    add_expanded_kernel<<<tiles.count(), threads, 0, stream>>>(tiles, sum[i + 1], sum[i]);
    check(cudaGetLastError());
  }
  return sum.memory();
}

void collect(const Input& in, Rect area, float* floats, cudaStream_t stream) {
  const dim3 block{block_columns, block_rows};
  with_quick_loader(in, [&](auto load) {
    luminance_kernel<<<grid_of(area), block, 0, stream>>>(
        area, load, LevelPlane<float>{floats, in.image.size()});
    check(cudaGetLastError());
  });
}

Floats make_floats(const Input& in, cudaStream_t stream) {
  return std::make_shared<Buffer<float>>(pixels_of(in.image.size()), stream);
}
/// The pointer to the floats, which also keeps them.
std::shared_ptr<void> owned_floats(const Floats& floats) { return {floats, floats->data()}; }

}  // namespace

void collect_luminance(Exec& exec, const Input& in, Rect area,
                       const LocalContrastSettings& settings, local_laplacian::Plane& plane) {
  if (plane.on_device == nullptr) plane.on_device = owned_floats(make_floats(in, exec.stream()));
  collect(in, area, static_cast<float*>(plane.on_device.get()), exec.stream());
  if (area.bottom() < in.image.height) return;
  // It keeps the luminance as long as that is read.
  const std::shared_ptr<void> all = plane.on_device;
  plane.on_device = owned_floats(
      compute(in.image.size(), settings, static_cast<float*>(all.get()), exec.stream()));
}

void local_laplacian_filter(Exec& exec, const Input& in, const Output& out,
                            const LocalContrastSettings& settings,
                            const local_laplacian::Plane& plane) {
  const auto* all = static_cast<const float*>(plane.on_device.get());
  Floats own;
  if (all == nullptr) {
    const Floats luminance = make_floats(in, exec.stream());
    collect(in, in.image, luminance->data(), exec.stream());
    own = compute(in.image.size(), settings, luminance->data(), exec.stream());
    all = own->data();
  }
  const LevelPlane<float> more{const_cast<float*>(all), in.image.size()};
  const dim3 block{block_columns, block_rows};
  const auto compute_pixels = [&](const Input& from, const Output& to) {
    with_quick_both(from, to, [&](auto load, auto store) {
      add_luminance_kernel<<<grid_of(to.area), block, 0, exec.stream()>>>(to.area, load, store,
                                                                          more);
      check(cudaGetLastError());
    });
  };
  if (!stored_alike(in, out)) return exec.through_temporary(in, out, {}, compute_pixels);
  compute_pixels(in, out);
}

}  // namespace cuda_filters::cuda
