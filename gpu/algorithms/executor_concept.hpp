// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <concepts>
#include <vector>

#include "gpu/algorithms/align/combine_plates.hpp"
#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/canny/canny_edges.hpp"
#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/diffusion/diffuse.hpp"
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/algorithms/resample/resize.hpp"
#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/core/trace.hpp"

namespace cuda_filters {

/// Functions and a total such as filters give to the primitives.
namespace contract {
struct OfPixel {
  HOST_DEVICE Pixel operator()(Pixel p) const { return p; }
};
struct OfTwo {
  HOST_DEVICE Pixel operator()(Pixel p, Pixel q) const { return p + q; }
};
struct OfNine {
  HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const { return n[1][1]; }
};
struct FromStatistics {
  HOST_DEVICE OfPixel operator()(const Statistics&) const { return {}; }
};
struct Total {
  HOST_DEVICE void merge(const Total&) {}
};
struct Added {
  HOST_DEVICE void operator()(Total&, const Pixel&) const {}
};
}  // namespace contract

/// What primitives there are: methods of the executor, between pictures that are the band's or
/// temporary. What they promise stands in gpu/cpu/exec.hpp.
template <class Exec>
concept HasPrimitives = requires(Exec& exec, const typename Exec::Input& in,
                                 const typename Exec::Output& out, Rect area,
                                 StatisticsState& statistics, contract::Total& total) {
  { exec.temporary() } -> std::convertible_to<const typename Exec::Input&>;
  { exec.temporary() } -> std::convertible_to<const typename Exec::Output&>;
  exec.map(in, out, contract::OfPixel{});
  exec.map({in, in}, out, contract::OfTwo{});
  exec.map_with_statistics(in, out, statistics, contract::FromStatistics{});
  exec.stencil3(in, out, contract::OfNine{});
  exec.reduce(in, area, total, contract::Added{});
  exec.fetch(statistics);
  exec.upload(std::vector<float>{});
};

/// What algorithms there are: functions over the executor, in its namespace. What they promise
/// stands where they are declared.
template <class Exec>
concept HasAlgorithms = requires(Exec& exec, const typename Exec::Input& in,
                                 const typename Exec::Output& out, Rect area, Border border,
                                 const Sharpen& sharpen, const Matrix& matrix,
                                 const rank::Window& window, const rank::Percentiles& percentiles,
                                 const diffusion::DiffusionSettings& diffusion,
                                 const resample::ResampleSettings& resampling,
                                 const canny::CannySettings& canny, canny::BandLinks& links,
                                 const align::AlignSettings& alignment, align::Scan& scan,
                                 StatisticsState& statistics, QuantileState& quantiles,
                                 const Wanted& wanted, Histograms& histograms) {
  gaussian_blur(exec, in, out, 1.0, 1.0, border);
  unsharp(exec, in, out, 1.0, sharpen, border);
  box_filter(exec, in, out, 1, 1, border);
  convolve(exec, in, out, matrix, 0.0f);
  rank_filter(exec, in, out, window, percentiles, border);
  diffuse(exec, in, out, diffusion);
  resize(exec, in, out, resampling);
  analyze_edges(exec, in, area, canny, links);
  canny_edges(exec, in, out, canny, links);
  analyze_plates(exec, in, area, alignment, scan);
  combine_plates(exec, scan, align::Order::rgb, out);
  collect_statistics(exec, in, area, statistics);
  collect_quantiles(exec, in, area, quantiles, wanted);
  collect_histograms(exec, in, area, histograms);
};

/// What computes filters on one kind of device, as docs/executors.md explains.
template <class Exec>
concept Executor = HasPrimitives<Exec> && HasAlgorithms<Exec>;

static_assert(Executor<trace::Exec>);

}  // namespace cuda_filters
