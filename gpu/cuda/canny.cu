// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/canny.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Canny's edges. A tile of 64 × 32 pixels is one 64-bit word a row: one warp holds it, one row a
// lane, and a few instructions flood all of it from any number of seeds. Components that hold a
// strong pixel, or that do not reach the tile's rim, are settled there. The others become nodes of
// a union-find over the whole band, and a last flood carries what it finds back into the tiles.

namespace cuda_filters::cuda {
namespace {

using canny::CannySettings;
using canny::Channel;
using Word = unsigned long long;

constexpr int tile_width = 64, tile_height = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// Components of a tile that reach its rim, at most: no two of its 188 pixels touch.
constexpr int max_nodes = 96;
/// What the rim says of a pixel: nothing, the number of an open component + 1, or settled.
constexpr unsigned char rim_none = 0, rim_strong = 255;

/// The pixels along the four sides of a tile.
struct Rim {
  unsigned char top[tile_width], bottom[tile_width], left[tile_height], right[tile_height];
};

/// What is kept of a band while it is computed.
struct Edges {
  Tiles tiles;
  Word* found;  ///< by tile and row: a bit for a pixel with a class
  Word*
      strong;  ///< a bit for a strong pixel; after settle_components_kernel: of settled components
  Rim* rims;   ///< by tile
  int* parents;              ///< by tile and number: the union-find
  unsigned char* is_strong;  ///< by node

  /// The row of a tile that is the last one with pixels.
  __device__ int last_row(unsigned tile) const {
    return min(tile_height, tiles.area.bottom() - tiles.y(tile)) - 1;
  }
};

// Every product and sum is rounded by itself, as on the CPU: same bits everywhere.
__device__ float times(float a, float b) { return __fmul_rn(a, b); }
__device__ float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ float minus(float a, float b) { return __fsub_rn(a, b); }

__device__ float searched(float r, float g, float b, Channel channel) {
  switch (channel) {
    case Channel::luminance:
      return times(plus(g, plus(times(0.2126f, minus(r, g)), times(0.0722f, minus(b, g)))), 255.0f);
    case Channel::red:
      return times(r, 255.0f);
    case Channel::green:
      return times(g, 255.0f);
    case Channel::blue:
      return times(b, 255.0f);
    case Channel::value:
      break;
  }
  const float larger = r > g ? r : g;
  return times(larger > b ? larger : b, 255.0f);
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
  static constexpr int max_size = 195;
  int count;
  float values[max_size];
  explicit BlurWeights(const std::vector<float>& weights)
      : count{static_cast<int>(weights.size())}, values{} {
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
      sums[j] = plus(sums[j], times(weights.values[t], row[first + across_threads * j + t]));
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
        sums[j] = plus(sums[j], times(weights.values[k - j], value));
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
      for (int j = 0; j < sums_count; ++j) sums[j] = plus(sums[j], times(values[t], pixels[j + t]));
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
      : difference{minus(middle[1], middle[-1])},
        sum{plus(plus(middle[-1], times(2.0f, middle[0])), middle[1])} {}
};

struct Gradient {
  float x, y;
  __device__ Gradient(const SobelRow& above, const SobelRow& middle, const SobelRow& below)
      : x{plus(plus(above.difference, times(2.0f, middle.difference)), below.difference)},
        y{minus(below.sum, above.sum)} {}
  __device__ float size(bool squares) const {
    return squares ? plus(times(x, x), times(y, y)) : plus(fabsf(x), fabsf(y));
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
    const bool horizontal = along < times(across, canny::tan_22);
    const bool vertical = along > times(across, canny::tan_67);
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
    const unsigned found = __ballot_sync(whole_warp, peak);
    const unsigned strong = __ballot_sync(whole_warp, peak && own[j] > high);
    if (threadIdx.x % 32 == j) found_of_lane = found, strong_of_lane = strong;
  }
  if (threadIdx.x % 32 < class_rows) {
    const std::size_t row = std::size_t{tile} * tile_height + first + threadIdx.x % 32;
    reinterpret_cast<unsigned*>(edges.found)[row * 2 + half] = found_of_lane;
    reinterpret_cast<unsigned*>(edges.strong)[row * 2 + half] = strong_of_lane;
  }
}

/// All runs of `mask` that hold a bit of `seeds`, which are bits of it: a carry runs through each.
__device__ Word filled_runs(Word mask, Word seeds) {
  const Word up = (mask & ~(mask + seeds)) | seeds;
  const Word turned = __brevll(mask), turned_up = __brevll(up);
  return __brevll((turned & ~(turned + turned_up)) | turned_up);
}

/// Everything in the warp's tile that is 8-connected to `seeds` through `mask`; one row a lane.
__device__ Word flooded(Word mask, Word seeds) {
  Word fill = filled_runs(mask, seeds);
  for (;;) {
    const Word beside = __shfl_up_sync(whole_warp, fill, 1) | __shfl_down_sync(whole_warp, fill, 1);
    const Word reached = fill | ((beside | beside << 1 | beside >> 1) & mask);
    const bool changed = reached != fill;
    if (!__any_sync(whole_warp, changed)) return fill;
    if (changed) fill = filled_runs(mask, reached);
  }
}

constexpr int warps_per_block = 4;

/// Settles what a tile alone can settle, and numbers the open components on its rim.
__global__ void __launch_bounds__(32 * warps_per_block) settle_components_kernel(Edges edges) {
  const unsigned tile = blockIdx.x * warps_per_block + threadIdx.x / 32;
  if (tile >= edges.tiles.count()) return;
  const int lane = threadIdx.x % 32, last = edges.last_row(tile);
  const std::size_t word = std::size_t{tile} * tile_height + lane;
  const Word found = edges.found[word];
  const Word strong = flooded(found, edges.strong[word]);
  edges.strong[word] = strong;

  // This lane's pixels of the rim: two columns of the first and the last row, two ends of its row.
  unsigned char top[2], bottom[2], left, right;
  const auto mark = [&](Word bits, unsigned char as) {
    const Word first_row = __shfl_sync(whole_warp, bits, 0);
    const Word last_row = __shfl_sync(whole_warp, bits, last);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (first_row >> (lane + 32 * i) & 1) top[i] = as;
      if (last_row >> (lane + 32 * i) & 1) bottom[i] = as;
    }
    if (bits & 1) left = as;
    if (bits >> (tile_width - 1)) right = as;
  };
  top[0] = top[1] = bottom[0] = bottom[1] = left = right = rim_none;
  mark(strong, rim_strong);

  Word open = found & ~strong;
  const Word rim = lane == 0 || lane == last ? ~Word{0} : Word{1} << (tile_width - 1) | 1;
  int count = 0;
  for (;; ++count) {
    const Word candidates = open & rim;
    const unsigned rows = __ballot_sync(whole_warp, candidates != 0);
    if (rows == 0) break;
    const Word seed = lane == __ffs(rows) - 1 ? candidates & (~candidates + 1) : 0;
    const Word component = flooded(open, seed);
    mark(component, static_cast<unsigned char>(count + 1));
    open &= ~component;
  }
  Rim& out = edges.rims[tile];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    out.top[lane + 32 * i] = top[i];
    out.bottom[lane + 32 * i] = bottom[i];
  }
  out.left[lane] = left;
  out.right[lane] = right;
  for (int i = lane; i < count; i += 32) {
    const int node = static_cast<int>(tile) * max_nodes + i;
    edges.parents[node] = node;
    edges.is_strong[node] = 0;
  }
}

__device__ int find(int* parents, int node) {
  volatile int* at = parents;
  for (int parent = at[node]; parent != node;) {
    const int next = at[parent];
    if (next != parent) at[node] = next;  // only ever nearer to the root
    node = parent, parent = next;
  }
  return node;
}

/// The smaller of both roots becomes the root, whoever else unites at the same time.
__device__ void unite(int* parents, int a, int b) {
  for (;;) {
    a = find(parents, a), b = find(parents, b);
    if (a == b) return;
    if (a > b) {
      const int c = a;
      a = b, b = c;
    }
    const int before = atomicCAS(parents + b, b, a);
    if (before == b) return;
    b = before;
  }
}

/// Joins components over the right and the lower side of each tile.
__global__ void __launch_bounds__(tile_width + tile_height) join_kernel(Edges edges) {
  const int tile = blockIdx.x, across = edges.tiles.across();
  const int tile_x = tile % across, i = threadIdx.x;
  const auto join = [&](unsigned char mine, int other_tile, unsigned char other) {
    if (mine == rim_none || other == rim_none || (mine == rim_strong && other == rim_strong))
      return;
    const int a = tile * max_nodes + mine - 1, b = other_tile * max_nodes + other - 1;
    if (mine == rim_strong)
      edges.is_strong[b] = 1;
    else if (other == rim_strong)
      edges.is_strong[a] = 1;
    else
      unite(edges.parents, a, b);
  };
  const Rim& rim = edges.rims[tile];
  if (i >= tile_width) {
    if (tile_x + 1 == across) return;
    const int row = i - tile_width;
    for (int r = max(row - 1, 0); r <= min(row + 1, tile_height - 1); ++r)
      join(rim.right[row], tile + 1, edges.rims[tile + 1].left[r]);
    return;
  }
  if (tile + across >= static_cast<int>(edges.tiles.count())) return;
  for (int c = i - 1; c <= i + 1; ++c) {
    const int side = c < 0 ? -1 : c >= tile_width ? 1 : 0;
    if (tile_x + side < 0 || tile_x + side >= across) continue;
    const int below = tile + across + side;
    join(rim.bottom[i], below, edges.rims[below].top[c - side * tile_width]);
  }
}

/// Tells the roots which components are strong.
__global__ void spread_kernel(Edges edges, int tiles) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const Rim& rim = edges.rims[tile];
  const int lane = threadIdx.x % 32;
  const auto tell = [&](unsigned char mark) {
    if (mark == rim_none || mark == rim_strong) return;
    const int node = tile * max_nodes + mark - 1;
    if (edges.is_strong[node]) edges.is_strong[find(edges.parents, node)] = 1;
  };
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    tell(rim.top[lane + 32 * i]);
    tell(rim.bottom[lane + 32 * i]);
  }
  tell(rim.left[lane]);
  tell(rim.right[lane]);
}

__global__ void raise_kernel(Edges edges, const int* labels, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) edges.is_strong[labels[i]] = 1;
}

/// The codes of the band's first row and of its last one. Settled components share one label: they
/// are strong, whether they are joined or not.
__global__ void end_rows_kernel(Edges edges, std::uint32_t* first, std::uint32_t* last) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= edges.tiles.area.width) return;
  const auto code = [&](int tile, unsigned char mark) -> std::uint32_t {
    if (mark == rim_none) return 0;
    if (mark == rim_strong) return canny::code((1 << 30) - 1, canny::strong);
    const int root = find(edges.parents, tile * max_nodes + mark - 1);
    return canny::code(root, edges.is_strong[root] ? canny::strong : canny::weak);
  };
  const int top = x / tile_width;
  const int bottom = static_cast<int>(edges.tiles.count()) - edges.tiles.across() + top;
  first[x] = code(top, edges.rims[top].top[x % tile_width]);
  last[x] = code(bottom, edges.rims[bottom].bottom[x % tile_width]);
}

/// Draws pixels in any format.
template <class Storer>
struct AnyPen {
  Storer store;
  float on;
  __device__ auto operator()() const {
    return [this](int x, int y, bool is_on) {
      const float value = is_on ? on : 1.0f - on;
      store(x, y, Pixel{value, value, value, value});
    };
  }
};

/// Draws 8-bit gray, or 8-bit RGBA with the alpha that was there. There are two codes only.
template <class Code>
struct BytePen {
  static constexpr bool color = sizeof(Code) == 4;
  Output out;
  float on;
  __device__ Code code(float value) const {
    const DeviceCurves& curves = out.curves;
    Code code = 0;
    for (int c = 0; c < (color ? 3 : 1); ++c)
      code |= static_cast<Code>(encode_code(value, 255, curves, c) << 8 * c);
    return code;
  }
  __device__ auto operator()() const {
    return [this, on_code = code(on), off_code = code(1.0f - on)](int x, int y, bool is_on) {
      Code alpha = 0;
      if constexpr (color)
        alpha = __ldg(reinterpret_cast<const Code*>(out.original.at(0, y, sizeof(Code))) + x) &
                0xff000000u;
      *reinterpret_cast<Code*>(out.at(x, y, sizeof(Code))) = alpha | (is_on ? on_code : off_code);
    };
  }
};

template <class F>
void with_pen(const Output& out, float on, F&& f) {
  const Format& format = out.format;
  if (is_rgba(format, SampleType::u8)) return f(BytePen<unsigned>{out, on});
  if (format == Format{SampleType::u8, false, false}) return f(BytePen<unsigned char>{out, on});
  with_storer(out, [&](auto store) { f(AnyPen<decltype(store)>{store, on}); });
}

/// Floods the open components that turned out strong, and draws the tile.
template <class MakePen>
__global__ void __launch_bounds__(32 * warps_per_block)
    draw_kernel(Edges edges, Rect wanted, MakePen make_pen) {
  const unsigned tile = blockIdx.x * warps_per_block + threadIdx.x / 32;
  if (tile >= edges.tiles.count()) return;
  const int lane = threadIdx.x % 32, last = edges.last_row(tile);
  const int x = edges.tiles.x(tile), y = edges.tiles.y(tile);
  if (y >= wanted.bottom() || y + last < wanted.y || x >= wanted.right() ||
      x + tile_width <= wanted.x)
    return;
  const std::size_t word = std::size_t{tile} * tile_height + lane;
  const Word settled = edges.strong[word], open = edges.found[word] & ~settled;
  Word drawn = settled;
  if (__any_sync(whole_warp, open != 0)) {
    const Rim& rim = edges.rims[tile];
    const auto lives = [&](unsigned char mark) {
      return mark != rim_none && mark != rim_strong &&
             edges.is_strong[find(edges.parents, static_cast<int>(tile) * max_nodes + mark - 1)];
    };
    Word seeds = 0;
    if (lives(rim.left[lane])) seeds |= 1;
    if (lives(rim.right[lane])) seeds |= Word{1} << (tile_width - 1);
    Word top = 0, bottom = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool above = lives(rim.top[lane + 32 * i]), below = lives(rim.bottom[lane + 32 * i]);
      top |= Word{__ballot_sync(whole_warp, above)} << (32 * i);
      bottom |= Word{__ballot_sync(whole_warp, below)} << (32 * i);
    }
    if (lane == 0) seeds |= top;
    if (lane == last) seeds |= bottom;
    if (__any_sync(whole_warp, seeds != 0)) drawn |= flooded(open, seeds);
  }
  const int begin = max(wanted.y - y, 0), end = min(last + 1, wanted.bottom() - y);
  const bool here[2] = {x + lane >= wanted.x && x + lane < wanted.right(),
                        x + lane + 32 >= wanted.x && x + lane + 32 < wanted.right()};
  const auto pen = make_pen();
  for (int row = begin; row < end; ++row) {
    const Word bits = __shfl_sync(whole_warp, drawn, row);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (here[i])
        pen(x + lane + 32 * i, y + row, static_cast<unsigned>(bits >> 32 * i) >> lane & 1);
  }
}

/// The components of a band, on the device.
class BandEdges {
 public:
  BandEdges(const Input& in, const CannySettings& settings, cudaStream_t stream) : stream_{stream} {
    const int halo = settings.radius() + canny::reach;
    const Tiles tiles{in.area.grown(-halo, -halo), tile_width, tile_height};
    const std::size_t count = tiles.count();
    found_ = {count * tile_height, stream};
    strong_ = {count * tile_height, stream};
    rims_ = {count, stream};
    parents_ = {count * max_nodes, stream};
    is_strong_ = {count * max_nodes, stream};
    edges_ = {tiles,        found_.data(),   strong_.data(),
              rims_.data(), parents_.data(), is_strong_.data()};
    classify(in, settings);
    settle_components_kernel<<<divide_up(static_cast<int>(count), warps_per_block),
                               32 * warps_per_block, 0, stream>>>(edges_);
    check(cudaGetLastError());
    join_kernel<<<tiles.count(), tile_width + tile_height, 0, stream>>>(edges_);
    check(cudaGetLastError());
    spread_kernel<<<divide_up(static_cast<int>(count), 4), 128, 0, stream>>>(
        edges_, static_cast<int>(count));
    check(cudaGetLastError());
  }

  void describe(canny::BandLinks& links) {
    const int width = edges_.tiles.area.width;
    const Buffer<std::uint32_t> codes{std::size_t{2} * width, stream_};
    end_rows_kernel<<<divide_up(width, 256), 256, 0, stream_>>>(edges_, codes.data(),
                                                                codes.data() + width);
    check(cudaGetLastError());
    links.join_so_far();  // while the GPU computes
    canny::EndRow first(width), last(width);
    const auto fetch = [&](canny::EndRow& row, const std::uint32_t* from) {
      check(cudaMemcpyAsync(row.data(), from, row.size() * sizeof row[0], cudaMemcpyDeviceToHost,
                            stream_));
    };
    fetch(first, codes.data());
    fetch(last, codes.data() + width);
    check(cudaStreamSynchronize(stream_));
    links.add(edges_.tiles.area.y, std::move(first), std::move(last));
  }

  void draw(const Output& out, const canny::BandLinks& links, bool invert) {
    const std::vector<int>& promoted = links.promoted(edges_.tiles.area.y);
    if (!promoted.empty()) {
      const int count = static_cast<int>(promoted.size());
      Buffer<int> labels{promoted.size(), stream_};
      labels.upload(promoted.data(), promoted.size());
      raise_kernel<<<divide_up(count, 256), 256, 0, stream_>>>(edges_, labels.data(), count);
      check(cudaGetLastError());
    }
    with_pen(out, invert ? 0.0f : 1.0f, [&](auto pen) {
      draw_kernel<<<divide_up(static_cast<int>(edges_.tiles.count()), warps_per_block),
                    32 * warps_per_block, 0, stream_>>>(edges_, out.area, pen);
      check(cudaGetLastError());
    });
  }

 private:
  void classify(const Input& in, const CannySettings& settings) {
    const auto run = [&](auto load, Rect have) {
      class_kernel<<<edges_.tiles.count(), class_threads, 0, stream_>>>(
          edges_, in.image, have, load, settings.squares, settings.low, settings.high);
      check(cudaGetLastError());
    };
    with_searched(in, settings.channel, [&](auto load) {
      const Rect area = edges_.tiles.area;
      const auto rows = [&](int more) {
        const int top = std::max(0, area.y - more);
        return Rect{area.x, top, area.width, std::min(in.image.height, area.bottom() + more) - top};
      };
      const Rect tall = rows(canny::reach + settings.radius()), wide = rows(canny::reach);
      if (settings.radius() == 0) return run(load, wide);
      const Buffer<float> both{std::size_t{1} * wide.width * wide.height, stream_};
      if (settings.radius() <= small_radius) {
        const Tiles squares{wide, small_tile, small_tile};
        blur_small_kernel<<<squares.count(), small_threads, 0, stream_>>>(
            squares, tall, load, BlurTaps{settings.weights}, FloatPlane{both.data(), wide});
        check(cudaGetLastError());
        return run(FloatPlane{both.data(), wide}, wide);
      }
      const BlurWeights weights{settings.weights};
      const Buffer<float> across{std::size_t{1} * tall.width * tall.height, stream_};
      const Tiles lines{tall, across_width, 1}, columns{wide, 32, 8 * down_sums};
      blur_across_kernel<<<lines.count(), across_threads, 0, stream_>>>(
          lines, load, weights, FloatPlane{across.data(), tall});
      check(cudaGetLastError());
      blur_down_kernel<<<columns.count(), dim3{32, 8}, 0, stream_>>>(
          columns, FloatPlane{across.data(), tall}, weights, FloatPlane{both.data(), wide});
      check(cudaGetLastError());
      run(FloatPlane{both.data(), wide}, wide);
    });
  }

  cudaStream_t stream_;
  Buffer<Word> found_, strong_;
  Buffer<Rim> rims_;
  Buffer<int> parents_;
  Buffer<unsigned char> is_strong_;
  Edges edges_{};
};

}  // namespace

void Exec::analyze_edges(const Input& in, Rect, const CannySettings& settings,
                         canny::BandLinks& links) {
  BandEdges{in, settings, stream_}.describe(links);
}

void Exec::canny(const Input& in, const Output& out, const CannySettings& settings,
                 const canny::BandLinks& links) {
  BandEdges{in, settings, stream_}.draw(out, links, settings.invert);
}

}  // namespace cuda_filters::cuda
