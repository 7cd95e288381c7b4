// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The shapes of apertures, and what they cover of a pixel, for every executor.
///
/// How much a shape covers of a pixel is clamp(½ - s, 0, 1), where s is how far the middle of the
/// pixel lies outside of the outline, negative inside: of a disc distance - radius, of a regular
/// polygon the largest of the distances from the lines along its sides, and of a ring, whose inner
/// radius is half of the outer one, the larger of those from its two circles.
namespace cuda_filters::aperture {

enum class Shape { disc, polygon, ring };

struct Aperture {
  Shape shape;
  double radius;    ///< in pixels; of a polygon: to its corners
  int blades;       ///< how many sides a polygon has
  double rotation;  ///< where one of its corners points to, in degrees, as angles are: 0 is right

  /// How far a side of the polygon is from the middle, for a radius of 1.
  double edge() const {
    return shape == Shape::polygon ? std::cos(std::numbers::pi / blades) : 1.0;
  }
  /// Farther than that from the middle, along either axis, nothing is covered.
  int reach() const { return static_cast<int>(radius + 0.5 / edge()); }
  /// The area for a radius of 1.
  double area() const {
    if (shape == Shape::polygon) return blades / 2.0 * std::sin(2.0 * std::numbers::pi / blades);
    return shape == Shape::ring ? 0.75 * std::numbers::pi : std::numbers::pi;
  }
};

/// How far places are from the middle of an aperture: along the normal of the nearest side, of a
/// polygon.
class Extent {
 public:
  explicit Extent(const Aperture& of) {
    if (of.shape != Shape::polygon) return;
    for (int k = 0; k < of.blades; ++k) {
      const double normal =
          (of.rotation + (360.0 * k + 180.0) / of.blades) * std::numbers::pi / 180.0;
      normals_.push_back({std::cos(normal), -std::sin(normal)});
    }
  }

  double operator()(double x, double y) const {
    if (normals_.empty()) return std::hypot(x, y);
    double farthest = 0.0;
    for (const auto& normal : normals_) farthest = std::max(farthest, x * normal.x + y * normal.y);
    return farthest;
  }

 private:
  struct Normal {
    double x, y;  ///< y goes down
  };
  std::vector<Normal> normals_;
};

/// An aperture of any radius, for places whose extent is known.
template <class Real>
struct Outline {
  Real edge, hole, area;
  bool is_ring;

  explicit Outline(const Aperture& of)
      : edge{static_cast<Real>(of.edge())},
        hole{static_cast<Real>(0.5)},
        area{static_cast<Real>(of.area())},
        is_ring{of.shape == Shape::ring} {}

  HOST_DEVICE Real coverage(Real extent, Real radius) const {
    Real inside = radius * edge - extent;
    if (is_ring) {
      const Real outside_of_hole = extent - radius * hole;
      inside = outside_of_hole < inside ? outside_of_hole : inside;
    }
    const Real share = inside + static_cast<Real>(0.5);
    return share > 0 ? (share < 1 ? share : static_cast<Real>(1)) : static_cast<Real>(0);
  }
};

/// How much the aperture around the pixel at (dx, dy) covers of the one that is computed: the
/// weight of that pixel.
class Coverage {
 public:
  explicit Coverage(const Aperture& aperture)
      : radius_{aperture.radius}, extent_{aperture}, outline_{aperture}, reach_{aperture.reach()} {}

  Halo reach() const { return {reach_, reach_}; }
  double operator()(int dx, int dy) const {
    // Nothing else can be covered, and need not be asked for.
    if (std::hypot(dx, dy) > reach_ + 1.0) return 0.0;
    return outline_.coverage(extent_(-dx, -dy), radius_);
  }

 private:
  double radius_;
  Extent extent_;
  Outline<double> outline_;
  int reach_;
};

/// The same of all pixels around that one, for weighted means.
inline Matrix weights_of(const Aperture& aperture) {
  const Coverage coverage{aperture};
  return make_matrix(coverage.reach().x, coverage.reach().y, coverage);
}

/// About what a pixel costs, as Footprint says, without planning it.
inline double estimated_taps(const Aperture& aperture) { return 1.0 + 16.0 * aperture.radius; }

}  // namespace cuda_filters::aperture
