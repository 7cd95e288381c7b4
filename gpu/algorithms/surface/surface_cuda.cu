// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/surface/columns.cuh"
#include "gpu/algorithms/surface/large_square.cuh"
#include "gpu/algorithms/surface/small_square.cuh"
#include "gpu/algorithms/surface/surface_blur.hpp"
#include "gpu/algorithms/surface/windows.cuh"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

using namespace surfaces;

constexpr int split_threads = 256, split_rows = 8;

/// Moves the channels apart, and notes which cells are not opaque.
template <int channels>
__global__ void __launch_bounds__(split_threads)
    split_kernel(Input in, CodePlanes out, Tiles tiles) {
  using Stored = StoredCodes<channels>;
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x), top = tiles.y(blockIdx.x);
  const bool exists = x < tiles.area.right();
  const int rows = min(split_rows, tiles.area.bottom() - top);
  bool clear = false;
  for (int y = top; exists && y < top + rows; ++y) {
    const auto* const stored = reinterpret_cast<const Stored*>(in.at(x, y, sizeof(Stored)));
    const Stored pixel = stored != nullptr ? *stored : Stored{};
#pragma unroll
    for (int c = 0; c < channels; ++c) *out.at(c, x, y) = pixel.of[c];
    if (out.alpha >= 0) clear = clear || pixel.of[channels - 1] != 255;
  }
  // The pixels of a warp lie in one cell.
  static_assert(CodePlanes::cell == warp::size && CodePlanes::cell % split_rows == 0);
  if (warp::any(clear) && exists && threadIdx.x % 32 == 0) out.cell_at(x, top) = 1;
}

void split(cudaStream_t stream, const Input& in, const CodePlanes& out) {
  check(cudaMemsetAsync(out.cells, 0, out.cell_count(), stream));
  const Tiles tiles{out.area, split_threads, split_rows};
  const auto run = [&](auto kernel) {
    kernel<<<tiles.count(), split_threads, 0, stream>>>(in, out, tiles);
    check(cudaGetLastError());
  };
  switch (out.channels) {
    case 1:
      return run(split_kernel<1>);
    case 2:
      return run(split_kernel<2>);
    case 3:
      return run(split_kernel<3>);
    default:
      return run(split_kernel<4>);
  }
}

/// Calls launch(part) for the parts of an area that a GPU computes at a time, between which a run
/// can be cancelled: whole tiles, of at most about so many pixels, but enough for many blocks.
template <class Launch>
void in_parts(cudaStream_t stream, Rect area, Size tile, double pixels, Launch launch) {
  constexpr double least_tiles = 256.0;
  const double tiles = std::max(least_tiles, pixels / tile.width / tile.height);
  const int tiles_across = static_cast<int>(divide_up(area.width, tile.width));
  const int across = static_cast<int>(std::min<double>(tiles_across, tiles));
  const int down = static_cast<int>(std::min(tiles / across, 1e9 / tile.height));
  const Size size{across * tile.width, std::max(1, down) * tile.height};
  const bool is_one_of_many = size.width < area.width || size.height < area.height;
  PacedLaunches launches{stream, 2};
  for (int y = area.y; y < area.bottom(); y += size.height)
    for (int x = area.x; x < area.right(); x += size.width) {
      const Rect part{x, y, std::min(size.width, area.right() - x),
                      std::min(size.height, area.bottom() - y)};
      if (is_one_of_many) launches.begin();
      launch(part);
      if (!is_one_of_many) continue;
      launches.end();
      const double rows_done = y - area.y, of_rows = part.height;
      set_band_progress((rows_done + of_rows * (part.right() - area.x) / area.width) / area.height);
    }
}

/// Launches of a kernel of columns.
template <class Kind>
class Columns {
 public:
  /// With as many warps a block as lets the most of them run at a time.
  explicit Columns(int radius) : radius_{radius} {
    if (radius > Layout<Kind>::max_radius) return;
    const auto kernel = columns_kernel<Kind>;
    const std::size_t room = allow_shared_memory(kernel);
    prefer_shared_memory(kernel);
    unsigned max_running = 0;
    for (int warps = min_warps; warps <= max_warps; ++warps) {
      const Layout<Kind> layout{warps, radius};
      if (layout.bytes() > room) break;
      const unsigned running = warps * blocks_at_once(kernel, layout.threads(), layout.bytes());
      if (running > max_running) max_running = running, warps_ = warps;
    }
  }
  /// Whether the GPU has room for them.
  bool fit() const { return warps_ > 0; }
  int width() const { return layout().width(); }
  void launch(cudaStream_t stream, const CodePlanes& in, const CodeRows& out, Rect part, int height,
              int channels, int opaque_width, const CodeWeights& weights) const {
    const Tiles tiles{part, width(), height};
    const dim3 grid{tiles.count(), static_cast<unsigned>(channels)};
    columns_kernel<Kind><<<grid, layout().threads(), layout().bytes(), stream>>>(
        in, out, tiles, opaque_width, radius_, weights);
    check(cudaGetLastError());
  }

 private:
  Layout<Kind> layout() const { return {warps_, radius_}; }
  int radius_, warps_ = 0;
};

void blur_by_histograms(cudaStream_t stream, const Input& in, const CodeRows& out, int radius,
                        const CodeWeights& weights) {
  const int alpha = in.format.alpha ? out.channels - 1 : -1;
  CodePlanes planes{nullptr, nullptr, out.area.grown(radius, radius), out.channels, alpha};
  const Buffer<std::uint8_t> codes{planes.bytes(), stream}, cells{planes.cell_count(), stream};
  planes.codes = codes.data(), planes.cells = cells.data();
  split(stream, in, planes);
  const Columns<Plain> plain{radius};
  const Columns<Weighted> weighted{radius};
  if (plain.fit() && (alpha < 0 || weighted.fit())) {
    // What is above a tile is counted first.
    const int height = std::max(64, radius);
    in_parts(stream, out.area, {plain.width(), height}, 0x1p25, [&](Rect part) {
      plain.launch(stream, planes, out, part, height, out.channels, plain.width(), weights);
      if (alpha >= 0)
        weighted.launch(stream, planes, out, part, height, alpha, plain.width(), weights);
    });
  } else {
    const int height = 2 * radius + 1;
    in_parts(stream, out.area, {windows_threads, height}, 0x1p22, [&](Rect part) {
      const Tiles tiles{part, windows_threads, height};
      const dim3 grid{tiles.count(), static_cast<unsigned>(out.channels)};
      windows_kernel<<<grid, windows_threads, 0, stream>>>(planes, out, tiles, radius, weights);
      check(cudaGetLastError());
    });
  }
}

void blur_small_squares(cudaStream_t stream, const Input& in, const CodeRows& out, int radius,
                        float limit) {
  const auto run = [&]<int channels>(Values<channels>) {
    const std::size_t side = small_side + 2 * radius;
    in_parts(stream, out.area, {small_side, small_side}, 0x1p26, [&](Rect part) {
      const Tiles tiles{part, small_side, small_side};
      small_square_kernel<channels>
          <<<tiles.count(), small_threads, side * side * sizeof(Values<channels>), stream>>>(
              in, out, tiles, radius, limit);
      check(cudaGetLastError());
    });
  };
  switch (out.channels) {
    case 1:
      return run(Values<1>{});
    case 2:
      return run(Values<2>{});
    case 3:
      return run(Values<3>{});
    default:
      return run(Values<4>{});
  }
}

/// Of any format, through temporary pictures.
void blur_squares(Exec& exec, const Input& in, const Output& out, int radius, float limit) {
  // Half a second of a core, 20 ms of an H100.
  const double side = 2.0 * radius + 1.0, pixels = 1.5e10 / (side * side);
  exec.through_temporary(in, out, {radius, radius}, [&](const Input& from, const Output& to) {
    in_parts(exec.stream(), to.area, {square_side, square_side}, pixels, [&](Rect part) {
      const dim3 grid{divide_up(part.width, square_side), divide_up(part.height, square_side)};
      square_kernel<<<grid, square_threads, 0, exec.stream()>>>(plane_of(from), part, plane_of(to),
                                                                radius, limit);
      check(cudaGetLastError());
    });
  });
}

}  // namespace

void surface_blur(Exec& exec, const Input& in, const Output& out,
                  const surface::SurfaceSettings& settings, Border border) {
  const bool has_codes = !in.is_temporary && !out.is_temporary &&
                         in.format.type == SampleType::u8 && in.curves.values[0] == nullptr;
  // What is beyond the ends has no alpha, of which codes without alpha know nothing.
  const bool shows_alpha = in.format.alpha || border != Border::transparent;
  if (settings.radius < 1) return smooth_neighborhoods(exec, in, out, settings);
  if (!has_codes || !shows_alpha)
    return blur_squares(exec, in, out, settings.radius, settings.limit);
  // On an H100, opaque pictures are faster by histograms from a radius of 10 on, others from 12 on.
  constexpr int histogram_radius = 11;
  const CodeRows rows{reinterpret_cast<std::uint8_t*>(out.codes), out.area, in.format.channels()};
  if (settings.radius < histogram_radius)
    blur_small_squares(exec.stream(), in, rows, settings.radius, settings.limit);
  else
    blur_by_histograms(exec.stream(), in, rows, settings.radius, CodeWeights::of(settings.limit));
}

}  // namespace cuda_filters::cuda
