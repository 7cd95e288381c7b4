// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "gpu/core/floor_divide.hpp"
#include "gpu/core/lanes.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Means of a picture along lines, rays to a center, and arcs around it.
namespace cuda_filters::motion {

/// A direction along which pixels move: of a line the same for all of them, centered on each.
enum class Kind { linear, zoom, spin };

struct Repetition;

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
  /// How far a result looks from its pixel, at most, in an image of that size.
  Halo reach(Size image) const;
  /// How a line repeats, if it is long.
  std::optional<Repetition> repetition() const;
};

/// A straight line centered on a pixel. Steps go along the axis that it is less than 45 degrees
/// from; `slope` is how far it gets across that axis with each.
struct Direction {
  bool is_steep;  ///< steps go along y
  double slope;   ///< -1 to 1
  double steps;   ///< how many the line is long, not a whole number

  explicit Direction(const MotionSettings& settings);
  double begin() const { return -0.5 * steps; }
  double end() const { return 0.5 * steps; }
  /// How far it gets along and across that axis from one step to another, if it is at most `beside`
  /// next to the pixel.
  Halo reach(double from, double to, double beside) const;
};

/// A part of up to two parallel lines. What a line passes is the picture interpolated linearly
/// between the centers of its pixels: at each step at most four pixels across it have a weight.
struct Segment {
  static constexpr int width = 4;
  struct alignas(16) Weights {
    float of[width];
  };

  bool is_steep;
  int begin;               ///< the first step at which pixels count
  std::vector<int> first;  ///< for each step from there on, the first pixel across that may count
  std::vector<std::vector<Weights>> lines;  ///< for each line, of each step that pixel and the next

  /// From step `from` to step `to`. `beside`: how far next to the pixel each line is. The weights
  /// of a whole line are 1 together.
  Segment(const Direction& direction, std::span<const double> beside, double from, double to);
  /// A whole line.
  explicit Segment(const Direction& direction);

  int count() const { return static_cast<int>(first.size()); }
  /// How far across the line the farthest pixel is that counts.
  int reach_across() const;
};

/// A long line as the same piece of it again and again: what the pieces of a pixel pass is what one
/// piece passes of pixels that are whole numbers of pixels away, along and across. With each of
/// these the line drifts a little away from the centers of the pixels. So a piece is computed where
/// the first one lies and where the last one lies; those between are interpolated linearly.
struct Repetition {
  Direction direction;
  int steps, across;  ///< from one piece to the next, in pixels
  int count;          ///< of whole pieces; the first part of one follows
  double drift;       ///< how far the line gets away from the centers with each

  /// The cheapest repetition of that line, or none if going step by step is cheaper.
  static std::optional<Repetition> of(const Direction& direction);

  /// On how many lines a piece is computed: on two, or on one if the drift is negligible.
  int lines() const { return std::abs(count * drift) > negligible_drift ? 2 : 1; }
  Segment part() const { return segment(0.0, part_steps()); }
  Segment rest() const { return segment(part_steps(), steps); }
  /// How far from a pixel its farthest piece is.
  Halo reach_of_pieces() const;
  /// How far a piece looks from the pixel that it is about.
  Halo reach_of_piece() const;

  /// Whether it takes less than going along the lines of all pixels of an image of that size,
  /// although pieces are computed around it, too.
  bool pays(Size image) const;
  /// Bands of a processor are a few hundred rows high: around them more would be computed than
  /// pieces save, if these are far above and below their pixels.
  bool pays_on_processors() const { return reach_of_pieces().y <= 64; }

  /// How far apart the two lines may be, so that no result is off by more than a thousandth of what
  /// the pixels of a picture differ by.
  static constexpr double max_drift = 0.075;
  /// How far apart they would be, at most, where one line between them serves as well.
  static constexpr double negligible_drift = 0.0015;

  /// The piece in the middle is about the pixel itself.
  int middle() const { return count / 2; }

 private:
  /// What a pixel takes, in steps of a line.
  double cost() const;
  double part_steps() const {
    return std::min(direction.steps - static_cast<double>(count) * steps, double(steps));
  }
  double begin() const { return direction.begin() + static_cast<double>(middle()) * steps; }
  /// How far next to the pixel the pieces are computed.
  std::vector<double> beside() const;
  Segment segment(double from, double to) const;
};

/// The sum of a pixel's pieces, as a function for neighborhood() of pictures of these: of the part
/// of a piece, and of the whole of it, on one line or on both.
struct SumOfPieces {
  static constexpr bool by_channel = true;
  int x, y;  ///< from one piece to the next
  int count, middle;

  explicit SumOfPieces(const Repetition& repetition)
      : x{repetition.direction.is_steep ? repetition.across : repetition.steps},
        y{repetition.direction.is_steep ? repetition.steps : repetition.across},
        count{repetition.count},
        middle{repetition.middle()} {}

  template <class Around>
  HOST_DEVICE Pixel operator()(const Around& part, const Around& whole) const {
    Lanes sum = at(part, count);
    for (int i = 0; i < count; ++i) sum = sum + at(whole, i);
    return pixel_of(sum);
  }
  /// What is part of the last piece is on the last line.
  template <class Around>
  HOST_DEVICE Pixel operator()(const Around& part, const Around& on_first,
                               const Around& on_last) const {
    Lanes sum = at(part, count) + at(on_first, 0);
    for (int i = 1; i < count; ++i) {
      const float share = static_cast<float>(i) / static_cast<float>(count);
      sum = sum + at(on_first, i) * (1.0f - share) + at(on_last, i) * share;
    }
    return pixel_of(sum);
  }

 private:
  template <class Around>
  HOST_DEVICE Lanes at(const Around& picture, int piece) const {
    return lanes_of(picture((piece - middle) * x, (piece - middle) * y));
  }
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
  return floor_divide(index, size) * size;
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
  return static_cast<int>(ceil(8.0 + length + 24.0 * sqrt(length)));
}

/// How far a place is beyond the pixel before it, and where that is, from the pixel at (0, 0).
struct Place {
  int before;
  float beyond;  ///< 0 to 1, both included
  HOST_DEVICE explicit Place(float at) {
    // GPUs are slow to convert: up to 2^22, this sum has the nearest integer in its last bits.
    constexpr float offset = 0x1.8p23f;
    const float shifted = at - 0.5f + offset;
    before = static_cast<int>(exact::bits_of(shifted) - 0x4b400000u);
    beyond = at - (shifted - offset);
  }
};

}  // namespace cuda_filters::motion
