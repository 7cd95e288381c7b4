// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/algorithms/oilify/oilify_filter.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Each thread goes down one column of a tile, with histograms of its disc in shared memory that are
// its own: nothing is to be waited for, and lanes, side by side in every row of that memory, are in
// banks of their own.

namespace cuda_filters::cuda {
namespace {

using oilify::Disc;
using oilify::OilifySettings;
using oilify::Units;

/// Bins that a thread looks at together; each has a half of a word for its count.
constexpr int group = 4;

__host__ __device__ constexpr int groups_of(int intensities) {
  return (intensities + group - 1) / group;
}

// By luminance. A pixel is four numbers of units; the bin is in the first one's upper eight bits.

constexpr int unit_bits = 24, threads = 256;
static_assert(Units::max_bits < unit_bits && oilify::max_intensities <= 1 << (32 - unit_bits));

/// The packed pixels of an area, row by row.
template <class Packed>
struct PackedPlane {
  Packed* pixels;
  Rect area;

  __device__ const Packed* at(int x, int y) const {
    return pixels + (static_cast<std::size_t>(y - area.y) * area.width + (x - area.x));
  }
};

__device__ inline uint4 packed(const Pixel& p, int intensities, float per_one, uint4) {
  const auto units = [=](float value) {
    return static_cast<unsigned>(oilify::units_of(value, per_one));
  };
  const auto bin = static_cast<unsigned>(oilify::luminance_bin(p, intensities));
  return {units(p.r) | bin << unit_bits, units(p.g), units(p.b), units(p.a)};
}
/// The bins of all channels.
__device__ inline unsigned packed(const Pixel& p, int intensities, float, unsigned) {
  const auto bin = [=](float value) {
    return static_cast<unsigned>(oilify::bin_of(value, intensities));
  };
  return bin(p.r) | bin(p.g) << 8 | bin(p.b) << 16 | bin(p.a) << 24;
}

template <class Packed>
__global__ void __launch_bounds__(threads)
    pack_kernel(const Pixel* in, std::size_t count, int intensities, float per_one, Packed* out) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) out[i] = packed(in[i], intensities, per_one, Packed{});
}

/// How often each bin is in a thread's disc.
struct Counts {
  unsigned* words;  ///< two bins a word, `lanes` apart
  int lanes;

  __device__ unsigned& word(int i) const { return words[i * lanes]; }
  __device__ void add(unsigned bin, unsigned times) const {
    word(static_cast<int>(bin >> 1)) += times << (bin & 1) * 16;
  }
};

/// The four counts of a group, and what a pixel of each bin weighs.
struct Group {
  unsigned counts[group];
  float weights[group];

  __device__ Group(unsigned low, unsigned high, const float* weights_of)
      : counts{low & 0xffff, low >> 16, high & 0xffff, high >> 16} {
#pragma unroll
    for (int k = 0; k < group; ++k) weights[k] = __ldg(weights_of + counts[k]);
  }
  /// What the whole bin weighs.
  __device__ float of_bin(int k) const {
    return exact::product(weights[k], static_cast<float>(counts[k]));
  }
};

/// Calls f(number, group) for the groups in which there is a pixel.
template <class F>
__device__ void for_groups(const Counts& counts, int groups, const float* weights, F f) {
#pragma unroll 4
  for (int i = 0; i < groups; ++i) {
    const unsigned low = counts.word(2 * i), high = counts.word(2 * i + 1);
    if ((low | high) != 0) f(i, Group{low, high, weights});
  }
}

__device__ inline float total_of(const float (&parts)[group]) {
  return oilify::total_of(parts[0], parts[1], parts[2], parts[3]);
}

/// Where a thread's column is, and how the disc goes down it.
template <class Packed>
class Column {
 public:
  __device__ Column(const PackedPlane<Packed>& in, int x, int y)
      : middle_{in.at(x, y)}, pitch_{in.area.width} {}

  /// Calls f(pixel) for all pixels of the disc.
  template <class F>
  __device__ void for_all(const Disc& disc, F f) const {
    for (int dy = -disc.radius; dy <= disc.radius; ++dy) {
      const Packed* const row = middle_ + dy * pitch_;
      const int reach = disc.reach[disc.radius + dy];
#pragma unroll 4
      for (int dx = -reach; dx <= reach; ++dx) f(__ldg(row + dx));
    }
  }
  /// Asks for the first pixels of a move, which there must be, so that it need not wait for them.
  __device__ void prepare(const Disc& disc) { fetch(disc, 0); }
  /// Moves down by a row.
  template <class Add, class Remove>
  __device__ void move(const Disc& disc, Add add, Remove remove) {
    const int count = 2 * disc.radius + 1;
#pragma unroll 1
    for (int i = 0; i < count; i += batch) {
      Packed entering[batch], leaving[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) entering[k] = entering_[k], leaving[k] = leaving_[k];
      if (i + batch < count) fetch(disc, i + batch);
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (i + k < count) {
          add(entering[k]);
          remove(leaving[k]);
        }
    }
    middle_ += pitch_;
  }

 private:
  static constexpr int batch = 4;

  /// Of the last columns there may be fewer.
  __device__ void fetch(const Disc& disc, int first) {
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int i = min(first + k, 2 * disc.radius);
      const Packed* const column = middle_ + (i - disc.radius);
      const std::ptrdiff_t reach = disc.reach[i];
      entering_[k] = __ldg(column + (reach + 1) * pitch_);
      leaving_[k] = __ldg(column - reach * pitch_);
    }
  }

  const Packed* middle_;
  std::ptrdiff_t pitch_;
  Packed entering_[batch], leaving_[batch];
};

/// What a lane needs of shared memory.
template <class Sum>
__host__ __device__ constexpr std::size_t bytes_of_lane(int channels, int intensities) {
  return std::size_t{1} * groups_of(intensities) * group *
         (sizeof(std::uint16_t) + channels * sizeof(Sum));
}

/// Which number of a packed pixel is a channel: of gray pictures with alpha, these are the ends.
template <int channels>
__device__ constexpr int place_of(int channel) {
  return channels == 2 ? 3 * channel : channel;
}

/// A block has one warp or a part of it, and a tile that is as wide.
template <int channels, class Sum>
__global__ void __launch_bounds__(32, 6)
    luminance_kernel(PackedPlane<uint4> in, Tiles tiles, Disc disc, const float* weights,
                     int intensities, float per_unit, Plane out) {
  extern __shared__ unsigned memory[];
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  const int x = tiles.x(blockIdx.x) + lane, top = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;
  const int groups = groups_of(intensities), words = 2 * groups;
  const Counts counts{memory + lane, lanes};
  Sum* const sums = reinterpret_cast<Sum*>(memory + words * lanes) + lane;
  for (int i = 0; i < words; ++i) counts.word(i) = 0;
  for (int i = 0; i < groups * group * channels; ++i) sums[i * lanes] = 0;

  const auto count = [&](const uint4& pixel, auto sign) {
    constexpr int times = decltype(sign)::value;
    constexpr unsigned mask = (1u << unit_bits) - 1;
    const unsigned values[4] = {pixel.x & mask, pixel.y, pixel.z, pixel.w};
    const unsigned bin = pixel.x >> unit_bits;
    counts.add(bin, static_cast<unsigned>(times));
    Sum* const to = sums + static_cast<int>(bin) * channels * lanes;
#pragma unroll
    for (int c = 0; c < channels; ++c)
      to[c * lanes] += static_cast<Sum>(times) * values[place_of<channels>(c)];
  };
  const auto add = [&](const uint4& p) { count(p, std::integral_constant<int, 1>{}); };
  const auto remove = [&](const uint4& p) { count(p, std::integral_constant<int, -1>{}); };

  Column<uint4> column{in, x, top};
  column.for_all(disc, add);
  const int bottom = min(top + tiles.height, tiles.area.bottom());
  for (int y = top;; ++y) {
    const bool is_last = y + 1 == bottom;
    if (!is_last) column.prepare(disc);
    float colors[channels][group]{}, weight[group]{};
    for_groups(counts, groups, weights, [&](int i, const Group& of) {
#pragma unroll
      for (int k = 0; k < group; ++k) {
        weight[k] = exact::sum(weight[k], of.of_bin(k));
        const Sum* const from = sums + (i * group + k) * channels * lanes;
#pragma unroll
        for (int c = 0; c < channels; ++c)
          colors[c][k] = exact::sum(
              colors[c][k], exact::product(of.weights[k], static_cast<float>(from[c * lanes])));
      }
    });
    float result[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    const float all = total_of(weight);
#pragma unroll
    for (int c = 0; c < channels; ++c)
      result[place_of<channels>(c)] =
          exact::product(exact::quotient(total_of(colors[c]), all), per_unit);
    if (channels < 3) result[1] = result[2] = result[0];
    out.at(x, y) = {result[0], result[1], result[2], result[3]};
    if (is_last) return;
    column.move(disc, add, remove);
  }
}

// By channel. A pixel is the bins of its channels.

constexpr int channel_lanes = 64;

/// Grid: tiles as wide as a block, channels.
__global__ void __launch_bounds__(channel_lanes, 14)
    channel_kernel(PackedPlane<unsigned> in, Tiles tiles, Disc disc, const float* weights,
                   int intensities, bool is_gray, bool has_alpha, Plane out) {
  extern __shared__ unsigned memory[];
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x), top = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;
  const int channel = is_gray ? 3 * static_cast<int>(blockIdx.y) : static_cast<int>(blockIdx.y);
  const int groups = groups_of(intensities);
  const Counts counts{memory + threadIdx.x, channel_lanes};
  for (int i = 0; i < 2 * groups; ++i) counts.word(i) = 0;
  const auto bin_of = [=](unsigned pixel) { return pixel >> 8 * channel & 255; };
  const auto add = [&](unsigned pixel) { counts.add(bin_of(pixel), 1u); };
  const auto remove = [&](unsigned pixel) { counts.add(bin_of(pixel), 0u - 1u); };

  Column<unsigned> column{in, x, top};
  column.for_all(disc, add);
  const int bottom = min(top + tiles.height, tiles.area.bottom());
  for (int y = top;; ++y) {
    const bool is_last = y + 1 == bottom;
    if (!is_last) column.prepare(disc);
    float sum[group]{}, weight[group]{};
    for_groups(counts, groups, weights, [&](int i, const Group& of) {
#pragma unroll
      for (int k = 0; k < group; ++k) {
        const float of_bin = of.of_bin(k);
        weight[k] = exact::sum(weight[k], of_bin);
        sum[k] = exact::sum(sum[k], exact::product(of_bin, static_cast<float>(i * group + k)));
      }
    });
    const float all = exact::product(total_of(weight), static_cast<float>(intensities - 1));
    const float result = exact::quotient(total_of(sum), all);
    float* const to = &out.at(x, y).r;
    to[channel] = result;
    if (is_gray && channel == 0) to[1] = to[2] = result;
    if (!has_alpha && channel == 0) to[3] = 1.0f;
    if (is_last) return;
    column.move(disc, add, remove);
  }
}

/// All that a launch needs but the picture.
struct Work {
  const OilifySettings& settings;
  Disc disc{settings.radius};
  Units units{disc};
};

/// Calls launch(tiles) for parts of an area, some rows of tiles each, between which a run can be
/// cancelled. `blocks`: how many a GPU computes at a time, of `width` columns.
template <class Launch>
void in_parts(cudaStream_t stream, Rect area, int width, unsigned blocks, int radius,
              Launch launch) {
  // A tile counts a whole disc first, which takes as long as 0.8 · radius of its rows; but all that
  // computes shall have a tile.
  const int across = static_cast<int>(divide_up(area.width, width));
  const int few = static_cast<int>(divide_up(static_cast<int>(2 * blocks), across));
  const int height = std::clamp(static_cast<int>(divide_up(area.height, few)), std::max(16, radius),
                                std::max(128, 4 * radius));
  const double pixels = 0x1p30 / (2.0 * radius + 17.0);
  const double tiles_at_once = std::max(2.0 * blocks, pixels / (1.0 * width * height));
  const int down = static_cast<int>(std::clamp(tiles_at_once / across, 1.0, 0x1p20 / height + 1.0));
  const int rows = down * height;
  PacedLaunches launches{stream, 2};
  for (int y = area.y; y < area.bottom(); y += rows) {
    const bool is_one_of_many = rows < area.height;
    if (is_one_of_many) launches.begin();
    const Rect part{area.x, y, area.width, std::min(rows, area.bottom() - y)};
    launch(Tiles{part, width, height});
    check(cudaGetLastError());
    if (!is_one_of_many) continue;
    launches.end();
    set_band_progress(static_cast<double>(part.bottom() - area.y) / area.height);
  }
}

template <int channels, class Sum>
void launch_luminance(Exec& exec, const PackedPlane<uint4>& in, const Work& work,
                      const float* weights, Plane out) {
  const auto kernel = luminance_kernel<channels, Sum>;
  const int intensities = work.settings.intensities;
  const std::size_t of_lane = bytes_of_lane<Sum>(channels, intensities),
                    room = allow_shared_memory(kernel);
  prefer_shared_memory(kernel);
  // As many lanes a block as lets the most of them run at a time.
  int lanes = 1;
  unsigned max_running = 0, blocks = 1;
  for (int each = 32; each >= 1; each /= 2) {
    if (each * of_lane > room) continue;
    const unsigned at_once = blocks_at_once(kernel, each, each * of_lane);
    if (at_once * each <= max_running) continue;
    max_running = at_once * each, lanes = each, blocks = at_once;
  }
  in_parts(exec.stream(), out.area, lanes, blocks, work.settings.radius, [&](const Tiles& tiles) {
    kernel<<<tiles.count(), lanes, lanes * of_lane, exec.stream()>>>(
        in, tiles, work.disc, weights, intensities, 1.0f / work.units.per_one, out);
  });
}

template <int channels>
void launch_luminance_of(Exec& exec, const PackedPlane<uint4>& in, const Work& work,
                         const float* weights, Plane out) {
  if (work.units.narrow)
    launch_luminance<channels, std::uint32_t>(exec, in, work, weights, out);
  else
    launch_luminance<channels, std::uint64_t>(exec, in, work, weights, out);
}

/// The pixels of a temporary picture, packed for the kernels.
template <class Packed>
class PackedPicture {
 public:
  PackedPicture(cudaStream_t stream, Plane in, const Work& work)
      : count_{static_cast<std::size_t>(in.area.width) * in.area.height},
        memory_{count_, stream},
        plane_{memory_.data(), in.area} {
    const auto blocks = static_cast<unsigned>((count_ + threads - 1) / threads);
    pack_kernel<<<blocks, threads, 0, stream>>>(in.data, count_, work.settings.intensities,
                                                work.units.per_one, plane_.pixels);
    check(cudaGetLastError());
  }
  const PackedPlane<Packed>& plane() const { return plane_; }

 private:
  std::size_t count_;
  Buffer<Packed> memory_;
  PackedPlane<Packed> plane_;
};

void compute(Exec& exec, Plane in, Format format, Plane out, const OilifySettings& settings) {
  const Work work{settings};
  const std::vector<float> table = oilify::weights_of(settings, work.disc.count);
  const auto weights = exec.upload(table);
  if (settings.by_luminance) {
    const PackedPicture<uint4> pixels{exec.stream(), in, work};
    switch (format.channels()) {
      case 1:
        return launch_luminance_of<1>(exec, pixels.plane(), work, weights.data(), out);
      case 2:
        return launch_luminance_of<2>(exec, pixels.plane(), work, weights.data(), out);
      case 3:
        return launch_luminance_of<3>(exec, pixels.plane(), work, weights.data(), out);
      default:
        return launch_luminance_of<4>(exec, pixels.plane(), work, weights.data(), out);
    }
  }
  const PackedPicture<unsigned> pixels{exec.stream(), in, work};
  const std::size_t bytes = channel_lanes * 2 * sizeof(unsigned) * groups_of(settings.intensities);
  prefer_shared_memory(channel_kernel);
  const auto channels = static_cast<unsigned>(format.channels());
  const unsigned blocks = blocks_at_once(channel_kernel, channel_lanes, bytes) / channels + 1;
  in_parts(exec.stream(), out.area, channel_lanes, blocks, settings.radius,
           [&](const Tiles& tiles) {
             channel_kernel<<<dim3{tiles.count(), channels}, channel_lanes, bytes, exec.stream()>>>(
                 pixels.plane(), tiles, work.disc, weights.data(), settings.intensities,
                 format.colors() == 1, format.alpha, out);
           });
}

}  // namespace

void oilify_filter(Exec& exec, const Input& in, const Output& out, const OilifySettings& settings) {
  exec.through_temporary(in, out, {settings.radius, settings.radius},
                         [&](const Input& from, const Output& to) {
                           compute(exec, plane_of(from), in.format, plane_of(to), settings);
                         });
}

}  // namespace cuda_filters::cuda
