// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <concepts>
#include <tuple>
#include <vector>

#include "gpu/algorithms/align/combine_plates.hpp"
#include "gpu/algorithms/aperture/aperture_mean.hpp"
#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/algorithms/bilateral/bilateral_blur.hpp"
#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/canny/canny_edges.hpp"
#include "gpu/algorithms/clahe/equalize_tiles.hpp"
#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/deconvolution/deconvolve.hpp"
#include "gpu/algorithms/diffusion/diffuse.hpp"
#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/heal/heal_selection.hpp"
#include "gpu/algorithms/local_laplacian/local_laplacian_filter.hpp"
#include "gpu/algorithms/lut/apply_lut.hpp"
#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/algorithms/noise_reduction/reduce_noise.hpp"
#include "gpu/algorithms/non_local_means/nl_means.hpp"
#include "gpu/algorithms/oilify/oilify_filter.hpp"
#include "gpu/algorithms/pixel_math/evaluate_formula.hpp"
#include "gpu/algorithms/pyramid/downsample.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/algorithms/resample/resize.hpp"
#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/algorithms/surface/surface_blur.hpp"
#include "gpu/algorithms/symmetric_neighbors/snn_mean.hpp"
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
struct ToChannel {
  HOST_DEVICE float operator()(Pixel p) const { return p.r; }
  HOST_DEVICE float operator()(float value) const { return value; }
  HOST_DEVICE float operator()(Pixel p, float value) const { return p.r + value; }
};
struct OfChannel {
  HOST_DEVICE Pixel operator()(float value) const { return {value, value, value, 1.0f}; }
  HOST_DEVICE Pixel operator()(Pixel p, float value) const { return p * value; }
};
struct OfNine {
  HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const { return n[1][1]; }
};
struct OfNeighborhood {
  template <class... Around>
  HOST_DEVICE Pixel operator()(const Around&...) const {
    return {};
  }
};
struct FromStatistics {
  HOST_DEVICE OfPixel operator()(const Statistics&) const { return {}; }
};
struct Total {
  HOST_DEVICE void merge(const Total&) {}
};
struct Added {
  HOST_DEVICE void operator()(Total&, const Pixel&) const {}
  HOST_DEVICE void operator()(Total&, const Pixel&, float) const {}
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
  { exec.temporary(1) } -> std::convertible_to<const typename Exec::Input&>;
  exec.map(in, out, contract::OfPixel{});
  exec.map(std::tie(in, in), out, contract::OfTwo{});
  exec.map_with_statistics(in, out, statistics, contract::FromStatistics{});
  exec.stencil3(in, out, contract::OfNine{});
  exec.neighborhood(in, out, Halo{}, 0.0, contract::OfNeighborhood{});
  exec.neighborhood(std::tie(in, in), out, Halo{}, 0.0, contract::OfNeighborhood{});
  exec.reduce(in, area, total, contract::Added{});
  exec.fetch(statistics);
  exec.upload(std::vector<float>{});
};

/// What primitives do with temporary channels, which stand for no picture elsewhere.
template <class Exec>
concept HasChannels = requires(Exec& exec, const typename Exec::Input& in,
                               const typename Exec::Output& out,
                               const typename Exec::Channel& channel, Rect area,
                               contract::Total& total) {
  { exec.temporary_channel() } -> std::same_as<typename Exec::Channel>;
  { exec.temporary_channel(1) } -> std::same_as<typename Exec::Channel>;
  exec.map(in, channel, contract::ToChannel{});
  exec.map(channel, channel, contract::ToChannel{});
  exec.map(channel, out, contract::OfChannel{});
  exec.map(std::tie(in, channel), channel, contract::ToChannel{});
  exec.map(std::tie(in, channel), out, contract::OfChannel{});
  exec.neighborhood(std::tie(in, channel), out, Halo{}, 0.0, contract::OfNeighborhood{});
  exec.reduce(std::tie(in, channel), area, total, contract::Added{});
}
&&!std::convertible_to<typename Exec::Channel&, const typename Exec::Input&> &&
    !std::convertible_to<typename Exec::Channel&, const typename Exec::Output&>;

/// What algorithms there are: functions over the executor, in its namespace. What they promise
/// stands where they are declared.
template <class Exec>
concept HasAlgorithms = requires(
    Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out, Rect area,
    Border border, const Sharpen& sharpen, const Matrix& matrix, const rank::Window& window,
    const bilateral::BilateralSettings& bilateral, const rank::Percentiles& percentiles,
    const deconvolution::DeconvolutionSettings& deconvolution,
    const diffusion::DiffusionSettings& diffusion,
    const non_local_means::NonLocalMeansSettings& means, const surface::SurfaceSettings& surface,
    const resample::ResampleSettings& resampling, const canny::CannySettings& canny,
    canny::BandLinks& links, const clahe::ClaheSettings& tiles, clahe::Codes& codes,
    const align::AlignSettings& alignment, align::Scan& scan, StatisticsState& statistics,
    QuantileState& quantiles, const Wanted& wanted, Histograms& histograms,
    const extremum::Window& shape, const typename Exec::Channel& channel, const LutUse& table,
    const local_laplacian::LocalContrastSettings& contrast, local_laplacian::Plane& plane,
    const aperture::Aperture& aperture, const SharedProgram& program,
    const motion::MotionSettings& path, const oilify::OilifySettings& painting,
    const heal::HealSettings& healing, heal::Surroundings& surroundings,
    const symmetric_neighbors::SnnSettings& neighbors) {
  gaussian_blur(exec, in, out, 1.0, 1.0, border);
  gaussian_blur(exec, channel, channel, 1.0, 1.0, border);
  unsharp(exec, in, out, 1.0, sharpen, border);
  bilateral_blur(exec, in, &in, out, bilateral);
  box_filter(exec, in, out, 1, 1, border);
  box_filter(exec, channel, channel, 1, 1, border);
  atrous_smooth(exec, in, out, 0);
  atrous_smooth(exec, channel, channel, 0);
  atrous_details(exec, exec.temporary(), 0, exec.temporary(), atrous::DetailSizes{});
  extremum_filter(exec, channel, channel, 1, 1, Extremum::minimum);
  extremum_filter(exec, in, out, shape, Extremum::minimum, border);
  downsample(exec, in, out);
  downsample(exec, channel, channel);
  upsample(exec, in, out);
  upsample(exec, channel, channel);
  convolve(exec, in, out, matrix, 0.0f);
  rank_filter(exec, in, out, window, percentiles, border);
  deconvolve(exec, in, out, deconvolution);
  diffuse(exec, in, out, diffusion);
  nl_means(exec, in, out, means);
  apply_lut(exec, in, out, table);
  aperture_mean(exec, in, out, aperture);
  evaluate_formula(exec, in, &in, out, program);
  motion_blur(exec, in, out, path);
  oilify_filter(exec, in, out, painting);
  reduce_noise(exec, in, out, 1);
  snn_mean(exec, in, out, neighbors);
  surface_blur(exec, in, out, surface, border);
  resize(exec, in, out, resampling);
  analyze_edges(exec, in, area, canny, links);
  canny_edges(exec, in, out, canny, links);
  collect_codes(exec, in, area, tiles, codes);
  equalize_tiles(exec, in, out, tiles, codes);
  collect_luminance(exec, in, area, contrast, plane);
  local_laplacian_filter(exec, in, out, contrast, plane);
  collect_surroundings(exec, in, &in, area, healing, surroundings);
  heal_selection(exec, in, out, healing, surroundings);
  analyze_plates(exec, in, area, alignment, scan);
  combine_plates(exec, scan, align::Order::rgb, out);
  collect_statistics(exec, in, area, statistics);
  collect_quantiles(exec, in, area, quantiles, wanted);
  collect_histograms(exec, in, area, histograms);
};

/// What computes filters on one kind of device, as docs/executors.md explains.
template <class Exec>
concept Executor = HasPrimitives<Exec> && HasChannels<Exec> && HasAlgorithms<Exec>;

static_assert(Executor<trace::Exec>);

}  // namespace cuda_filters
