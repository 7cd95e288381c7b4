// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Means over shapes, planned here once for every executor.
///
/// How much a shape covers of a pixel is clamp(½ - s, 0, 1), where s is how far the middle of the
/// pixel lies outside of the outline, negative inside: of a disc distance - radius, of a regular
/// polygon the largest of the distances from the lines along its sides, and of a ring, whose inner
/// radius is half of the outer one, the larger of those from its two circles.
namespace cuda_filters::aperture {

enum class Shape { disc, polygon, ring };

struct Aperture {
  Shape shape;
  double radius;    ///< of a polygon: to its corners
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
  /// How far (x, y) is from the middle: along the normal of the nearest side, of a polygon.
  double extent(double x, double y) const {
    if (shape != Shape::polygon) return std::hypot(x, y);
    double farthest = 0.0;
    for (int k = 0; k < blades; ++k) {
      const double normal = (rotation + (360.0 * k + 180.0) / blades) * std::numbers::pi / 180.0;
      farthest = std::max(farthest, x * std::cos(normal) - y * std::sin(normal));
    }
    return farthest;
  }
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

/// How much an aperture covers of the pixel at (dx, dy) from the one that is computed.
class Coverage {
 public:
  explicit Coverage(const Aperture& aperture)
      : aperture_{aperture}, outline_{aperture}, reach_{aperture.reach()} {}

  Halo reach() const { return {reach_, reach_}; }
  double operator()(int dx, int dy) const {
    // Nothing else can be covered, and need not be asked for.
    if (std::hypot(dx, dy) > reach_ + 1.0) return 0.0;
    // By which each pixel becomes the aperture: from where that covers the middle.
    return outline_.coverage(aperture_.extent(-dx, -dy), aperture_.radius);
  }

 private:
  Aperture aperture_;
  Outline<double> outline_;
  int reach_;
};

/// About how many terms the weights have, without making them.
inline double estimated_taps(const Aperture& aperture) { return 1.0 + 16.0 * aperture.radius; }

}  // namespace cuda_filters::aperture
