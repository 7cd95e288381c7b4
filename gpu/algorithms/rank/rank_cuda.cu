// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/algorithms/rank/small_median.cuh"
#include "gpu/cuda/exec.cuh"

// Rank filters: the three ways that rank.hpp tells of.

namespace cuda_filters::cuda {
namespace {

using namespace ranks;
using rank::Percentiles;

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
  prefer_shared_memory(kernel);
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
      prefer_shared_memory(kernel);
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

void rank_filter(Exec& exec, const Input& in, const Output& out, const rank::Window& window,
                 const Percentiles& percentiles, Border border) {
  // Samples are moved as they are stored.
  if (!stored_alike(in, out) ||
      (in.is_temporary != out.is_temporary && exec.alpha() != Alpha::channel))
    return exec.through_temporary(in, out, footprint::rank_filter(window, percentiles, border).halo,
                                  [&](const Input& from, const Output& to) {
                                    rank_filter(exec, from, to, window, percentiles, border);
                                  });
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
    const Buffer<Key> memory{static_cast<std::size_t>(pitch) * area.height, exec.stream()};
    cuda::unpack_samples(exec.stream(), in, area, infinity, memory.data(), pitch);
    const Keys<Key> keys{memory.data(), area, format.channels(), pitch};
    const Codes<Key> codes{reinterpret_cast<Key*>(out.codes), out.area, format.channels(),
                           infinity};
    if (rank::is_small_median(window.shape, window.radius, counting, rank::gpu_network_radius) &&
        area == in.area)
      return small_medians(exec.stream(), keys, codes, window);
    Buffer<int> reach{window.reach.size(), exec.stream()};
    reach.upload(window.reach.data(), window.reach.size());
    const DeviceWindow on_device{window.radius,
                                 window.count,
                                 reach.data(),
                                 percentiles,
                                 rank::rank_of(window.count, percentiles.color),
                                 rank::rank_of(window.count, percentiles.alpha),
                                 format.alpha};
    if constexpr (sizeof(Key) > 1)
      sorted_ranks(exec.stream(), keys, on_device, codes);
    else
      with_kind(on_device, [&]<bool wide, bool square>(Kind<wide, square>) {
        slide_histograms<wide, square>(exec.stream(), keys, on_device, codes);
      });
  });
}

}  // namespace cuda_filters::cuda
