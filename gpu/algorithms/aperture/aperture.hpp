// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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

/// A term of a weighted sum: the sum of `length` pixels of a row, the first one `dx` from the
/// middle's column, where the lengths are those of Weights.
struct Tap {
  int dx;
  int plane;  ///< which of the lengths it is
  float weight;
};

/// Weights of pixels around one, as terms, in which pixels side by side of weight 1 are one or few:
/// these are cut into pieces of fixed lengths, whose sums are made once a row. Nothing is ever
/// subtracted: the error stays that of a short sum, and a NaN touches no result but those of which
/// it is part.
struct Weights {
  Halo reach;
  std::vector<int> lengths;  ///< 1, then each 2^step times the one before
  int step;
  std::vector<Tap> taps;   ///< row by row, from dy = -reach.y on
  std::vector<int> first;  ///< of each row's taps, and the end of all
  double sum = 0.0;        ///< of all weights, at each pixel

  int row_count() const { return 2 * reach.y + 1; }
  int tap_count(int row) const { return first[row + 1] - first[row]; }
  float scale() const { return static_cast<float>(1.0 / sum); }

  /// `weight`: a function of (dx, dy), 0 … 1, for the pixel there.
  template <class Weight>
  static Weights of(Halo reach, int step, Weight weight) {
    Weights made{reach, {1}, step, {}, {0}};
    while (made.lengths.back() <= (2 * reach.x + 1) >> step)
      made.lengths.push_back(made.lengths.back() << step);
    int longest = 1;
    for (int dy = -reach.y; dy <= reach.y; ++dy) {
      int run = 0;
      for (int dx = -reach.x; dx <= reach.x + 1; ++dx) {
        const double w = dx <= reach.x ? weight(dx, dy) : 0.0;
        made.sum += w;
        if (w == 1.0) {
          ++run;
          continue;
        }
        longest = std::max(longest, run);
        made.add_run(dx - run, run);
        run = 0;
        if (w > 0.0) made.taps.push_back({dx, 0, static_cast<float>(w)});
      }
      made.first.push_back(static_cast<int>(made.taps.size()));
    }
    while (made.lengths.back() > longest) made.lengths.pop_back();
    return made;
  }

 private:
  void add_run(int dx, int count) {
    for (int plane = static_cast<int>(lengths.size()) - 1; plane >= 0; --plane)
      for (; count >= lengths[plane]; count -= lengths[plane], dx += lengths[plane])
        taps.push_back({dx, plane, 1.0f});
  }
};

/// Those by which each pixel becomes the aperture: from where it covers the middle.
inline Weights weights_of(const Aperture& aperture, int step = 1) {
  const Outline<double> outline{aperture};
  const int reach = aperture.reach();
  return Weights::of({reach, reach}, step, [&](int dx, int dy) {
    // Nothing else can be covered, and need not be asked for.
    if (std::hypot(dx, dy) > reach + 1.0) return 0.0;
    return outline.coverage(aperture.extent(-dx, -dy), aperture.radius);
  });
}

/// About how many terms the weights have, without making them.
inline double estimated_taps(const Aperture& aperture) { return 1.0 + 16.0 * aperture.radius; }

}  // namespace cuda_filters::aperture
