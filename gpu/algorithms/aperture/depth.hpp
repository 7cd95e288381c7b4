// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <tuple>
#include <vector>

#include "gpu/algorithms/aperture/aperture.hpp"
#include "gpu/core/alpha.hpp"
#include "gpu/core/luminance.hpp"

/// Means over apertures whose radius is another one at each pixel, as lenses make them of what is
/// nearer or farther: each pixel gathers what reaches it.
namespace cuda_filters::aperture {

/// The radius at a pixel by its depth, the luminance of a premultiplied color: none at `near`, the
/// largest at `far` and beyond, or the other way round. Where both are the same, what has a larger
/// depth is blurred.
struct RadiusOfDepth {
  float radius, near, far;
  HOST_DEVICE float operator()(Pixel p) const {
    const float depth = colorless(p.a) ? 0.0f : quotient(luminance(p), p.a);
    if (near == far) return depth > near ? radius : 0.0f;
    const float share = (depth - near) / (far - near);
    return share > 0.0f ? (share < 1.0f ? radius * share : radius) : 0.0f;
  }
};

/// The mean around a pixel p: each pixel q counts by how much the aperture around it covers p,
/// divided by that aperture's area plus ½, where its radius is q's own, but no larger than p's:
/// what lies farther away is hidden by a sharper p in front, and what lies nearer takes part as far
/// as its own blur reaches. Where nothing covers p, it stays as it is.
struct DepthMean {
  const float* extents;  ///< of each place around the middle, rows of 2 · reach + 1
  int reach;
  Outline<float> outline;

  template <class Around, class Radii>
  HOST_DEVICE Pixel operator()(const Around& around, const Radii& radii) const {
    const float own = radii(0, 0), end = own + 0.5f / outline.edge;
    const int rows = static_cast<int>(end) < reach ? static_cast<int>(end) : reach;
    Pixel sum{};
    float all = 0.0f;
    for (int dy = -rows; dy <= rows; ++dy) {
      const float* const of_row = extents + (dy + reach) * (2 * reach + 1) + reach;
      const float squared = end * end - static_cast<float>(dy * dy);
      const int half = static_cast<int>(square_root(squared > 0.0f ? squared : 0.0f) + 0.01f);
      const int columns = half < reach ? half : reach;
      Pixel row_sum{};
      float row_all = 0.0f;
      for (int dx = -columns; dx <= columns; ++dx) {
        const float other = radii(dx, dy), radius = other < own ? other : own;
        const float covered = outline.coverage(of_row[dx], radius);
        if (!(covered > 0.0f)) continue;
        const float weight = quotient(covered, 0.5f + outline.area * radius * radius);
        row_sum = row_sum + around(dx, dy) * weight;
        row_all += weight;
      }
      sum = sum + row_sum;
      all += row_all;
    }
    // Of a ring, p may lie in all holes that it lies in at all.
    return all > 0.0f ? sum * quotient(1.0f, all) : around(0, 0);
  }
};

/// The means of `in` by the radii that `depth` says, up to the aperture's.
template <class Exec, class In, class Out>
void depth_mean(Exec& exec, const In& in, const typename Exec::Input& depth, const Out& out,
                const Aperture& aperture, double near, double far) {
  const int reach = aperture.reach(), side = 2 * reach + 1;
  const Extent extent{aperture};
  std::vector<float> extents;
  extents.reserve(static_cast<std::size_t>(side) * side);
  for (int dy = -reach; dy <= reach; ++dy)
    for (int dx = -reach; dx <= reach; ++dx)
      extents.push_back(static_cast<float>(extent(-dx, -dy)));
  const auto of_places = exec.upload(extents);
  const auto radii = exec.temporary_channel();
  exec.map(depth, radii,
           RadiusOfDepth{static_cast<float>(aperture.radius), static_cast<float>(near),
                         static_cast<float>(far)});
  const double cost = 10.0 + 1.2 * aperture.area() * aperture.radius * aperture.radius;
  exec.neighborhood(std::tie(in, radii), out, Halo{reach, reach}, cost,
                    DepthMean{of_places.data(), reach, Outline<float>{aperture}});
}

}  // namespace cuda_filters::aperture
