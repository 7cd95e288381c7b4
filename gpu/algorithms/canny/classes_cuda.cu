// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/edges.cuh"
#include "gpu/algorithms/gaussian/gaussian.hpp"
#include "gpu/core/luminance.hpp"

// The classes of pixels: the blur, the gradient and its thinning, by exact arithmetic.

namespace cuda_filters::cuda::edges {
namespace {

using canny::CannySettings;
using canny::Channel;

__device__ float searched(float r, float g, float b, Channel channel) {
  switch (channel) {
    case Channel::luminance:
      return exact::product(exact::luminance(r, g, b), 255.0f);
    case Channel::red:
      return exact::product(r, 255.0f);
    case Channel::green:
      return exact::product(g, 255.0f);
    case Channel::blue:
      return exact::product(b, 255.0f);
    case Channel::value:
      break;
  }
  const float larger = r > g ? r : g;
  return exact::product(larger > b ? larger : b, 255.0f);
}

/// Reads what is searched from pixels of any format, row by row.
template <class Load>
struct SearchedPixels {
  Load load;
  Channel channel;
  __device__ auto row(int y) const {
    return [this, y](int x) {
      const Pixel p = load(x, y);
      return searched(p.r, p.g, p.b, channel);
    };
  }
};

/// The same from 8-bit codes without a curve. The store has whole rows of the image.
template <int samples>
struct SearchedBytes {
  Input in;
  Channel channel;
  __device__ auto row(int y) const {
    const auto* codes = reinterpret_cast<const unsigned char*>(in.at(0, y, samples));
    return [this, codes](int x) {
      if constexpr (samples == 1) {
        return float_of(__ldg(codes + x));
      } else {
        const unsigned c = __ldg(reinterpret_cast<const unsigned*>(codes) + x);
        return searched(decode_byte(c, 0, nullptr), decode_byte(c, 1, nullptr),
                        decode_byte(c, 2, nullptr), channel);
      }
    };
  }
};

template <class F>
void with_searched(const Input& in, Channel channel, F&& f) {
  const bool plain = in.format.type == SampleType::u8 && in.curves.values[0] == nullptr;
  if (plain && in.format.channels() == 1) return f(SearchedBytes<1>{in, channel});
  if (plain && in.format.channels() == 4) return f(SearchedBytes<4>{in, channel});
  with_loader(in, [&](auto load) { f(SearchedPixels<decltype(load)>{load, channel}); });
}

/// An intermediate image of one number a pixel.
struct FloatPlane {
  float* data;
  Rect area;
  __device__ float& at(int x, int y) const {
    return data[static_cast<std::size_t>(y - area.y) * area.width + (x - area.x)];
  }
  __device__ auto row(int y) const {
    return [numbers = &at(area.x, y), left = area.x](int x) { return __ldg(numbers + (x - left)); };
  }
};

/// The weights of the blur, by value in a kernel's parameters.
struct BlurWeights {
  static constexpr int max_size = 2 * gaussian::direct_radius(canny::max_sigma) + 1;
  int count;
  float values[max_size];
  explicit BlurWeights(const std::vector<float>& weights)
      : count{static_cast<int>(weights.size())}, values{} {
    if (count > max_size) throw Error{tr(N_("Internal error: a sum has too many weights."))};
    std::copy(weights.begin(), weights.end(), values);
  }
};

constexpr int across_threads = 256, across_width = 4 * across_threads;

template <class Load>
__global__ void __launch_bounds__(across_threads)
    blur_across_kernel(Tiles tiles, Load load, const __grid_constant__ BlurWeights weights,
                       FloatPlane out) {
  __shared__ float row[across_width + BlurWeights::max_size];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x), radius = weights.count / 2;
  const int width = min(across_width, tiles.area.right() - x);
  const auto pixels = load.row(y);
  const int right = tiles.area.right() - 1;  // of the image
  for (int i = threadIdx.x; i < width + 2 * radius; i += across_threads)
    row[i] = pixels(min(max(x - radius + i, 0), right));
  __syncthreads();
  float sums[4] = {};
  const int first = static_cast<int>(threadIdx.x);
  for (int t = 0; t < weights.count; ++t)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      sums[j] = exact::sum(sums[j],
                           exact::product(weights.values[t], row[first + across_threads * j + t]));
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (first + across_threads * j < width) out.at(x + first + across_threads * j, y) = sums[j];
}

constexpr int down_sums = 8;

__global__ void __launch_bounds__(256)
    blur_down_kernel(Tiles tiles, FloatPlane in, const __grid_constant__ BlurWeights weights,
                     FloatPlane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * down_sums;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int first = y - weights.count / 2;
  float sums[down_sums] = {};
  for (int k = 0; k < weights.count + down_sums - 1; ++k) {
    // The first and the last row that are here are those of the image, if they are needed at all.
    const float value = in.row(min(max(first + k, in.area.y), in.area.bottom() - 1))(x);
#pragma unroll
    for (int j = 0; j < down_sums; ++j)
      if (k >= j && k - j < weights.count)
        sums[j] = exact::sum(sums[j], exact::product(weights.values[k - j], value));
  }
#pragma unroll
  for (int j = 0; j < down_sums; ++j)
    if (y + j < tiles.area.bottom()) out.at(x, y + j) = sums[j];
}

/// Calls keep(column, row, value) for the pixels of a block's tile, `width` columns and rows from
/// (left, top) on; outside of `have` they are the nearest ones in it. One row a warp at a time.
template <int width, int threads, class Load, class Keep>
__device__ void load_tile(const Load& load, Rect have, int left, int top, Keep keep,
                          int height = width) {
  constexpr int steps = (width + 31) / 32;
  const int lane = threadIdx.x % 32;
  for (int row = static_cast<int>(threadIdx.x) / 32; row < height; row += threads / 32) {
    const auto pixels = load.row(min(max(top + row, have.y), have.bottom() - 1));
    float values[steps];
#pragma unroll
    for (int i = 0; i < steps; ++i)
      values[i] = pixels(min(max(left + lane + 32 * i, have.x), have.right() - 1));
#pragma unroll
    for (int i = 0; i < steps; ++i)
      if (lane + 32 * i < width) keep(lane + 32 * i, row, values[i]);
  }
}

/// A small blur goes along both axes in shared memory, with the weights as constant operands.
constexpr int small_radius = 8, small_tile = 64, small_threads = 256;

struct BlurTaps {
  static constexpr int count = 2 * small_radius + 1;
  float values[count];  ///< in the middle; those before `first` and after are none
  int first;
  explicit BlurTaps(const std::vector<float>& weights)
      : values{}, first{small_radius - static_cast<int>(weights.size() / 2)} {
    std::copy(weights.begin(), weights.end(), values + first);
  }
  /// sums[j] = the weighted sum of pixels[j], pixels[j + 1], …
  template <int sums_count>
  __device__ void sum(const float (&pixels)[sums_count + count - 1],
                      float (&sums)[sums_count]) const {
#pragma unroll
    for (int j = 0; j < sums_count; ++j) sums[j] = 0.0f;
#pragma unroll
    for (int t = 0; t < count; ++t) {
      if (t < first || t >= count - first) continue;
#pragma unroll
      for (int j = 0; j < sums_count; ++j)
        sums[j] = exact::sum(sums[j], exact::product(values[t], pixels[j + t]));
    }
  }
};

/// `have` is what `load` may be asked for.
template <class Load>
__global__ void __launch_bounds__(small_threads)
    blur_small_kernel(Tiles tiles, Rect have, Load load, const __grid_constant__ BlurTaps weights,
                      FloatPlane out) {
  constexpr int size = small_tile + 2 * small_radius;
  __shared__ float4 raw[size][size / 4 + 1];
  __shared__ float across[size][small_tile + 4];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  load_tile<size, small_threads>(load, have, x - small_radius, y - small_radius,
                                 [&](int column, int row, float value) {
                                   reinterpret_cast<float*>(raw[row])[column] = value;
                                 });
  __syncthreads();
  constexpr int quads = small_tile / 4;
  for (int i = threadIdx.x; i < size * quads; i += small_threads) {
    const int quad = i % quads, row = i / quads;
    float pixels[BlurTaps::count + 3], sums[4];
#pragma unroll
    for (int k = 0; k < BlurTaps::count + 3; k += 4) {
      const float4 four = raw[row][quad + k / 4];
      pixels[k] = four.x, pixels[k + 1] = four.y, pixels[k + 2] = four.z, pixels[k + 3] = four.w;
    }
    weights.sum(pixels, sums);
    *reinterpret_cast<float4*>(&across[row][4 * quad]) = {sums[0], sums[1], sums[2], sums[3]};
  }
  __syncthreads();
  const int column = threadIdx.x % small_tile;
  for (int row = static_cast<int>(threadIdx.x) / small_tile * down_sums; row < small_tile;
       row += small_threads / small_tile * down_sums) {
    float pixels[BlurTaps::count + down_sums - 1], sums[down_sums];
#pragma unroll
    for (int k = 0; k < BlurTaps::count + down_sums - 1; ++k) pixels[k] = across[row + k][column];
    weights.sum(pixels, sums);
#pragma unroll
    for (int j = 0; j < down_sums; ++j)
      if (x + column < tiles.area.right() && y + row + j < tiles.area.bottom())
        out.at(x + column, y + row + j) = sums[j];
  }
}

/// A row of three neighbors of Sobel's matrices: what both gradients need of it.
struct SobelRow {
  float difference, sum;
  __device__ explicit SobelRow(const float* middle)
      : difference{exact::difference(middle[1], middle[-1])},
        sum{exact::sum(exact::sum(middle[-1], exact::product(2.0f, middle[0])), middle[1])} {}
};

struct Gradient {
  float x, y;
  __device__ Gradient(const SobelRow& above, const SobelRow& middle, const SobelRow& below)
      : x{exact::sum(exact::sum(above.difference, exact::product(2.0f, middle.difference)),
                     below.difference)},
        y{exact::difference(below.sum, above.sum)} {}
  __device__ float size(bool squares) const {
    return squares ? exact::sum(exact::product(x, x), exact::product(y, y))
                   : exact::sum(fabsf(x), fabsf(y));
  }
};

constexpr int class_threads = 256, class_rows = 8;  // of a thread

/// The classes of a tile's pixels. `have` is what `load` may be asked for. Beyond `image`, which is
/// without padding, magnitudes are 0.
template <class Load>
__global__ void __launch_bounds__(class_threads)
    class_kernel(Edges edges, Rect image, Rect have, Load load, bool squares, float low,
                 float high) {
  constexpr int width = tile_width + 4, height = tile_height + 4;
  constexpr int sizes_width = tile_width + 2;
  __shared__ float values[height][width];
  __shared__ float sizes[tile_height + 2][sizes_width];
  const unsigned tile = blockIdx.x;
  const int x = edges.tiles.x(tile), y = edges.tiles.y(tile);
  load_tile<width, class_threads>(
      load, have, x - 2, y - 2,
      [&](int column, int row, float value) { values[row][column] = value; }, height);
  __syncthreads();

  // The frame of magnitudes around the tile; a thread each.
  constexpr int frame = 2 * sizes_width + 2 * tile_height;
  static_assert(frame <= class_threads);
  if (const int i = threadIdx.x; i < frame) {
    const bool in_rows = i < 2 * sizes_width;
    const int rest = i - 2 * sizes_width;
    const int column = in_rows ? i % sizes_width : rest % 2 * (sizes_width - 1);
    const int row = in_rows ? i / sizes_width * (tile_height + 1) : rest / 2 + 1;
    const Gradient g{SobelRow{&values[row][column + 1]}, SobelRow{&values[row + 1][column + 1]},
                     SobelRow{&values[row + 2][column + 1]}};
    const int at_x = x - 1 + column, at_y = y - 1 + row;
    const bool inside = at_x >= 0 && at_x < image.width && at_y >= 0 && at_y < image.height;
    sizes[row][column] = inside ? g.size(squares) : 0.0f;
  }
  // And the tile: eight pixels of a column a thread. What is compared with a pixel lies as far
  // behind it as before it.
  const int half = threadIdx.x / 32 % 2, column = static_cast<int>(threadIdx.x) % 64;
  const int first = static_cast<int>(threadIdx.x) / 64 * class_rows;
  float own[class_rows];
  int offsets[class_rows];
  unsigned ties_win = 0;
  SobelRow above{&values[first + 1][column + 2]}, middle{&values[first + 2][column + 2]};
#pragma unroll
  for (int j = 0; j < class_rows; ++j) {
    const SobelRow below{&values[first + j + 3][column + 2]};
    const Gradient g{above, middle, below};
    above = middle, middle = below;
    const bool inside = x + column < image.width && y + first + j < image.height;
    own[j] = inside ? g.size(squares) : 0.0f;
    sizes[first + j + 1][column + 1] = own[j];
    const float across = fabsf(g.x), along = fabsf(g.y);
    const bool horizontal = along < exact::product(across, canny::tan_22);
    const bool vertical = along > exact::product(across, canny::tan_67);
    const int side = (__float_as_int(g.x) ^ __float_as_int(g.y)) < 0 ? -1 : 1;
    offsets[j] = horizontal ? 1 : vertical ? sizes_width : sizes_width + side;
    if (horizontal || vertical) ties_win |= 1u << j;
  }
  __syncthreads();
  const bool here = x + column < edges.tiles.area.right();
  unsigned found_of_lane = 0, strong_of_lane = 0;
#pragma unroll
  for (int j = 0; j < class_rows; ++j) {
    const float* size = &sizes[first + j + 1][column + 1];
    const float before = size[-offsets[j]], after = size[offsets[j]];
    const bool peak = here && own[j] > low && own[j] > before &&
                      (own[j] > after || ((ties_win >> j & 1) && own[j] == after)) &&
                      y + first + j < edges.tiles.area.bottom();
    const unsigned found = warp::ballot(peak);
    const unsigned strong = warp::ballot(peak && own[j] > high);
    if (threadIdx.x % 32 == j) found_of_lane = found, strong_of_lane = strong;
  }
  if (threadIdx.x % 32 < class_rows) {
    const std::size_t row = std::size_t{tile} * tile_height + first + threadIdx.x % 32;
    reinterpret_cast<unsigned*>(edges.found)[row * 2 + half] = found_of_lane;
    reinterpret_cast<unsigned*>(edges.strong)[row * 2 + half] = strong_of_lane;
  }
}

}  // namespace

void classify(cudaStream_t stream, const Input& in, const CannySettings& settings,
              const Edges& edges) {
  const auto run = [&](auto load, Rect have) {
    class_kernel<<<edges.tiles.count(), class_threads, 0, stream>>>(
        edges, in.image, have, load, settings.squares, settings.low, settings.high);
    check(cudaGetLastError());
  };
  with_searched(in, settings.channel, [&](auto load) {
    const Rect area = edges.tiles.area;
    const auto rows = [&](int more) {
      const int top = std::max(0, area.y - more);
      return Rect{area.x, top, area.width, std::min(in.image.height, area.bottom() + more) - top};
    };
    const Rect tall = rows(canny::reach + settings.radius()), wide = rows(canny::reach);
    if (settings.radius() == 0) return run(load, wide);
    const Buffer<float> both{std::size_t{1} * wide.width * wide.height, stream};
    if (settings.radius() <= small_radius) {
      const Tiles squares{wide, small_tile, small_tile};
      blur_small_kernel<<<squares.count(), small_threads, 0, stream>>>(
          squares, tall, load, BlurTaps{settings.weights}, FloatPlane{both.data(), wide});
      check(cudaGetLastError());
      return run(FloatPlane{both.data(), wide}, wide);
    }
    const BlurWeights weights{settings.weights};
    const Buffer<float> across{std::size_t{1} * tall.width * tall.height, stream};
    const Tiles lines{tall, across_width, 1}, columns{wide, 32, 8 * down_sums};
    blur_across_kernel<<<lines.count(), across_threads, 0, stream>>>(
        lines, load, weights, FloatPlane{across.data(), tall});
    check(cudaGetLastError());
    blur_down_kernel<<<columns.count(), dim3{32, 8}, 0, stream>>>(
        columns, FloatPlane{across.data(), tall}, weights, FloatPlane{both.data(), wide});
    check(cudaGetLastError());
    run(FloatPlane{both.data(), wide}, wide);
  });
}

}  // namespace cuda_filters::cuda::edges
