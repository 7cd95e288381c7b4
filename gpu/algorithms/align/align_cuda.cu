// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "gpu/algorithms/align/align.hpp"
#include "gpu/algorithms/align/combine_plates.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Aligning plates: gpu/algorithms/align/align.hpp says how. All shifts of a level are tried in one
// launch.

namespace cuda_filters::cuda {
namespace {

using align::Scan;
using align::Trial;
using Word = unsigned long long;

float* plate_samples(const Scan& scan, int plate) {
  return static_cast<Buffer<float>*>(scan.on_device.get())->data() + plate * scan.plate_pixels();
}

/// One plate at one level.
struct Samples {
  const float* data;
  Size size;

  /// The sample at (x, y); outside of the plate, the one next to it.
  __device__ float operator()(int x, int y) const {
    x = max(0, min(x, size.width - 1)), y = max(0, min(y, size.height - 1));
    return __ldg(data + static_cast<std::size_t>(y) * size.width + x);
  }
};

template <class Load>
__global__ void collect_kernel(Rect area, Load load, float* out, int width) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.width) return;
  decltype(load.fetch(0, 0)) fetched[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    fetched[i] = load.fetch(area.x + x, area.y + min(first + i, area.height - 1));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i < area.height)
      out[static_cast<std::size_t>(area.y + first + i) * width + area.x + x] =
          align::luma(load.decoded(fetched[i]));
}

/// Blocks take rows in turn.
__global__ void halve_kernel(Samples from, float* out, Size size) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= size.width) return;
  for (int y = static_cast<int>(blockIdx.y); y < size.height; y += static_cast<int>(gridDim.y)) {
    const float* above = from.data + std::size_t{2} * y * from.size.width + 2 * x;
    const float* below = above + from.size.width;
    out[static_cast<std::size_t>(y) * size.width + x] =
        align::halved(align::searchable(__ldg(above)), align::searchable(__ldg(above + 1)),
                      align::searchable(__ldg(below)), align::searchable(__ldg(below + 1)));
  }
}

// Contours, tile by tile: samples, their medians, smoothed down, smoothed along, gradients. A stage
// has so many pixels more at each side as the one after it looks at.

constexpr int tile_side = align::sample_tile, tile_threads = 256;
constexpr int smooth = align::smooth_radius;
constexpr int smoothed_side = tile_side + 2;
constexpr int median_side = smoothed_side + 2 * smooth;
constexpr int sample_side = median_side + 2;

struct TileMemory {
  float samples[sample_side][sample_side];
  float medians[median_side][median_side];
  float down[smoothed_side][median_side];
  float smoothed[smoothed_side][smoothed_side];
};

/// Calls f(x, y) for each pixel of width × height, spread over the threads of a block.
template <int width, int height, class F>
__device__ void for_pixels(F f) {
  for (int i = static_cast<int>(threadIdx.x); i < width * height; i += tile_threads)
    f(i % width, i / width);
}

/// Works out the smoothed pixels from (x0 - 1, y0 - 1) on, for the tile that begins at (x0, y0)
/// inside of the plate. Outside of the plate, every stage has what it has next to it inside.
__device__ void smooth_tile(const Samples& plate, int x0, int y0, TileMemory& tile) {
  const int left = x0 - 1 - smooth, top = y0 - 1 - smooth;
  // From a pixel of the plate to the one next to it inside, as a place in the tile.
  const auto column = [=](int x) { return max(0, min(x, plate.size.width - 1)) - left; };
  const auto row = [=](int y) { return max(0, min(y, plate.size.height - 1)) - top; };
  for_pixels<sample_side, sample_side>([&](int x, int y) {
    tile.samples[y][x] = align::searchable(plate(left - 1 + x, top - 1 + y));
  });
  __syncthreads();
  for_pixels<median_side, median_side>([&](int x, int y) {
    const int i = column(left + x) + 1, j = row(top + y) + 1;
    tile.medians[y][x] =
        align::median([&](int dx, int dy) { return tile.samples[j + dy][i + dx]; });
  });
  __syncthreads();
  for_pixels<median_side, smoothed_side>([&](int x, int y) {
    const int j = row(y0 - 1 + y);
    tile.down[y][x] = align::smoothed([&](int k) { return tile.medians[j + k][x]; });
  });
  __syncthreads();
  for_pixels<smoothed_side, smoothed_side>([&](int x, int y) {
    const int i = column(x0 - 1 + x);
    tile.smoothed[y][x] = align::smoothed([&](int k) { return tile.down[y][i + k]; });
  });
  __syncthreads();
}

/// The contour of pixel (x, y) of the tile.
__device__ float contour_in(const TileMemory& tile, int x, int y) {
  return align::contour(tile.smoothed[y + 1][x], tile.smoothed[y + 1][x + 2],
                        tile.smoothed[y][x + 1], tile.smoothed[y + 2][x + 1]);
}

/// Counts the contours of the tiles that are samples, one a block, by their buckets.
__global__ void __launch_bounds__(tile_threads)
    count_kernel(Samples plate, int across, int step_x, int step_y, unsigned* counts) {
  __shared__ TileMemory tile;
  __shared__ unsigned of_tile[align::contour_buckets];
  for (int i = static_cast<int>(threadIdx.x); i < align::contour_buckets; i += tile_threads)
    of_tile[i] = 0;
  const int block = static_cast<int>(blockIdx.x);
  const int x0 = block % across * step_x * tile_side, y0 = block / across * step_y * tile_side;
  smooth_tile(plate, x0, y0, tile);
  for_pixels<tile_side, tile_side>([&](int x, int y) {
    if (x0 + x >= plate.size.width || y0 + y >= plate.size.height) return;
    const int bucket = align::contour_bucket(contour_in(tile, x, y));
    if (bucket >= 0) atomicAdd(&of_tile[bucket], 1u);
  });
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < align::contour_buckets; i += tile_threads)
    if (of_tile[i] > 0) atomicAdd(&counts[i], of_tile[i]);
}

constexpr int scale_threads = 256, scale_items = align::contour_buckets / scale_threads;

/// The scale of each plate's contours, by align::scale_of_bucket(), one plate a block.
__global__ void __launch_bounds__(scale_threads)
    scale_kernel(const unsigned* all_counts, float* scales) {
  using Scan = cub::BlockScan<unsigned, scale_threads>;
  __shared__ typename Scan::TempStorage storage;
  const unsigned* counts = all_counts + blockIdx.x * align::contour_buckets;
  const int first = static_cast<int>(threadIdx.x) * scale_items;
  unsigned mine = 0, below = 0, all = 0;
  for (int i = 0; i < scale_items; ++i) mine += counts[first + i];
  Scan{storage}.ExclusiveSum(mine, below, all);
  if (threadIdx.x == 0 && all == 0) scales[blockIdx.x] = 0.0f;
  for (int i = 0; i < scale_items; ++i) {
    const unsigned upto = below + counts[first + i];
    if (!align::enough(below, all) && align::enough(upto, all))
      scales[blockIdx.x] = align::scale_of_bucket(first + i);
    below = upto;
  }
}

/// The contours of a level: a byte each. Rows, and the first of them, have some bytes more at both
/// ends, because words are read that hold a wanted byte.
struct Codes {
  std::uint8_t* data;
  std::size_t pitch;

  static constexpr int slack = 16;
  static std::size_t pitch_of(int width) {
    return (static_cast<std::size_t>(width) + 2 * slack - 1) / slack * slack;
  }
  static std::size_t bytes(Size size) { return pitch_of(size.width) * size.height + 2 * slack; }

  __host__ __device__ std::uint8_t* row(int y) const {
    return data + slack + static_cast<std::ptrdiff_t>(pitch) * y;
  }
};

__global__ void __launch_bounds__(tile_threads)
    codes_kernel(Samples plate, Tiles tiles, const float* scale, Codes codes) {
  __shared__ TileMemory tile;
  const int x0 = tiles.x(blockIdx.x), y0 = tiles.y(blockIdx.x);
  smooth_tile(plate, x0, y0, tile);
  for_pixels<tile_side, tile_side>([&](int x, int y) {
    if (x0 + x < plate.size.width && y0 + y < plate.size.height)
      codes.row(y0 + y)[x0 + x] = align::contour_code(contour_in(tile, x, y), *scale);
  });
}

constexpr int sum_warps = 8, sum_rows = 64, sums = 5;
static_assert(sizeof(align::Sums) == sums * sizeof(Word));

struct PlateCodes {
  Codes of[align::plates];
};

/// Adds what some rows give to the sums of a trial. A warp goes along a row, a word of four
/// contours a lane.
__global__ void __launch_bounds__(32 * sum_warps)
    sums_kernel(PlateCodes codes, const Trial* trials, Word* results) {
  __shared__ Word of_warp[sum_warps][sums];
  const Trial trial = trials[blockIdx.x];
  const Rect window = trial.window;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first = window.y + static_cast<int>(blockIdx.y) * sum_rows;
  const int end = min(first + sum_rows, window.bottom());
  if (first >= end) return;
  const Codes f_codes = trial.plate == 0 ? codes.of[0] : codes.of[align::plates - 1];
  const Codes g_codes = codes.of[align::middle_plate];
  const int left = window.x & ~3;
  Word totals[sums] = {};
  for (int y = first + warp; y < end; y += sum_warps) {
    const std::uint8_t* f_row = f_codes.row(y - trial.dy);
    const std::uint8_t* g_row = g_codes.row(y);
    unsigned of_row[sums] = {};  // no row is so long that its squares would not fit
    for (int x = left + 4 * lane; x < window.right(); x += 4 * 32) {
      unsigned mask = ~0u;
      if (x < window.x) mask <<= 8 * (window.x - x);
      if (x + 4 > window.right()) mask &= ~0u >> 8 * (x + 4 - window.right());
      const int source_x = x - trial.dx;
      const auto* words = reinterpret_cast<const unsigned*>(f_row + (source_x & ~3));
      const unsigned f = __funnelshift_r(__ldg(words), __ldg(words + 1), 8 * (source_x & 3)) & mask;
      const unsigned g = __ldg(reinterpret_cast<const unsigned*>(g_row + x)) & mask;
      of_row[0] = __dp4a(f, 0x01010101u, of_row[0]);
      of_row[1] = __dp4a(g, 0x01010101u, of_row[1]);
      of_row[2] = __dp4a(f, f, of_row[2]);
      of_row[3] = __dp4a(g, g, of_row[3]);
      of_row[4] = __dp4a(f, g, of_row[4]);
    }
#pragma unroll
    for (int i = 0; i < sums; ++i) totals[i] += of_row[i];
  }
#pragma unroll
  for (int i = 0; i < sums; ++i) {
    for (int distance = 16; distance > 0; distance /= 2)
      totals[i] += warp::from_lane_after(totals[i], distance);
    if (lane == 0) of_warp[warp][i] = totals[i];
  }
  __syncthreads();
  if (threadIdx.x >= sums) return;
  Word total = 0;
  for (int i = 0; i < sum_warps; ++i) total += of_warp[i][threadIdx.x];
  atomicAdd(&results[static_cast<std::size_t>(blockIdx.x) * sums + threadIdx.x], total);
}

class CudaMatcher final : public align::Matcher {
 public:
  CudaMatcher(const Scan& scan, cudaStream_t stream) : scan_{scan}, stream_{stream} {
    const auto levels = static_cast<std::size_t>(align::level_count(scan.plate));
    codes_.resize(levels);
    for (auto& reduced : reduced_) reduced.resize(levels);
  }

  std::vector<float> reduced(int plate, int level) override {
    const Samples from = samples(plate, level);
    std::vector<float> all(static_cast<std::size_t>(from.size.width) * from.size.height);
    check(cudaMemcpyAsync(all.data(), from.data, all.size() * sizeof(float), cudaMemcpyDeviceToHost,
                          stream_));
    check(cudaStreamSynchronize(stream_));
    for (float& sample : all) sample = align::searchable(sample);
    return all;
  }

  std::vector<align::Sums> sums(int level, std::span<const Trial> trials) override {
    make_codes(level);
    PlateCodes codes;
    for (int plate = 0; plate < align::plates; ++plate) codes.of[plate] = codes_of(plate, level);
    Buffer<Trial> given{trials.size(), stream_};
    given.upload(trials.data(), trials.size());
    Buffer<align::Sums> results{trials.size(), stream_};
    check(cudaMemsetAsync(results.data(), 0, trials.size() * sizeof(align::Sums), stream_));
    const Size size = align::size_at(scan_.plate, level);
    const dim3 grid{static_cast<unsigned>(trials.size()), divide_up(size.height, sum_rows)};
    sums_kernel<<<grid, 32 * sum_warps, 0, stream_>>>(codes, given.data(),
                                                      reinterpret_cast<Word*>(results.data()));
    check(cudaGetLastError());
    std::vector<align::Sums> sums(trials.size());
    check(cudaMemcpyAsync(sums.data(), results.data(), trials.size() * sizeof(align::Sums),
                          cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return sums;
  }

 private:
  Samples samples(int plate, int level) {
    const Size size = align::size_at(scan_.plate, level);
    if (level == 0) return {plate_samples(scan_, plate), size};
    Buffer<float>& reduced = reduced_[plate][static_cast<std::size_t>(level)];
    if (reduced.data() == nullptr) {
      const Samples finer = samples(plate, level - 1);
      reduced = Buffer<float>{static_cast<std::size_t>(size.width) * size.height, stream_};
      const dim3 grid{divide_up(size.width, 256),
                      static_cast<unsigned>(std::min(size.height, 65535))};
      halve_kernel<<<grid, 256, 0, stream_>>>(finer, reduced.data(), size);
      check(cudaGetLastError());
    }
    return {reduced.data(), size};
  }

  Codes codes_of(int plate, int level) const {
    const Size size = align::size_at(scan_.plate, level);
    return {codes_[static_cast<std::size_t>(level)].data() + plate * Codes::bytes(size),
            Codes::pitch_of(size.width)};
  }

  void make_codes(int level) {
    Buffer<std::uint8_t>& codes = codes_[static_cast<std::size_t>(level)];
    if (codes.data() != nullptr) return;
    const Size size = align::size_at(scan_.plate, level);
    codes = Buffer<std::uint8_t>{align::plates * Codes::bytes(size), stream_};
    Buffer<unsigned> counts{align::plates * align::contour_buckets, stream_};
    Buffer<float> scales{align::plates, stream_};
    check(cudaMemsetAsync(counts.data(), 0, counts.count() * sizeof(unsigned), stream_));
    const int step_x = align::sample_step(size.width), step_y = align::sample_step(size.height);
    const unsigned across = divide_up(size.width, step_x * tile_side);
    const unsigned down = divide_up(size.height, step_y * tile_side);
    for (int plate = 0; plate < align::plates; ++plate) {
      count_kernel<<<across * down, tile_threads, 0, stream_>>>(
          samples(plate, level), static_cast<int>(across), step_x, step_y,
          counts.data() + plate * align::contour_buckets);
      check(cudaGetLastError());
    }
    scale_kernel<<<align::plates, scale_threads, 0, stream_>>>(counts.data(), scales.data());
    check(cudaGetLastError());
    const Tiles tiles{{0, 0, size.width, size.height}, tile_side, tile_side};
    for (int plate = 0; plate < align::plates; ++plate) {
      codes_kernel<<<tiles.count(), tile_threads, 0, stream_>>>(
          samples(plate, level), tiles, scales.data() + plate, codes_of(plate, level));
      check(cudaGetLastError());
    }
  }

  const Scan& scan_;
  cudaStream_t stream_;
  std::vector<Buffer<float>> reduced_[align::plates];
  std::vector<Buffer<std::uint8_t>> codes_;
};

/// A plate and where its pixels come from.
struct Moved {
  Samples plate;
  align::Resampling from;

  /// The pixel at (x, y) of the middle plate.
  __device__ float operator()(int x, int y) const {
    const int left = x + from.x0, top = y + from.y0;
    if (from.whole) return plate(left, top);
    const float* v = from.y.at;
    const float* h = from.x.at;
    float down[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      down[i] = (v[0] * plate(left - 1 + i, top - 1) + v[1] * plate(left - 1 + i, top)) +
                (v[2] * plate(left - 1 + i, top + 1) + v[3] * plate(left - 1 + i, top + 2));
    return (h[0] * down[0] + h[1] * down[1]) + (h[2] * down[2] + h[3] * down[3]);
  }
};

struct MovedPlates {
  Moved red, green, blue;
};

template <class Storer>
__global__ void combine_kernel(Rect area, int left, int top, MovedPlates plates, Storer store) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= area.right() || y >= area.bottom()) return;
  const Pixel pixel{plates.red(left + x, top + y), plates.green(left + x, top + y),
                    plates.blue(left + x, top + y), 1.0f};
  store(x, y, pixel, pixel);
}

}  // namespace

void analyze_plates(Exec& exec, const Input& in, Rect area, const align::AlignSettings& settings,
                    Scan& scan) {
  const bool last = area.bottom() == in.image.bottom();
  if (scan.on_device == nullptr) {
    scan.plate = {in.image.width, in.image.height / align::plates};
    scan.on_device =
        std::make_shared<Buffer<float>>(align::plates * scan.plate_pixels(), exec.stream());
  }
  area.height = std::min(area.bottom(), align::plates * scan.plate.height) - area.y;
  const dim3 block{64, 4}, grid{divide_up(area.width, 64), divide_up(area.height, 16)};
  if (!area.empty())
    with_quick_loader(in, [&](auto load) {
      collect_kernel<<<grid, block, 0, exec.stream()>>>(area, load, plate_samples(scan, 0),
                                                        scan.plate.width);
      check(cudaGetLastError());
    });
  if (!last) return;
  CudaMatcher matcher{scan, exec.stream()};
  scan.placement = align::place(matcher, scan.plate, settings);
}

void combine_plates(Exec& exec, const Scan& scan, align::Order order, const Output& out) {
  const Rect area = out.area;
  const auto moved = [&](int channel) {
    const int plate = align::plate_of(channel, order);
    return Moved{{plate_samples(scan, plate), scan.plate},
                 align::resampling(scan.placement.shifts[static_cast<std::size_t>(plate)])};
  };
  const MovedPlates plates{moved(0), moved(1), moved(2)};
  const Rect overlap = scan.placement.overlap;
  const dim3 block{64, 4}, grid{divide_up(area.width, 64), divide_up(area.height, 4)};
  with_storer(out, [&](auto store) {
    combine_kernel<<<grid, block, 0, exec.stream()>>>(area, overlap.x, overlap.y, plates, store);
    check(cudaGetLastError());
  });
}

}  // namespace cuda_filters::cuda
