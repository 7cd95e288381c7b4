// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/motion/polar.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cuda_filters::motion {
namespace {

/// How far apart lines may be whose paths have that length, in pixels. Of a picture from 0 to 1,
/// what lies between two is off by at most d² / 8 times the second derivative, which is 2 at most:
/// 1.1e-3 for 0.067. In noise each pixel is off by itself, the less the
/// longer paths are.
double spacing(double length) { return std::min(0.0107 * std::cbrt(length), 0.067); }

/// How far apart circles may be where arcs go along rows: a share of 2 · √(2 d / r) / angle of the
/// arc is within d of a row's center, where what lies between two lines is off by up to d / 2, in
/// the mean by little more than half of that.
double spacing_along_rows(double distance, double angle) {
  constexpr double largest_error = 8e-4;
  return std::pow(largest_error * std::sqrt(distance) * angle / 0.78, 2.0 / 3.0);
}

/// From the center, in pixels: floats hold angles as exactly as lines are apart.
constexpr double largest_distance = 1 << 17;

}  // namespace

PolarRings::PolarRings(const Paths& paths, Size image) {
  grid.center_x = paths.center_x, grid.center_y = paths.center_y;
  grid.turns = paths.turns;
  const double extent = std::abs(paths.extent);
  grid.extent = static_cast<float>(extent);
  constexpr int least_side = 2 * static_cast<int>(PolarGrid::least_length);
  if (std::min(image.width, image.height) < least_side) return;

  const double farthest = std::hypot(Paths::farthest(paths.center_x, 0, image.width),
                                     Paths::farthest(paths.center_y, 0, image.height)) +
                          1.0;
  if (farthest > largest_distance) return;
  grid.sections = paths.turns ? static_cast<int>(std::ceil(2.0 * std::numbers::pi / extent)) : 4;
  grid.section_angle = static_cast<float>(2.0 * std::numbers::pi / grid.sections);
  // Of a ray the boundary is the inner edge of the ring, up to which paths from the outer one go.
  constexpr double circles = 0.9;
  const double ratio = paths.turns ? circles : 1.0 - extent;
  // In a ring that is wider, pixels near the center would need points close to each other.
  constexpr float widest = 0.125f;
  const bool is_wide = ratio < widest;
  // Usually there is one for hundreds of pixels. Where the center is far outside of a large image
  // most of a ring is, too, and each band would look at all blocks in vain.
  const double max_blocks = std::min(image.pixels() / 8.0, 0x1p28);
  double outer = farthest;
  while (extent * outer >= PolarGrid::least_length) {
    const double inner = ratio * outer;
    const double nearest = is_wide ? widest * outer : inner;
    const double shortest = std::max<double>(extent * nearest, PolarGrid::least_length);
    PolarRing ring{};
    ring.inner = static_cast<float>(inner);
    ring.outer = rings.empty() ? static_cast<float>(outer) : rings.back().inner;
    if (paths.turns) {
      ring.step = static_cast<float>(extent / point_count(extent * outer));
      const double distance = spacing(shortest);
      ring.gaps = static_cast<int>(std::ceil((outer - inner) / distance));
      ring.spacing = (ring.outer - ring.inner) / static_cast<float>(ring.gaps);
      const double finer = distance / spacing_along_rows(inner, extent);
      ring.refinement = static_cast<float>(std::clamp(finer, 1.0, 16.0));
    } else {
      ring.step = static_cast<float>(shortest / point_count(shortest));
      const double quarter = 0.5 * std::numbers::pi;
      ring.gaps = static_cast<int>(std::ceil(quarter * outer / spacing(shortest)));
      ring.spacing = static_cast<float>(quarter / ring.gaps);
      ring.refinement = 1.0f;
    }
    ring.first_block = grid.block_count;
    const double blocks = double(grid.sections) * grid.blocks_of_section(ring);
    if (grid.block_count + blocks > max_blocks) {
      rings.clear(), grid.block_count = 0;
      return;
    }
    grid.block_count += static_cast<int>(blocks);
    rings.push_back(ring);
    outer = inner;
    if (is_wide) break;
  }
  grid.ring_count = static_cast<int>(rings.size());
  if (rings.empty()) return;
  grid.least_distance = std::max(rings.back().inner, PolarGrid::least_length / grid.extent);
  if (is_wide) grid.least_distance = std::max(grid.least_distance, widest * rings.back().outer);
}

}  // namespace cuda_filters::motion
