// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/algorithms/bilateral/bilateral_blur.hpp"
#include "gpu/algorithms/bilateral/grid.cuh"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

/// The tables of the settings on the device.
struct Tables {
  Buffer<float> spline, kernel, mixing, exponents, weights;
  Buffer<int> kernel_ends, ends;

  Tables(Exec& exec, const bilateral::BilateralSettings& settings)
      : spline{exec.upload(settings.grid.spline)},
        kernel{exec.upload(settings.grid.kernel)},
        mixing{exec.upload(settings.grid.mixing)},
        exponents{exec.upload(settings.exponents)},
        weights{exec.upload(settings.weights)},
        kernel_ends{exec.upload(settings.grid.ends)},
        ends{exec.upload(settings.ends)} {}
};

/// Computes a part of the result by a grid: everything, or one channel.
class GridBlur {
 public:
  GridBlur(Exec& exec, const bilateral::BilateralSettings& settings, Rect area)
      : exec_{exec},
        stream_{exec.stream()},
        settings_{settings},
        tables_{exec, settings},
        grid_{settings.grid.with(tables_.spline.data(), tables_.kernel.data(),
                                 tables_.kernel_ends.data(), tables_.mixing.data())},
        tiles_{area, column_threads, row_threads} {
    const int x = grid_.cell(area.x) - 1, y = grid_.cell(area.y) - 1;
    mixed_ = {x, y, grid_.cell(area.right() - 1) + 2 - x, grid_.cell(area.bottom() - 1) + 2 - y};
    needed_ = mixed_.grown(grid_.reach, grid_.reach);
  }

  /// The pixels that are looked at.
  Rect pixels() const {
    const int step = grid_.step;
    return {(needed_.x - 1) * step, (needed_.y - 1) * step, (needed_.width + 2) * step,
            (needed_.height + 2) * step};
  }

  template <class Values>
  void run(Plane picture, ChannelPlane guide, Values values, Plane result) {
    const Rect area = tiles_.area;
    const std::size_t pixels = static_cast<std::size_t>(area.width) * area.height;
    const bilateral::Nodes nodes = find_nodes(guide);
    const Buffer<float> sums{pixels * Values::count, stream_};
    check(cudaMemsetAsync(sums.data(), 0, pixels * Values::count * sizeof(float), stream_));
    add_nodes(nodes, picture, guide, values, sums.data());
    const Buffer<Unsure> unsure{pixels, stream_};
    const Buffer<unsigned> count{1, stream_};
    check(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), stream_));
    divide_kernel<<<tiles_.count(), block, 0, stream_>>>(
        tiles_, grid_, picture, guide, values, sums.data(), result, unsure.data(), count.data());
    check(cudaGetLastError());
    unsigned of_unsure = 0;
    check(cudaMemcpyAsync(&of_unsure, count.data(), sizeof(unsigned), cudaMemcpyDeviceToHost,
                          stream_));
    check(cudaStreamSynchronize(stream_));
    sum_discs(of_unsure, unsure.data(), picture, guide, values, result);
  }

 private:
  static constexpr dim3 block{column_threads, row_threads};

  bilateral::Nodes find_nodes(ChannelPlane guide) const {
    constexpr int threads = 128, max_rows = 1024;
    const Rect area = tiles_.area;
    const Buffer<std::uint8_t> found{bin_count, stream_};
    check(cudaMemsetAsync(found.data(), 0, bin_count, stream_));
    const dim3 blocks{divide_up(area.width, threads),
                      static_cast<unsigned>(std::min(area.height, max_rows))};
    find_bins_kernel<<<blocks, threads, 0, stream_>>>(area, grid_, guide, found.data());
    check(cudaGetLastError());
    std::vector<std::uint8_t> bins(bin_count);
    check(cudaMemcpyAsync(bins.data(), found.data(), bin_count, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return bilateral::Nodes{bins.data()};
  }

  template <class Values>
  void add_nodes(const bilateral::Nodes& nodes, Plane picture, ChannelPlane guide, Values values,
                 float* sums) {
    const int all = static_cast<int>(nodes.numbers.size()), at_once = std::min(all, nodes_at_once);
    if (all == 0) return;
    const auto numbers = exec_.upload(nodes.numbers),
               first_of_bin = exec_.upload(nodes.first_of_bin);
    Cells cells{nullptr, needed_}, blurred{nullptr, mixed_};
    const std::size_t planes = static_cast<std::size_t>(at_once) * Values::count;
    const Buffer<float> of_cells{cells.plane() * planes, stream_},
        of_blurred{blurred.plane() * planes, stream_};
    cells.data = of_cells.data(), blurred.data = of_blurred.data();
    PacedLaunches launches{stream_, 2};
    for (int first = 0; first < all; first += at_once) {
      const int count = std::min(at_once, all - first);
      launches.begin();
      const dim3 splats{divide_up(static_cast<int>(cells.plane()), splat_warps),
                        divide_up(count, splat_nodes)};
      splat_kernel<<<splats, dim3{32, splat_warps}, 0, stream_>>>(
          grid_, picture, guide, values, numbers.data() + first, count, cells);
      check(cudaGetLastError());
      convolve(count * Values::count, cells, blurred);
      mix_kernel<Values><<<tiles_.count(), block, 0, stream_>>>(
          tiles_, grid_, guide, first_of_bin.data(), first, count, blurred, sums);
      check(cudaGetLastError());
      launches.end();
    }
  }

  void convolve(int planes, Cells in, Cells out) const {
    const int reach = grid_.reach;
    const std::size_t bytes =
        sizeof(float) *
        ((tile_columns + 2 * reach) * (tile_rows + 2 * reach) + (reach + 1) * (2 * reach + 1));
    const Tiles tiles{out.area, tile_columns, tile_rows};
    convolve_kernel<<<dim3{tiles.count(), static_cast<unsigned>(planes)},
                      dim3{tile_columns, row_threads}, bytes, stream_>>>(grid_, in, out);
    check(cudaGetLastError());
  }

  template <class Values>
  void sum_discs(unsigned count, const Unsure* unsure, Plane picture, ChannelPlane guide,
                 Values values, Plane result) const {
    const Window window{tables_.exponents.data(), tables_.weights.data(), tables_.ends.data(),
                        settings_.radius, settings_.range};
    // An H200 takes 20 ms for as many samples.
    const auto at_once = static_cast<unsigned>(std::max(1024.0, 5e9 / settings_.samples));
    PacedLaunches launches{stream_, 2};
    for (unsigned first = 0; first < count; first += at_once) {
      launches.begin();
      disc_kernel<<<std::min(at_once, count - first), disc_threads, 0, stream_>>>(
          window, picture, guide, values, unsure + first, result);
      check(cudaGetLastError());
      launches.end();
    }
  }

  Exec& exec_;
  cudaStream_t stream_;
  const bilateral::BilateralSettings& settings_;
  Tables tables_;
  Grid grid_;
  Tiles tiles_;
  Rect mixed_, needed_;  ///< cells
};

}  // namespace

bool uses_grid(const Input& in, const bilateral::BilateralSettings& settings) {
  return settings.uses_grid(in.image);
}

void blur_by_grid(Exec& exec, const Input& in, const Input* guide, const Output& out,
                  const bilateral::BilateralSettings& settings) {
  if (!out.is_temporary) {
    const Temporary result{exec.stream(), out.area, in};
    blur_by_grid(exec, in, guide, result, settings);
    return exec.encode(result, out);
  }
  GridBlur blur{exec, settings, out.area};
  const Rect needed = blur.pixels();
  const Temporary picture{exec.stream(), needed, in};
  exec.decode(in, picture);
  const Plane pixels = plane_of(static_cast<const Input&>(picture)), result = plane_of(out);
  const Channel compared{exec.stream(), needed};
  const auto compare = [&](int channel) {
    exec.map(guide != nullptr ? *guide : static_cast<const Input&>(picture), compared,
             Compared{channel});
  };
  if (settings.guide != bilateral::Guide::channels) {
    compare(-1);
    return blur.run(pixels, compared.plane(), Together{}, result);
  }
  for (int channel = 0; channel < 4; ++channel) {
    compare(channel);
    blur.run(pixels, compared.plane(), Alone{channel}, result);
  }
}

}  // namespace cuda_filters::cuda
