// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "gpu/core/rank.hpp"
#include "gpu/core/small_median.hpp"
#include "gpu/cuda/exec.cuh"

// Rank filters: the three ways that core/rank.hpp tells of.

namespace cuda_filters::cuda {
namespace {

using rank::Percentiles;

/// Keys of all channels, interleaved, of an area of the padded image.
template <class Key>
struct Keys {
  const Key* data;
  Rect area;
  int channels;
  int pitch;  ///< from row to row, in samples

  __device__ const Key* at(int x, int y) const {
    return data + static_cast<std::size_t>(y - area.y) * pitch + (x - area.x) * channels;
  }
  __device__ bool has(int x, int y) const {
    return x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
  }
};

/// The samples of a pixel, read at once where their number allows it.
template <class Key, int channels>
struct alignas(sizeof(Key) * (channels == 3 ? 1 : channels)) Samples {
  Key keys[channels];
};

template <class Key, int channels>
__global__ void unpack_kernel(Input in, Rect area, Key infinity, Key* out, int pitch) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y);
  if (x >= area.right()) return;
  using Pixel = Samples<Key, channels>;
  const auto* stored = reinterpret_cast<const Pixel*>(in.at(x, y, sizeof(Pixel)));
  Pixel pixel{};
  if (stored != nullptr) pixel = *stored;
  if (infinity != 0)
#pragma unroll
    for (Key& key : pixel.keys) key = rank::key_of_float(key, infinity);
  *reinterpret_cast<Pixel*>(out + static_cast<std::size_t>(y - area.y) * pitch +
                            (x - area.x) * channels) = pixel;
}

template <class Key>
void unpack_samples(cudaStream_t stream, const Input& in, Rect area, Key infinity, Key* out,
                    int pitch) {
  const auto run = [&](auto kernel) {
    // A grid has up to 65535 rows.
    constexpr int max_rows = 65535;
    for (int y = 0; y < area.height; y += max_rows) {
      const Rect part{area.x, area.y + y, area.width, std::min(max_rows, area.height - y)};
      const dim3 grid{divide_up(part.width, 256), static_cast<unsigned>(part.height)};
      kernel<<<grid, 256, 0, stream>>>(in, part, infinity,
                                       out + static_cast<std::size_t>(y) * pitch, pitch);
      check(cudaGetLastError());
    }
  };
  switch (in.format.channels()) {
    case 1:
      return run(unpack_kernel<Key, 1>);
    case 2:
      return run(unpack_kernel<Key, 2>);
    case 3:
      return run(unpack_kernel<Key, 3>);
    default:
      return run(unpack_kernel<Key, 4>);
  }
}

/// Where the results go: rows of stored samples without gaps.
template <class Key>
struct Codes {
  Key* data;
  Rect area;
  int channels;
  Key infinity;  ///< of floats, else 0

  __device__ std::size_t width() const { return static_cast<std::size_t>(area.width) * channels; }
  /// `sample` counts from the left of the area.
  __device__ void store(std::size_t sample, int y, Key key) const {
    data[(y - area.y) * width() + sample] = infinity != 0 ? rank::float_of_key(key) : key;
  }
  /// The samples in four bytes, as far as there is room for them.
  __device__ void store_bytes(int sample, int y, unsigned bytes) const {
    constexpr int count = 4 / sizeof(Key);
    Key samples[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const Key key = static_cast<Key>(bytes >> 8 * sizeof(Key) * i);
      samples[i] = infinity != 0 ? rank::float_of_key(key) : key;
    }
    Key* to = data + (y - area.y) * width() + sample;
    if (reinterpret_cast<std::uintptr_t>(to) % 4 == 0 && sample + count <= width()) {
      unsigned whole = 0;
#pragma unroll
      for (int i = 0; i < count; ++i)
        whole |= static_cast<unsigned>(samples[i]) << 8 * sizeof(Key) * i;
      *reinterpret_cast<unsigned*>(to) = whole;
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (sample + i < width()) to[i] = samples[i];
    }
  }
};

/// What sorting networks work on: words into which the samples in four bytes of a row are unpacked,
/// of two numbers of 16 bits or one of 32.
template <class Key>
struct Words {
  static constexpr int samples = 4 / sizeof(Key);
  static constexpr int count = sizeof(Key) == 1 ? 2 : 1;

  struct Min {
    __device__ unsigned operator()(unsigned a, unsigned b) const {
      return sizeof(Key) == 4 ? min(a, b) : __vminu2(a, b);
    }
  };
  struct Max {
    __device__ unsigned operator()(unsigned a, unsigned b) const {
      return sizeof(Key) == 4 ? max(a, b) : __vmaxu2(a, b);
    }
  };
  /// Word number `i` of four bytes.
  __device__ static unsigned unpacked(unsigned bytes, int i) {
    return sizeof(Key) == 1 ? bytes >> 8 * i & 0x00ff00ffu : bytes;
  }
};

/// Four bytes from any place; the memory is there up to the next multiple of four after them.
__device__ inline unsigned four_bytes(const void* from, bool aligned) {
  if (aligned) return __ldg(reinterpret_cast<const unsigned*>(from));
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* words = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const unsigned shift = 8 * (address & 3);
  if (shift == 0) return __ldg(words);
  return __funnelshift_r(__ldg(words), __ldg(words + 1), shift);
}

/// The threads of a block: as many as have room for their sorted rows in 48 KiB, and several such
/// blocks on a processor.
template <class NetworkWindow>
constexpr int network_threads = NetworkWindow::diameter <= 7   ? 128
                                : NetworkWindow::diameter <= 9 ? 64
                                                               : 32;
/// How many of the words of four bytes a thread works on. Neighboring threads have the others: all
/// of them would need too much memory, and registers, for larger windows.
template <class Key, class NetworkWindow>
constexpr int network_words = NetworkWindow::diameter <= 5 ? Words<Key>::count : 1;

/// Medians of small windows, of as many rows a block. A thread goes down four rows at a time, with
/// its last rows, sorted, in shared memory.
template <class Key, class NetworkWindow>
__global__ void __launch_bounds__(network_threads<NetworkWindow>)
    network_kernel(Keys<Key> keys, Codes<Key> out, int rows_of_block) {
  using W = Words<Key>;
  constexpr int d = NetworkWindow::diameter, radius = d / 2, ring = d + 3;
  constexpr int threads = network_threads<NetworkWindow>, words = network_words<Key, NetworkWindow>;
  constexpr int sharing = W::count / words, pieces = threads / sharing;
  __shared__ unsigned memory[ring][d][words][threads];
  const int thread = threadIdx.x, share = thread % sharing;
  const int width = static_cast<int>(out.width());
  const int across = (width + W::samples * pieces - 1) / (W::samples * pieces);
  const int sample =
      (static_cast<int>(blockIdx.x % across) * pieces + thread / sharing) * W::samples;
  // Where there is nothing left, a thread works on the first sample: its neighbor may wait for it.
  const int first = sample < width ? sample : 0;
  const int top = out.area.y + static_cast<int>(blockIdx.x / across) * rows_of_block;
  const int end = min(top + rows_of_block, out.area.bottom());

  const bool aligned = keys.channels * sizeof(Key) % 4 == 0;
  int oldest = 0;
  const auto fetch = [&](int y) {
    const Key* row = keys.at(out.area.x, min(y, keys.area.bottom() - 1)) + first;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      unsigned sorted[d];
      rank::sort_row<NetworkWindow>(
          sorted,
          [&](int dx) {
            return W::unpacked(four_bytes(row + dx * keys.channels, aligned), share + i);
          },
          typename W::Min{}, typename W::Max{});
#pragma unroll
      for (int k = 0; k < d; ++k) memory[oldest][k][i][thread] = sorted[k];
    }
    oldest = oldest + 1 < ring ? oldest + 1 : 0;
  };
  for (int y = top - radius; y < top + radius; ++y) fetch(y);
  for (int y = top; y < end; y += 4) {
#pragma unroll 1
    for (int row = 0; row < 4; ++row) fetch(y + radius + row);
    const unsigned* rows[ring];
#pragma unroll
    for (int row = 0; row < ring; ++row)
      rows[row] = &memory[oldest + row < ring ? oldest + row : oldest + row - ring][0][0][thread];
    unsigned medians[words][4];
#pragma unroll
    for (int i = 0; i < words; ++i)
      rank::four_medians<NetworkWindow>(
          [&](int row, int k) { return rows[row + radius][(k * words + i) * threads]; },
          typename W::Min{}, typename W::Max{}, medians[i]);
    const auto store = [&](int row, unsigned bytes) {
      if (sample < width && y + row < end) out.store_bytes(sample, y + row, bytes);
    };
    if constexpr (sharing == 2) {
      // Each of two threads gives the other one its word of one row, and stores the other row.
#pragma unroll
      for (int row = 0; row < 4; row += 2) {
        const unsigned above = medians[0][row], below = medians[0][row + 1];
        const unsigned other = __shfl_xor_sync(0xffffffffu, share == 0 ? below : above, 1);
        store(row + share, share == 0 ? above | other << 8 : other | below << 8);
      }
    } else {
#pragma unroll
      for (int row = 0; row < 4; ++row)
        store(row, words == 2 ? medians[0][row] | medians[words - 1][row] << 8 : medians[0][row]);
    }
  }
}

template <class NetworkWindow, class Key>
void network_medians(cudaStream_t stream, const Keys<Key>& keys, const Codes<Key>& out) {
  constexpr int threads = network_threads<NetworkWindow>;
  constexpr int samples =
      Words<Key>::samples * threads / (Words<Key>::count / network_words<Key, NetworkWindow>);
  const unsigned across = divide_up(out.area.width * out.channels, samples);
  // The rows above and below are sorted for each block again, but few blocks end at different
  // times.
  constexpr unsigned many = 3000;
  const int rows = across * divide_up(out.area.height, 64) >= many ? 64 : 32;
  network_kernel<Key, NetworkWindow>
      <<<across * divide_up(out.area.height, rows), threads, 0, stream>>>(keys, out, rows);
  check(cudaGetLastError());
}

template <class Key>
void small_medians(cudaStream_t stream, const Keys<Key>& keys, const Codes<Key>& out,
                   const rank::Window& window) {
  using rank::Shape, rank::SmallWindow;
  [&]<int... r>(std::integer_sequence<int, r...>) {
    constexpr auto round = [](int radius) { return rank::simplest(Shape::circle, radius); };
    ((window.radius != r + 1 ? void()
      : window.is_square()   ? network_medians<SmallWindow<Shape::square, r + 1>>(stream, keys, out)
                           : network_medians<SmallWindow<round(r + 1), r + 1>>(stream, keys, out)),
     ...);
  }
  (std::make_integer_sequence<int, rank::gpu_network_radius>{});
}

/// rank::Window and rank::Percentiles on the device.
struct DeviceWindow {
  int radius, count;
  const int* reach;
  Percentiles percentiles;
  int color_rank, alpha_rank;  ///< in a whole window
  bool has_alpha;

  __device__ int rank_for(int samples, int c, int channels) const {
    const bool is_alpha = has_alpha && c == channels - 1;
    if (samples == count) return is_alpha ? alpha_rank : color_rank;
    return rank::rank_of(samples, is_alpha ? percentiles.alpha : percentiles.color);
  }
};

/// A thread's histogram of bytes in shared memory, beside those of the other threads of its block:
/// a lane has a bank of its own. A word holds a count of each of two warps, or one if `wide`.
template <bool wide>
class Histogram {
 public:
  static constexpr int threads = wide ? 32 : 64, words = rank::classes * 32;

  __device__ Histogram(unsigned* block, int thread)
      : mine_{block + thread % 32}, shift_{wide ? 0 : 16 * (thread / 32)} {}
  /// Makes all counts of the block 0; all of its threads call it.
  __device__ static void clear(unsigned* block) {
    for (int i = threadIdx.x; i < words; i += threads) block[i] = 0;
    __syncthreads();
  }
  // Nothing waits for these, which is what makes them fast; no half ever carries into the other.
  __device__ void add(unsigned byte) const { atomicAdd(mine_ + 32 * byte, 1u << shift_); }
  __device__ void remove(unsigned byte) const { atomicAdd(mine_ + 32 * byte, 0u - (1u << shift_)); }
  __device__ int count(unsigned byte) const {
    const unsigned word = mine_[32 * byte] >> shift_;
    return static_cast<int>(wide ? word : word & 0xffffu);
  }

 private:
  unsigned* mine_;
  int shift_;
};

/// Slides a window down the column `x` of channel `c` and calls found(y, byte, residual) for the
/// rows from `begin` to `end`: the byte of the wanted rank, and what is left of the rank among the
/// samples with that byte. The histogram is empty.
template <bool wide, bool square, class Found>
__device__ void slide_down(const Keys<std::uint8_t>& bytes, const DeviceWindow& window, int x,
                           int c, int begin, int end, Histogram<wide> histogram, Found found) {
  const int r = window.radius;
  const bool inside_x = x - r >= bytes.area.x && x + r < bytes.area.right();
  const unsigned pitch = bytes.pitch, step = bytes.channels;
  const auto reach_of = [&](int column) { return square ? r : __ldg(window.reach + column); };
  int samples = 0, middle = 0, below = 0;
  const auto enter = [&](unsigned byte) {
    histogram.add(byte);
    below += byte < middle;
  };
  const auto leave = [&](unsigned byte) {
    histogram.remove(byte);
    below -= byte < middle;
  };
  for (int dx = -r; dx <= r; ++dx) {
    const int reach = reach_of(dx + r);
    if (x + dx < bytes.area.x || x + dx >= bytes.area.right()) continue;
    const int first = max(begin - reach, bytes.area.y);
    const int last = min(begin + reach, bytes.area.bottom() - 1);
    const std::uint8_t* byte = bytes.at(x + dx, first) + c;
    for (int y = first; y <= last; ++y, byte += pitch) enter(__ldg(byte));
    samples += max(last - first + 1, 0);
  }
  for (int y = begin;; ++y) {
    const int rank = window.rank_for(samples, c, bytes.channels);
    while (below > rank) below -= histogram.count(--middle);
    for (int here; below + (here = histogram.count(middle)) <= rank; ++middle) below += here;
    found(y, middle, rank - below);
    if (y + 1 == end) return;
    if (inside_x && y - r >= bytes.area.y && y + r + 1 < bytes.area.bottom()) {
      // Positions of the pixels that enter and leave in the first column, if all reach equally far.
      const unsigned row = static_cast<unsigned>(y - bytes.area.y) * pitch + c +
                           static_cast<unsigned>(x - r - bytes.area.x) * step;
      constexpr int batch = 8;
      for (int first = 0; first <= 2 * r; first += batch) {
        unsigned old[batch], fresh[batch];
#pragma unroll
        for (int i = 0; i < batch; ++i) {
          if (first + i > 2 * r) break;
          const unsigned column = row + (first + i) * step, rows = reach_of(first + i) * pitch;
          old[i] = __ldg(bytes.data + (column - rows));
          fresh[i] = __ldg(bytes.data + (column + rows + pitch));
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
          if (first + i > 2 * r) break;
          enter(fresh[i]), leave(old[i]);
        }
      }
    } else {
      for (int dx = -r; dx <= r; ++dx) {
        const int reach = reach_of(dx + r);
        if (bytes.has(x + dx, y + 1 + reach)) {
          enter(__ldg(bytes.at(x + dx, y + 1 + reach) + c));
          ++samples;
        }
        if (bytes.has(x + dx, y - reach)) {
          leave(__ldg(bytes.at(x + dx, y - reach) + c));
          --samples;
        }
      }
    }
  }
}

template <bool wide, bool square>
__global__ void __launch_bounds__(Histogram<wide>::threads)
    histogram_kernel(Keys<std::uint8_t> bytes, DeviceWindow window, Codes<std::uint8_t> out,
                     int rows) {
  using H = Histogram<wide>;
  __shared__ unsigned counts[H::words];
  H::clear(counts);
  const int width = static_cast<int>(out.width()), across = (width + H::threads - 1) / H::threads;
  const int sample = static_cast<int>(blockIdx.x % across * H::threads + threadIdx.x);
  const int begin = out.area.y + static_cast<int>(blockIdx.x / across) * rows;
  if (sample >= width) return;
  slide_down<wide, square>(
      bytes, window, out.area.x + sample / out.channels, sample % out.channels, begin,
      min(begin + rows, out.area.bottom()), H{counts, static_cast<int>(threadIdx.x)},
      [&](int y, int byte, int) { out.store(sample, y, static_cast<std::uint8_t>(byte)); });
}

/// Which kernel slides a window: counts of 16 bits are enough up to radius 127.
template <bool wide, bool square>
struct Kind {};

template <class F>
void with_kind(const DeviceWindow& window, F&& f) {
  const bool square = window.count == (2 * window.radius + 1) * (2 * window.radius + 1);
  if (window.radius > 127)
    square ? f(Kind<true, true>{}) : f(Kind<true, false>{});
  else
    square ? f(Kind<false, true>{}) : f(Kind<false, false>{});
}

template <class Kernel>
void use_shared_memory(Kernel kernel) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
}

template <bool wide, bool square>
void slide_histograms(cudaStream_t stream, const Keys<std::uint8_t>& bytes,
                      const DeviceWindow& window, const Codes<std::uint8_t>& out) {
  int gpu = 0, multiprocessors = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu));
  const unsigned across = divide_up(out.area.width * out.channels, Histogram<wide>::threads);
  // Two blocks for every one that runs at a time, but strips worth their first window.
  const int strips = static_cast<int>(divide_up(multiprocessors * 14, static_cast<int>(across)));
  const int rows = std::max(static_cast<int>(divide_up(out.area.height, strips)),
                            std::min(2 * window.radius + 1, out.area.height));
  const auto kernel = histogram_kernel<wide, square>;
  use_shared_memory(kernel);
  kernel<<<across * divide_up(out.area.height, rows), Histogram<wide>::threads, 0, stream>>>(
      bytes, window, out, rows);
  check(cudaGetLastError());
}

/// Square tiles of the result, and for each the part of the padded image that its windows cover.
struct SortedTiles {
  Rect out, have;
  int radius, size, channels;
  int first, count;  ///< the tiles at hand

  __host__ __device__ int across() const { return (out.width + size - 1) / size; }
  __host__ __device__ int all() const { return across() * ((out.height + size - 1) / size); }
  /// How many samples of a channel a tile has at most, with its surroundings, and without.
  __host__ __device__ int wide() const { return (size + 2 * radius) * (size + 2 * radius); }
  __host__ __device__ int narrow() const { return size * size; }
  /// Tile number `i` of those at hand.
  __host__ __device__ Rect tile(int i) const {
    const int x = out.x + (first + i) % across() * size, y = out.y + (first + i) / across() * size;
    return {x, y, out.right() - x < size ? out.right() - x : size,
            out.bottom() - y < size ? out.bottom() - y : size};
  }
  __host__ __device__ Rect surroundings(int i) const {
    const Rect whole = tile(i).grown(radius, radius);
    const int x = whole.x > have.x ? whole.x : have.x, y = whole.y > have.y ? whole.y : have.y;
    return {x, y, (whole.right() < have.right() ? whole.right() : have.right()) - x,
            (whole.bottom() < have.bottom() ? whole.bottom() : have.bottom()) - y};
  }
};

/// A position in the surroundings of a tile.
__device__ unsigned place(int x, int y) { return static_cast<unsigned>(y << 16 | x); }
__device__ int place_x(unsigned place) { return static_cast<int>(place & 0xffffu); }
__device__ int place_y(unsigned place) { return static_cast<int>(place >> 16); }

/// Calls f(i) for i from 0 to count - 1, among all blocks of a tile.
template <class F>
__device__ void for_each_of_tile(int count, F f) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(count);
       i += gridDim.x * blockDim.x)
    f(static_cast<int>(i));
}

/// The samples of each channel, with their places, as a segment to be sorted.
template <class Key>
__global__ void fill_kernel(SortedTiles tiles, Keys<Key> keys, Key* segments, unsigned* places) {
  const int tile = blockIdx.y;
  const Rect area = tiles.surroundings(tile);
  for_each_of_tile(area.width * area.height, [&](int i) {
    const int x = i % area.width, y = i / area.width;
    const Key* samples = keys.at(area.x + x, area.y + y);
    for (int c = 0; c < tiles.channels; ++c) {
      const std::size_t at = (std::size_t{1} * tile * tiles.channels + c) * tiles.wide() + i;
      segments[at] = samples[c];
      places[at] = place(x, y);
    }
  });
}

/// The class of every sample, in its place.
__global__ void class_kernel(SortedTiles tiles, const unsigned* places, std::uint8_t* bytes) {
  const int tile = blockIdx.y;
  const Rect area = tiles.surroundings(tile);
  const int count = area.width * area.height;
  bytes += std::size_t{1} * tile * tiles.channels * tiles.wide();
  for (int c = 0; c < tiles.channels; ++c) {
    const unsigned* segment = places + (std::size_t{1} * tile * tiles.channels + c) * tiles.wide();
    for_each_of_tile(count, [&](int i) {
      const int at = place_y(segment[i]) * area.width + place_x(segment[i]);
      bytes[at * tiles.channels + c] = static_cast<std::uint8_t>(rank::class_of(i, count));
    });
  }
}

/// The class of every result and its rank in there, which takes the lower 24 bits.
template <bool wide, bool square>
__global__ void __launch_bounds__(Histogram<wide>::threads)
    class_histogram_kernel(SortedTiles tiles, const std::uint8_t* bytes, DeviceWindow window,
                           unsigned* found) {
  using H = Histogram<wide>;
  __shared__ unsigned counts[H::words];
  H::clear(counts);
  const int across = (tiles.size * tiles.channels + H::threads - 1) / H::threads;
  const int tile = static_cast<int>(blockIdx.x) / across;
  const int sample = static_cast<int>(blockIdx.x % across * H::threads + threadIdx.x);
  const Rect area = tiles.tile(tile);
  if (sample >= area.width * tiles.channels) return;
  bytes += std::size_t{1} * tile * tiles.channels * tiles.wide();
  found += std::size_t{1} * tile * tiles.channels * tiles.narrow();
  const Rect wide_area = tiles.surroundings(tile);
  slide_down<wide, square>(
      Keys<std::uint8_t>{bytes, wide_area, tiles.channels, wide_area.width * tiles.channels},
      window, area.x + sample / tiles.channels, sample % tiles.channels, area.y, area.bottom(),
      H{counts, static_cast<int>(threadIdx.x)}, [&](int y, int one_class, int residual) {
        found[(y - area.y) * tiles.size * tiles.channels + sample] =
            static_cast<unsigned>(one_class) << 24 | static_cast<unsigned>(residual);
      });
}

/// Looks through the class of each result for the sample of that rank.
template <class Key>
__global__ void resolve_kernel(SortedTiles tiles, const Key* segments, const unsigned* places,
                               const unsigned* found, DeviceWindow window, Codes<Key> out) {
  const int tile = blockIdx.y, r = window.radius;
  const Rect area = tiles.tile(tile), wide = tiles.surroundings(tile);
  const int count = wide.width * wide.height, width = area.width * tiles.channels;
  found += std::size_t{1} * tile * tiles.channels * tiles.narrow();
  for_each_of_tile(width * area.height, [&](int i) {
    const int row = i / width, sample = i % width;
    const int x = area.x - wide.x + sample / tiles.channels, y = area.y - wide.y + row;
    const std::size_t segment = std::size_t{1} * tile * tiles.channels + sample % tiles.channels;
    const unsigned wanted = found[row * tiles.size * tiles.channels + sample];
    const unsigned* at = places + segment * tiles.wide();
    int entry = rank::first_of(static_cast<int>(wanted >> 24), count);
    for (int residual = static_cast<int>(wanted & 0xffffffu);; ++entry) {
      const int dx = place_x(at[entry]) - x, dy = place_y(at[entry]) - y;
      if (dx < -r || dx > r || abs(dy) > __ldg(window.reach + dx + r)) continue;
      if (residual-- == 0) break;
    }
    out.store(std::size_t{1} * (area.x - out.area.x) * tiles.channels + sample, area.y + row,
              segments[segment * tiles.wide() + entry]);
  });
}

/// Samples of any size of key.
template <class Key>
void sorted_ranks(cudaStream_t stream, const Keys<Key>& keys, const DeviceWindow& window,
                  const Codes<Key>& out) {
  SortedTiles tiles{
      out.area, keys.area, window.radius, std::clamp(3 * window.radius, 64, 256), out.channels,
      0,        0};
  // What is sorted at a time.
  constexpr std::size_t max_samples = std::size_t{1} << 25;
  const std::size_t of_tile = std::size_t{1} * tiles.wide() * tiles.channels;
  const int at_once = static_cast<int>(
      std::clamp<std::size_t>(max_samples / of_tile, 1, static_cast<std::size_t>(tiles.all())));
  const std::size_t samples = of_tile * at_once;
  Buffer<Key> segments{samples, stream}, sorted{samples, stream};
  Buffer<unsigned> places{samples, stream}, sorted_places{samples, stream};
  const Buffer<std::uint8_t> bytes{samples, stream};
  const Buffer<unsigned> found{std::size_t{1} * tiles.narrow() * tiles.channels * at_once, stream};
  Buffer<int> offsets{std::size_t{2} * tiles.channels * at_once, stream};
  Buffer<std::byte> scratch;
  std::vector<int> ends;
  PacedLaunches launches{stream, 2};
  for (; tiles.first < tiles.all(); tiles.first += at_once) {
    launches.begin();
    tiles.count = std::min(at_once, tiles.all() - tiles.first);
    const int count = tiles.count * tiles.channels;
    ends.assign(2 * count, 0);
    for (int i = 0; i < count; ++i) {
      const Rect area = tiles.surroundings(i / tiles.channels);
      ends[i] = i * tiles.wide();
      ends[count + i] = ends[i] + area.width * area.height;
    }
    offsets.upload(ends.data(), ends.size());
    // So many tiles fit into a grid, because there are as many samples as are sorted at a time.
    const dim3 wide_grid{divide_up(tiles.wide(), 1024), static_cast<unsigned>(tiles.count)};
    const dim3 narrow_grid{divide_up(tiles.narrow() * tiles.channels, 1024),
                           static_cast<unsigned>(tiles.count)};
    fill_kernel<<<wide_grid, 256, 0, stream>>>(tiles, keys, segments.data(), places.data());
    check(cudaGetLastError());
    std::size_t scratch_bytes = 0;
    const auto sort = [&](void* memory) {
      check(cub::DeviceSegmentedRadixSort::SortPairs(
          memory, scratch_bytes, segments.data(), sorted.data(), places.data(),
          sorted_places.data(), static_cast<int>(of_tile) * tiles.count, count, offsets.data(),
          offsets.data() + count, 0, 8 * static_cast<int>(sizeof(Key)), stream));
    };
    sort(nullptr);
    if (scratch.count() < scratch_bytes) scratch = {scratch_bytes, stream};
    sort(scratch.data());
    class_kernel<<<wide_grid, 256, 0, stream>>>(tiles, sorted_places.data(), bytes.data());
    check(cudaGetLastError());
    with_kind(window, [&]<bool wide, bool square>(Kind<wide, square>) {
      constexpr int threads = Histogram<wide>::threads;
      const auto kernel = class_histogram_kernel<wide, square>;
      use_shared_memory(kernel);
      kernel<<<divide_up(tiles.size * tiles.channels, threads) * tiles.count, threads, 0, stream>>>(
          tiles, bytes.data(), window, found.data());
      check(cudaGetLastError());
    });
    resolve_kernel<<<narrow_grid, 256, 0, stream>>>(tiles, sorted.data(), sorted_places.data(),
                                                    found.data(), window, out);
    check(cudaGetLastError());
    launches.end();
  }
}

}  // namespace

void Exec::rank(const Input& in, const Output& out, const rank::Window& window,
                const Percentiles& percentiles, Border border) {
  // Samples are moved as they are stored.
  if (!stored_alike(in, out) || (in.is_temporary != out.is_temporary && alpha_ != Alpha::channel))
    return through_temporary(
        in, out, footprint::rank(window, percentiles, border).halo,
        [&](const Input& from, const Output& to) { rank(from, to, window, percentiles, border); });
  const Format format = in.format;
  Rect area = in.area;
  if (border == Border::transparent) {
    area.x = std::max(area.x, in.image.x), area.y = std::max(area.y, in.image.y);
    area.width = std::min(in.area.right(), in.image.right()) - area.x;
    area.height = std::min(in.area.bottom(), in.image.bottom()) - area.y;
  }
  const Percentiles counting{percentiles.color,
                             format.alpha ? percentiles.alpha : percentiles.color};
  rank::with_key(format.type, [&]<class Key>(Key, Key infinity) {
    // Rows begin at multiples of 16 bytes and have eight bytes to spare.
    constexpr int alignment = 16 / sizeof(Key), spare = 8 / sizeof(Key);
    const int samples = area.width * format.channels();
    const int pitch = (samples + spare + alignment - 1) / alignment * alignment;
    const Buffer<Key> memory{static_cast<std::size_t>(pitch) * area.height, stream_};
    cuda::unpack_samples(stream_, in, area, infinity, memory.data(), pitch);
    const Keys<Key> keys{memory.data(), area, format.channels(), pitch};
    const Codes<Key> codes{reinterpret_cast<Key*>(out.codes), out.area, format.channels(),
                           infinity};
    if (rank::is_small_median(window.shape, window.radius, counting, rank::gpu_network_radius) &&
        area == in.area)
      return small_medians(stream_, keys, codes, window);
    Buffer<int> reach{window.reach.size(), stream_};
    reach.upload(window.reach.data(), window.reach.size());
    const DeviceWindow on_device{window.radius,
                                 window.count,
                                 reach.data(),
                                 percentiles,
                                 rank::rank_of(window.count, percentiles.color),
                                 rank::rank_of(window.count, percentiles.alpha),
                                 format.alpha};
    if constexpr (sizeof(Key) > 1)
      sorted_ranks(stream_, keys, on_device, codes);
    else
      with_kind(on_device, [&]<bool wide, bool square>(Kind<wide, square>) {
        slide_histograms<wide, square>(stream_, keys, on_device, codes);
      });
  });
}

}  // namespace cuda_filters::cuda
