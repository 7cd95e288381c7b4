// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <vector>

#include "gpu/algorithms/separable/covering.hpp"
#include "gpu/core/pixel.hpp"

/// Gaussian blur at a cost that does not grow with sigma, planned here once for every executor.
///
/// A small sigma is a direct separable filter. A larger one is a pyramid: the image is smoothed
/// and decimated by four with a fixed Gaussian, the small image is blurred by what is left of the
/// variance (again by a pyramid, if that is still large), and a fixed Gaussian interpolates back.
/// Variances of Gaussians add up, and at 0.82 of the coarse spacing a Gaussian lets less than 2e-6
/// of any frequency through that the coarse grid cannot hold, so that the result is the sampled
/// Gaussian itself, to 1e-5. (The worst input lies beside the frequency 1/4, at which the alias is
/// weakest and the blur too: 5e-6 of its amplitude come through at sigma 9, ever less above.)
namespace cuda_filters::gaussian {

/// The coarse grid: cell k covers the pixels 4k … 4k + 3, and its sample stands at 4k + 1.5.
inline constexpr int factor = 4;
inline constexpr double pyramid_sigma = 0.82 * factor;
/// Cell k is the weighted sum of the pixels 4k - 14 … 4k + 17.
inline constexpr int decimate_taps = 32, decimate_before = 14, decimate_after = 17;
/// Pixel 4k + p is the weighted sum of eight cells, from k - 4 (p = 0, 1) or k - 3 (p = 2, 3) on.
inline constexpr int interpolate_taps = 8, interpolate_reach = 4;
HOST_DEVICE constexpr int interpolate_first(int phase) { return phase < factor / 2 ? -4 : -3; }

/// The sigma from which on an axis goes through the pyramid.
inline constexpr double pyramid_from = 9.0;
/// The radius of a direct filter: beyond it lie less than 2e-6 of the weights, or, on a grid that
/// was decimated twice or more, 7e-5, because there the radius is what the time goes into.
constexpr int direct_radius(double sigma, int level = 0) {
  const double reach = (level < 2 ? 4.8 : 4.0) * sigma;
  const int whole = static_cast<int>(reach);
  return whole < reach ? whole + 1 : whole;
}

/// The blur along one axis, on the grid of the image or on a coarser one.
struct Axis {
  double sigma;   ///< in pixels of that grid
  int level = 0;  ///< how often it was decimated

  /// Whether it goes through the pyramid.
  bool decimates() const { return sigma >= pyramid_from; }
  /// What is left to do on the next grid.
  Axis coarse() const;
  int radius() const { return direct_radius(sigma, level); }
  /// exp(-d²/2σ²) for d = -radius … radius, normalized to the sum 1; {1} for sigma 0.
  std::vector<float> weights() const;
  /// How far from a pixel its result looks.
  int halo() const;
  /// The blur of an image of `size` pixels that is small beside the halo, else an axis without
  /// weights.
  covering::Axis covering(int size, Border border) const;
};

std::array<float, decimate_taps> decimate_weights();
/// [p] for pixels 4k + p, each normalized to the sum 1.
std::array<std::array<float, interpolate_taps>, factor> interpolate_weights();

/// The first and the last + 1 of a row of indices.
struct IndexSpan {
  int begin, end;
};
/// The cells that the pixels of `fine` are interpolated from.
IndexSpan coarse_for(IndexSpan fine);
/// The pixels that the cells of `coarse` are decimated from.
IndexSpan fine_for(IndexSpan coarse);

/// Which axes go one level down the pyramid.
struct Axes {
  bool x, y;
};
/// The cells that the pixels of `fine` are interpolated from, along those axes.
Rect coarse_area(Rect fine, Axes axes);

}  // namespace cuda_filters::gaussian
