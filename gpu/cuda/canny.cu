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

using canny::Channel;
using canny::Settings;
using Word = unsigned long long;

constexpr int tile_width = 64, tile_height = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// Components of a tile that reach its rim, at most: no two of its 188 pixels touch.
constexpr int most_nodes = 96;
/// What the rim says of a pixel: nothing, the number of an open component + 1, or settled.
constexpr unsigned char rim_none = 0, rim_strong = 255;

/// The pixels along the four sides of a tile.
struct Rim {
  unsigned char top[tile_width], bottom[tile_width], left[tile_height], right[tile_height];
};

/// What is kept of a band while it is computed.
struct Edges {
  Tiles tiles;
  Word* found;               ///< by tile and row: a bit for a pixel with a class
  Word* strong;              ///< likewise; after settle_kernel: of settled components
  Rim* rims;                 ///< by tile
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

/// Reads what is searched from pixels of any format, at any place of the padded image.
template <class Load>
struct SearchedPixels {
  Load load;
  Channel channel;
  __device__ float operator()(int x, int y) const {
    const Pixel p = load(x, y);
    return searched(p.r, p.g, p.b, channel);
  }
};

/// The same from 8-bit codes without a curve.
template <int samples>
struct SearchedBytes {
  Input in;
  Channel channel;
  /// code / 255, rounded once, in three instructions.
  __device__ static float fraction(unsigned code) {
    const float c = static_cast<float>(code), q = times(c, 1.0f / 255.0f);
    return fmaf(fmaf(-q, 255.0f, c), 1.0f / 255.0f, q);
  }
  __device__ float operator()(int x, int y) const {
    const auto* codes = reinterpret_cast<const unsigned char*>(in.at(x, y));
    if constexpr (samples == 1) {
      return static_cast<float>(__ldg(codes));
    } else {
      const uchar4 c = __ldg(reinterpret_cast<const uchar4*>(codes));
      return searched(fraction(c.x), fraction(c.y), fraction(c.z), channel);
    }
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
struct Numbers {
  float* data;
  Rect area;
  __device__ float& at(int x, int y) const {
    return data[static_cast<std::size_t>(y - area.y) * area.width + (x - area.x)];
  }
  __device__ float operator()(int x, int y) const { return __ldg(&at(x, y)); }
};

/// The weights of the blur, by value in a kernel's parameters.
struct BlurWeights {
  static constexpr int most = 195;
  int count;
  float values[most];
  explicit BlurWeights(const std::vector<float>& weights)
      : count{static_cast<int>(weights.size())}, values{} {
    std::copy(weights.begin(), weights.end(), values);
  }
};

constexpr int across_threads = 256, across_width = 4 * across_threads;

template <class Load>
__global__ void __launch_bounds__(across_threads)
    blur_across_kernel(Tiles tiles, Load load, const __grid_constant__ BlurWeights weights,
                       Numbers out) {
  __shared__ float row[across_width + BlurWeights::most];
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x), radius = weights.count / 2;
  const int width = min(across_width, tiles.area.right() - x);
  for (int i = threadIdx.x; i < width + 2 * radius; i += across_threads)
    row[i] = load(x - radius + i, y);
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
    blur_down_kernel(Tiles tiles, Numbers in, const __grid_constant__ BlurWeights weights,
                     Numbers out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y) * down_sums;
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const int first = y - weights.count / 2;
  float sums[down_sums] = {};
  for (int k = 0; k < weights.count + down_sums - 1; ++k) {
    // The first and the last row that are here are those of the image, if they are needed at all.
    const float value = in(x, min(max(first + k, in.area.y), in.area.bottom() - 1));
#pragma unroll
    for (int j = 0; j < down_sums; ++j)
      if (k >= j && k - j < weights.count)
        sums[j] = plus(sums[j], times(weights.values[k - j], value));
  }
#pragma unroll
  for (int j = 0; j < down_sums; ++j)
    if (y + j < tiles.area.bottom()) out.at(x, y + j) = sums[j];
}

constexpr int class_threads = 256;

/// The classes of a tile's pixels. `image` is the image without padding: beyond it the nearest
/// pixels are looked at, and magnitudes are 0.
template <class Load>
__global__ void __launch_bounds__(class_threads)
    class_kernel(Edges edges, Rect image, Load load, bool squares, float low, float high) {
  constexpr int width = tile_width + 4, height = tile_height + 4;
  __shared__ float values[height][width];
  __shared__ float sizes[tile_height + 2][tile_width + 2];
  const unsigned tile = blockIdx.x;
  const int x = edges.tiles.x(tile), y = edges.tiles.y(tile);
  for (int i = threadIdx.x; i < width * height; i += class_threads) {
    const int column = min(max(x - 2 + i % width, 0), image.width - 1);
    const int row = min(max(y - 2 + i / width, 0), image.height - 1);
    // Rows below the band's own neighbours are not here, and nobody looks at them.
    if (row < edges.tiles.area.bottom() + 2) values[i / width][i % width] = load(column, row);
  }
  __syncthreads();
  const auto gradient = [&](int column, int row, float& dx, float& dy) {
    const float* above = &values[row - 1][column];
    const float* middle = &values[row][column];
    const float* below = &values[row + 1][column];
    dx = plus(plus(minus(above[1], above[-1]), times(2.0f, minus(middle[1], middle[-1]))),
              minus(below[1], below[-1]));
    dy = plus(plus(minus(below[-1], above[-1]), times(2.0f, minus(below[0], above[0]))),
              minus(below[1], above[1]));
  };
  constexpr int sizes_width = tile_width + 2;
  for (int i = threadIdx.x; i < sizes_width * (tile_height + 2); i += class_threads) {
    const int column = i % sizes_width, row = i / sizes_width;
    float dx, dy;
    gradient(column + 1, row + 1, dx, dy);
    const bool inside = x - 1 + column >= 0 && x - 1 + column < image.width && y - 1 + row >= 0 &&
                        y - 1 + row < image.height;
    const float size = squares ? plus(times(dx, dx), times(dy, dy)) : plus(fabsf(dx), fabsf(dy));
    sizes[row][column] = inside ? size : 0.0f;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int half = static_cast<int>(threadIdx.x) / 32; half < 2 * tile_height;
       half += class_threads / 32) {
    const int row = half / 2, column = half % 2 * 32 + lane;
    const float* size = &sizes[row + 1][column + 1];
    const bool here = x + column < edges.tiles.area.right() && y + row < edges.tiles.area.bottom();
    bool peak = false;
    if (here && *size > low) {
      float dx, dy;
      gradient(column + 2, row + 2, dx, dy);
      const float across = fabsf(dx), along = fabsf(dy);
      constexpr int step = sizes_width;
      if (along < times(across, canny::tan_22)) {
        peak = *size > size[-1] && *size >= size[1];
      } else if (along > times(across, canny::tan_67)) {
        peak = *size > size[-step] && *size >= size[step];
      } else {
        const int side = (__float_as_int(dx) ^ __float_as_int(dy)) < 0 ? -1 : 1;
        peak = *size > size[-step - side] && *size > size[step + side];
      }
    }
    const unsigned found = __ballot_sync(whole_warp, peak);
    const unsigned strong = __ballot_sync(whole_warp, peak && *size > high);
    const std::size_t word = (std::size_t{tile} * tile_height + row) * 2 + half % 2;
    if (lane == 0) {
      reinterpret_cast<unsigned*>(edges.found)[word] = found;
      reinterpret_cast<unsigned*>(edges.strong)[word] = strong;
    }
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
__global__ void __launch_bounds__(32 * warps_per_block) settle_kernel(Edges edges) {
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
    const int node = static_cast<int>(tile) * most_nodes + i;
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
    const int a = tile * most_nodes + mine - 1, b = other_tile * most_nodes + other - 1;
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
    const int node = tile * most_nodes + mark - 1;
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
    const int root = find(edges.parents, tile * most_nodes + mark - 1);
    return canny::code(root, edges.is_strong[root] ? canny::strong : canny::weak);
  };
  const int top = x / tile_width;
  const int bottom = static_cast<int>(edges.tiles.count()) - edges.tiles.across() + top;
  first[x] = code(top, edges.rims[top].top[x % tile_width]);
  last[x] = code(bottom, edges.rims[bottom].bottom[x % tile_width]);
}

/// Floods the open components that turned out strong, and draws the tile.
template <class Store>
__global__ void __launch_bounds__(32 * warps_per_block)
    draw_kernel(Edges edges, Rect wanted, float on, Store store) {
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
             edges.is_strong[find(edges.parents, static_cast<int>(tile) * most_nodes + mark - 1)];
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
  for (int row = 0; row <= last; ++row) {
    const Word bits = __shfl_sync(whole_warp, drawn, row);
    if (y + row < wanted.y || y + row >= wanted.bottom()) continue;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int column = lane + 32 * i;
      if (x + column < wanted.x || x + column >= wanted.right()) continue;
      const float value = bits >> column & 1 ? on : 1.0f - on;
      store(x + column, y + row, Pixel{value, value, value, value});
    }
  }
}

/// The components of a band, on the device.
class BandEdges {
 public:
  BandEdges(const Input& in, const Settings& settings, cudaStream_t stream) : stream_{stream} {
    const int halo = settings.radius() + canny::reach;
    const Tiles tiles{in.area.grown(-halo, -halo), tile_width, tile_height};
    const std::size_t count = tiles.count();
    found_ = {count * tile_height, stream};
    strong_ = {count * tile_height, stream};
    rims_ = {count, stream};
    parents_ = {count * most_nodes, stream};
    is_strong_ = {count * most_nodes, stream};
    edges_ = {tiles,        found_.data(),   strong_.data(),
              rims_.data(), parents_.data(), is_strong_.data()};
    classify(in, settings);
    settle_kernel<<<divide_up(static_cast<int>(count), warps_per_block), 32 * warps_per_block, 0,
                    stream>>>(edges_);
    check(cudaGetLastError());
    join_kernel<<<tiles.count(), tile_width + tile_height, 0, stream>>>(edges_);
    check(cudaGetLastError());
    spread_kernel<<<divide_up(static_cast<int>(count), 4), 128, 0, stream>>>(
        edges_, static_cast<int>(count));
    check(cudaGetLastError());
  }

  void describe(canny::Joints& joints) {
    const int width = edges_.tiles.area.width;
    const Buffer<std::uint32_t> codes{std::size_t{2} * width, stream_};
    end_rows_kernel<<<divide_up(width, 256), 256, 0, stream_>>>(edges_, codes.data(),
                                                                codes.data() + width);
    check(cudaGetLastError());
    canny::EndRow first(width), last(width);
    const auto fetch = [&](canny::EndRow& row, const std::uint32_t* from) {
      check(cudaMemcpyAsync(row.data(), from, row.size() * sizeof row[0], cudaMemcpyDeviceToHost,
                            stream_));
    };
    fetch(first, codes.data());
    fetch(last, codes.data() + width);
    check(cudaStreamSynchronize(stream_));
    joints.add(edges_.tiles.area.y, std::move(first), std::move(last));
  }

  void draw(const Output& out, const canny::Joints& joints, bool invert) {
    const std::vector<int>& raised = joints.raised(edges_.tiles.area.y);
    if (!raised.empty()) {
      const int count = static_cast<int>(raised.size());
      Buffer<int> labels{raised.size(), stream_};
      labels.upload(raised.data(), raised.size());
      raise_kernel<<<divide_up(count, 256), 256, 0, stream_>>>(edges_, labels.data(), count);
      check(cudaGetLastError());
    }
    with_storer(out, [&](auto store) {
      draw_kernel<<<divide_up(static_cast<int>(edges_.tiles.count()), warps_per_block),
                    32 * warps_per_block, 0, stream_>>>(edges_, out.area, invert ? 0.0f : 1.0f,
                                                        store);
      check(cudaGetLastError());
    });
  }

 private:
  void classify(const Input& in, const Settings& settings) {
    const auto run = [&](auto load) {
      class_kernel<<<edges_.tiles.count(), class_threads, 0, stream_>>>(
          edges_, in.image, load, settings.squares, settings.low, settings.high);
      check(cudaGetLastError());
    };
    with_searched(in, settings.channel, [&](auto load) {
      if (settings.radius() == 0) return run(load);
      const Rect area = edges_.tiles.area;
      const auto rows = [&](int more) {
        const int top = std::max(0, area.y - more);
        return Rect{area.x, top, area.width, std::min(in.image.height, area.bottom() + more) - top};
      };
      const Rect tall = rows(canny::reach + settings.radius()), wide = rows(canny::reach);
      const BlurWeights weights{settings.weights};
      const Buffer<float> across{std::size_t{1} * tall.width * tall.height, stream_};
      const Buffer<float> both{std::size_t{1} * wide.width * wide.height, stream_};
      const Tiles lines{tall, across_width, 1}, columns{wide, 32, 8 * down_sums};
      blur_across_kernel<<<lines.count(), across_threads, 0, stream_>>>(
          lines, load, weights, Numbers{across.data(), tall});
      check(cudaGetLastError());
      blur_down_kernel<<<columns.count(), dim3{32, 8}, 0, stream_>>>(
          columns, Numbers{across.data(), tall}, weights, Numbers{both.data(), wide});
      check(cudaGetLastError());
      run(Numbers{both.data(), wide});
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

void Exec::survey_edges(const Input& in, Rect, const Settings& settings, canny::Joints& joints) {
  BandEdges{in, settings, stream_}.describe(joints);
}

void Exec::edges(const Input& in, const Output& out, const Settings& settings,
                 const canny::Joints& joints) {
  BandEdges{in, settings, stream_}.draw(out, joints, settings.invert);
}

}  // namespace cuda_filters::cuda
