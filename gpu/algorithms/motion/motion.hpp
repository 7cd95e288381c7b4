// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <vector>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Means of a picture along lines, rays to a center, and arcs around it.
namespace cuda_filters::motion {

/// A direction along which pixels move: of a line the same for all of them, centered on each.
enum class Kind { linear, zoom, spin };

struct MotionSettings {
  Kind kind;
  double length;              ///< of a line, in pixels
  double angle;               ///< degrees, counter-clockwise: the line's direction, or the arc
  double factor;              ///< of a ray: the share of the distance to the center
  double center_x, center_y;  ///< of rays and arcs, relative to the size of the image

  /// Whether the path of every pixel is that pixel alone.
  bool is_still() const {
    return kind == Kind::linear ? length == 0.0 : kind == Kind::zoom ? factor == 0.0 : angle == 0.0;
  }
  /// How far a path gets from its pixel, at most, in an image of that size.
  Halo reach(Size image) const;
};

/// The mean along a line through the center of a pixel of the picture that is interpolated linearly
/// between the centers of the pixels: one weight for each of these, at most four in each column, if
/// the line is not steep, or else in each row.
struct Line {
  /// What a step along the longer axis weighs: `weights` of the pixels from `first` on across it.
  struct alignas(16) Step {
    float weights[4];
    int first;
  };
  static constexpr int width = 4;

  bool is_steep;     ///< steps go along y
  int reach;         ///< of the steps, which go from -reach on to reach
  int reach_across;  ///< of those pixels whose weight is not 0
  std::vector<Step> steps;

  explicit Line(const MotionSettings& settings);
};

/// One point of the path of a pixel at v from the center: at v + along · v + across · (v turned by
/// 90 degrees clockwise).
struct PathPoint {
  float along, across;
};

/// Tiles of pixels whose paths have as many points, counted from the first pixel of the image on.
inline constexpr int tile_width = 32, tile_height = 8;

/// The first pixel of the tile that holds one, along an axis.
HOST_DEVICE constexpr int tile_begin(int index, int size) {
  return (index >= 0 ? index / size : -((size - 1 - index) / size)) * size;
}

/// The paths of zoom and spin in an image.
struct Paths {
  double center_x, center_y;  ///< in pixels; the center of the first pixel is at (0, 0)
  double extent;              ///< a share of the distance to the center, or an arc
  bool turns;

  Paths(const MotionSettings& settings, Size image);

  /// The longest path of a pixel of `area`, in pixels.
  HOST_DEVICE double length_in(Rect area) const {
    const double x = farthest(center_x, area.x, area.right()),
                 y = farthest(center_y, area.y, area.bottom());
    return fabs(extent) * sqrt(x * x + y * y);
  }
  /// The point after that share of the path.
  HOST_DEVICE PathPoint point(double share) const {
    if (!turns) return {static_cast<float>(-extent * share), 0.0f};
    const double turned = extent * (share - 0.5), half = sin(0.5 * turned);
    return {static_cast<float>(-2.0 * half * half), static_cast<float>(sin(turned))};
  }
  /// What the paths of the pixels of `area` touch.
  Rect bounds(Rect area) const;

  HOST_DEVICE static double farthest(double center, int begin, int end) {
    return fmax(fabs(begin - center), fabs(end - 1 - center));
  }
};

/// How many points stand for a path of that length: so many that the mean was within 1.5e-3 of the
/// path's wherever one was looked at in noise from 0 to 1. Errors of single points cancel out the
/// more the longer a path is.
HOST_DEVICE inline int point_count(double length) {
  return static_cast<int>(ceil(8.0 + length + 22.0 * sqrt(length)));
}

/// How far a place is beyond the pixel before it, and where that is, from the pixel at (0, 0).
struct Place {
  int before;
  float beyond;
  HOST_DEVICE explicit Place(float at) {
    const float floor = floorf(at);
    before = static_cast<int>(floor), beyond = at - floor;
  }
};

}  // namespace cuda_filters::motion
