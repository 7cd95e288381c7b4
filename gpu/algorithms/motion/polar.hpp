// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <numbers>
#include <vector>

#include "gpu/algorithms/motion/motion.hpp"
#include "gpu/device.hpp"

/// Sums along the rays and arcs of zoom and spin, which pixels whose paths lie side by side share.
namespace cuda_filters::motion {

/// Pixels to the right and down: a place seen from the center, a direction, or a shift.
struct Vector {
  float x, y;
};
HOST_DEVICE static inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y}; }
HOST_DEVICE static inline Vector operator*(float scale, Vector v) {
  return {scale * v.x, scale * v.y};
}

/// Which end of a path: where it turns to from the x axis to the y axis, or the far one of a ray;
/// or the other one.
enum class PathEnd { far, near };

/// Pixels at nearly the same distance from the center. Their paths cross the same boundaries, from
/// which lines are summed up in both directions: arcs at equal distances from each other, or rays
/// at equal angles.
struct PolarRing {
  float inner, outer;  ///< distances from the center, the latter excluded
  float step;          ///< between points of a line: an angle, or a distance
  float spacing;       ///< of lines: a distance, or an angle
  int gaps;            ///< between the lines of a section, before refinement
  float refinement;    ///< lines are so many times as dense where arcs go along rows or columns
  int first_block;     ///< the number of its first one: blocks are numbered through all rings
};

/// Where a pixel is in its ring.
struct PolarPlace {
  int section;
  float line;  ///< how many lines are before it
  float far,
      near;  ///< how many steps its path goes from the boundary to its ends, neither negative
};

/// Some lines of a section of a ring.
struct PolarBlock {
  PolarRing ring;
  int section, first_line;
  float spacing;                         ///< of its lines: that of the ring, or a part of it
  float lines_per_unit, steps_per_unit;  ///< 1 / spacing, and 1 / ring.step
};

/// One end of a pixel's path among the points of the lines of a block.
struct PolarEnd {
  bool is_here;
  int line, step;     ///< before it, counted from the first of the block and of the points
  float beyond_line;  ///< how far the pixel is beyond the line
  float rest;         ///< how far the end is beyond the step
};

/// A slanted patch of pixels: those that may be nearest to some points of lines side by side.
struct Patch {
  int is_steep;        ///< whether it is longer along y: patches are passed on by words
  int first, count;    ///< along that axis
  int first_across;    ///< of the first of these, a pixel across it,
  float across;        ///< how far beyond that,
  float slope;         ///< and how much farther with each
  int width;           ///< how many pixels there are across
  Vector from, axis;   ///< of the middle: a place, and its direction
  float length, half;  ///< how long it is, and how far the patch goes beside it
  float margin;        ///< around these

  /// The first pixel across, of those so many after the first one along.
  HOST_DEVICE int across_at(int along) const {
    return first_across + static_cast<int>(floorf(across + static_cast<float>(along) * slope));
  }
  /// Whether a pixel may be one of them, after all.
  HOST_DEVICE bool is_near(Vector v) const {
    const float dx = v.x - from.x, dy = v.y - from.y;
    const float along = dx * axis.x + dy * axis.y, beside = dx * axis.y - dy * axis.x;
    return along >= -margin && along <= length + margin && fabsf(beside) <= half + margin;
  }
  /// Whether it may have pixels of an area.
  HOST_DEVICE bool meets(Rect area) const {
    const int begin = across_at(0), end = across_at(count - 1);
    const int low = begin < end ? begin : end, high = (begin < end ? end : begin) + width;
    const int x = is_steep ? low : first, y = is_steep ? first : low;
    const int right = is_steep ? high : first + count, bottom = is_steep ? first + count : high;
    return x < area.right() && area.x < right && y < area.bottom() && area.y < bottom;
  }
};

/// How an image is divided into rings, these into sections, and sections into blocks of lines.
///
/// Every path crosses a boundary of its ring: a circle that is the inner edge of the ring, or one
/// of some directions. Sums of lines start there, so that a path is what two of them have at its
/// ends, and no sum is subtracted from another one (as van Herk 1992 has it for minima of windows).
/// Between two lines they are interpolated linearly.
struct PolarGrid {
  double center_x, center_y;  ///< in pixels
  float extent;               ///< a share of the distance to the center, or an angle above 0
  bool turns;
  int sections;          ///< directions of boundaries, or quarters
  float section_angle;   ///< between two of them
  float least_distance;  ///< nearer pixels are not in any ring
  int ring_count, block_count;

  static constexpr int lines = 32;  ///< of a block: the first of the next one is its last
  static constexpr int depth = 16;  ///< points that are summed up at a time
  static constexpr float least_length = 112.0f;  ///< of a path, in pixels

  HOST_DEVICE Vector from_center(int x, int y) const {
    return {static_cast<float>(x - center_x), static_cast<float>(y - center_y)};
  }
  HOST_DEVICE static float distance(Vector v) { return sqrtf(v.x * v.x + v.y * v.y); }

  /// Whether the path of a pixel at that place is summed up by lines. Rays that stay within two
  /// rows or columns are not: where the interpolated picture has a kink, so might have all of the
  /// ray.
  HOST_DEVICE bool has(Vector v) const { return has(v, distance(v)); }
  HOST_DEVICE bool has(Vector v, float distance) const {
    if (ring_count == 0 || !(distance >= least_distance)) return false;
    return turns || extent * fminf(fabsf(v.x), fabsf(v.y)) >= 2.0f;
  }

  HOST_DEVICE float refinement(const PolarRing& ring, int section) const {
    if (ring.refinement == 1.0f) return 1.0f;
    const float angle = static_cast<float>(section) * section_angle, quarter = half_turn / 2.0f;
    return fabsf(angle - rintf(angle / quarter) * quarter) <= 1.01f * extent ? ring.refinement
                                                                             : 1.0f;
  }
  /// More than needed where a section has no refinement.
  HOST_DEVICE int blocks_of_section(const PolarRing& ring) const {
    return last_line(ring, ring.refinement) / (lines - 1) + 1;
  }
  /// The block with that number, of those of all rings.
  HOST_DEVICE PolarBlock block(const PolarRing* rings, int number) const {
    int i = 0;
    while (i + 1 < ring_count && rings[i + 1].first_block <= number) ++i;
    const PolarRing& ring = rings[i];
    const int own = number - ring.first_block, of_section = blocks_of_section(ring);
    const int section = own / of_section;
    const float spacing = ring.spacing / refinement(ring, section);
    return {ring,    section,        own % of_section * (lines - 1),
            spacing, 1.0f / spacing, 1.0f / ring.step};
  }
  /// Whether it has any lines, with pixels of an area between them: by a circle around these.
  HOST_DEVICE bool meets(const PolarBlock& block, Rect area) const {
    const PolarRing& ring = block.ring;
    if (block.first_line > last_line(ring, refinement(ring, block.section))) return false;
    const float half = 0.5f * (lines - 1), line = static_cast<float>(block.first_line) + half;
    const float middle =
        turns ? ring.inner + line * block.spacing : 0.5f * (ring.inner + ring.outer);
    const float beside = half * block.spacing * (turns ? 1.0f : ring.outer) + 1.0f;
    const float radius = beside + (turns ? 2.0f * (middle + beside) * sinf(0.25f * section_angle)
                                         : 0.5f * (ring.outer - ring.inner));
    return is_within(radius, middle * direction(block, line, PathEnd::far, 0.0f), area);
  }
  /// Whether all paths end at the boundary there: at the center.
  HOST_DEVICE bool is_at_boundary(PathEnd end) const {
    return !turns && end == PathEnd::near && extent >= 1.0f;
  }
  /// How many times `depth` points are needed from a boundary on, at most.
  HOST_DEVICE int chunks(const PolarRing& ring, PathEnd end) const {
    const float longest = turns                 ? 0.5f * (extent + section_angle) / ring.step
                          : end == PathEnd::far ? (ring.outer - ring.inner) / ring.step
                                                : extent * ring.inner / ring.step;
    return static_cast<int>(longest + 1.0f) / depth + 1;  // place() rounds in another way
  }

  /// Of a pixel of the block's ring, at that distance. Where it is in another section, its lines
  /// are not counted right.
  HOST_DEVICE PolarPlace place(const PolarBlock& block, Vector v, float distance) const {
    const PolarRing& ring = block.ring;
    PolarPlace place{};
    float far, near;
    if (turns) {
      const float angle = atan2f(v.y, v.x), turn = rintf(angle / section_angle);
      place.section = static_cast<int>(turn);
      if (place.section < 0) place.section += sections;
      const float rest = angle - turn * section_angle;
      place.line = (distance - ring.inner) * block.lines_per_unit;
      far = 0.5f * extent + rest, near = 0.5f * extent - rest;
    } else {
      const bool is_flat = fabsf(v.x) >= fabsf(v.y);
      place.section = is_flat ? (v.x > 0.0f ? 0 : 2) : (v.y > 0.0f ? 1 : 3);
      const float angle = is_flat ? atanf(v.y / v.x) : -atanf(v.x / v.y);
      place.line = (angle + 0.5f * section_angle) * block.lines_per_unit;
      far = distance - ring.inner;
      near = ring.inner - (1.0f - extent) * distance;
    }
    far *= block.steps_per_unit, near *= block.steps_per_unit;
    place.line = place.line > 0.0f ? place.line : 0.0f;
    place.far = far > 0.0f ? far : 0.0f, place.near = near > 0.0f ? near : 0.0f;
    return place;
  }

  /// Whether an end of a pixel of the block's ring is among `depth` points.
  HOST_DEVICE PolarEnd end(const PolarBlock& block, Vector v, float distance, PathEnd end,
                           int chunk) const {
    const PolarPlace at = place(block, v, distance);
    const float steps = end == PathEnd::far ? at.far : at.near;
    const int whole_line = static_cast<int>(at.line), whole_step = static_cast<int>(steps);
    const int line = whole_line - block.first_line, step = whole_step - chunk * depth;
    const bool is_here =
        at.section == block.section && line >= 0 && line < lines - 1 && step >= 0 && step < depth;
    return {is_here, line, step, at.line - static_cast<float>(whole_line),
            steps - static_cast<float>(whole_step)};
  }

  /// Where points lie that are so many steps from the boundary: those of an arc in the same
  /// direction on all lines, those of rays in the same one all along a line. The other of both
  /// numbers does not matter.
  HOST_DEVICE Vector direction(const PolarBlock& block, float line, PathEnd end,
                               float steps) const {
    if (turns)
      return direction_of(static_cast<float>(block.section) * section_angle +
                          sign_of(end) * steps * block.ring.step);
    const Vector v = direction_of(line * block.spacing - 0.5f * section_angle);
    switch (block.section) {
      case 0:
        return v;
      case 1:
        return {-v.y, v.x};
      case 2:
        return {-v.x, -v.y};
      default:
        return {v.y, -v.x};
    }
  }
  /// How far from the center they are.
  HOST_DEVICE float distance(const PolarBlock& block, float line, PathEnd end, float steps) const {
    return block.ring.inner +
           (turns ? line * block.spacing : sign_of(end) * steps * block.ring.step);
  }
  /// From a point of a line to the one so many steps farther away from the boundary, as shares of
  /// two directions: that of a ray and none, or the point itself and that turned by 90 degrees.
  HOST_DEVICE Vector shift(const PolarRing& ring, PathEnd end, float steps) const {
    const float shift = sign_of(end) * steps * ring.step;
    if (!turns) return {shift, 0.0f};
    const float half = sinf(0.5f * shift);
    return {-2.0f * half * half, sinf(shift)};
  }
  /// From a pixel to the middle of what its path has beyond a whole number of steps, `rest` of one.
  HOST_DEVICE Vector in_rest(const PolarRing& ring, Vector v, float distance, PathEnd end,
                             float rest) const {
    const float back = 0.5f * rest * ring.step;
    if (!turns) return (end == PathEnd::far ? -back / distance : back / distance - extent) * v;
    const float angle = sign_of(end) * (0.5f * extent - back);
    const float half = sinf(0.5f * angle), s = sinf(angle);
    return -2.0f * half * half * v + s * Vector{-v.y, v.x};
  }
  /// What a step is of a path.
  HOST_DEVICE float share(const PolarRing& ring, float distance) const {
    return turns ? ring.step / extent : ring.step / (extent * distance);
  }

  /// The pixels whose paths may end among `depth` points, of those between the lines of a block.
  HOST_DEVICE Patch patch(const PolarBlock& block, PathEnd end, int chunk) const {
    const float line = static_cast<float>(block.first_line) + 0.5f * (lines - 1);
    const Vector from = pixel_at(block, line, end, static_cast<float>(chunk * depth)),
                 to = pixel_at(block, line, end, static_cast<float>((chunk + 1) * depth));
    const float far = fmaxf(distance(from), distance(to));
    const float half = 0.5f * (lines - 1) * block.spacing * (turns ? 1.0f : far);
    const float dx = to.x - from.x, dy = to.y - from.y;
    Patch patch{};
    patch.from = from, patch.half = half;
    patch.length = distance({dx, dy});
    // For rounding, of places and of angles, and twice what an arc is beside a straight line.
    patch.margin = 0.1f + 2e-6f * far + (turns ? patch.length * patch.length / (4.0f * far) : 0.0f);
    if (patch.length > 0.0f) patch.axis = 1.0f / patch.length * Vector{dx, dy};
    patch.is_steep = fabsf(dy) > fabsf(dx);
    const float along = patch.is_steep ? dy : dx, across = patch.is_steep ? dx : dy;
    patch.slope = along == 0.0f ? 0.0f : across / along;
    const double begin = patch.is_steep ? center_y + from.y : center_x + from.x;
    const double origin = patch.is_steep ? center_x + from.x : center_y + from.y;
    const double last = begin + along, margin = half + patch.margin + 0.5;
    patch.first = static_cast<int>(floor(fmin(begin, last) - margin));
    patch.count = static_cast<int>(ceil(fmax(begin, last) + margin)) - patch.first + 1;
    patch.width = static_cast<int>(2.0f * half * sqrtf(1.0f + patch.slope * patch.slope)) + 4;
    const double first = origin + (patch.first - begin) * patch.slope - 0.5 * (patch.width - 1);
    patch.first_across = static_cast<int>(floor(first));
    patch.across = static_cast<float>(first - patch.first_across);
    return patch;
  }

  /// Whether some patches may have pixels of an area, likewise.
  HOST_DEVICE bool meets(const PolarBlock& block, PathEnd end, int first_chunk, int chunk_count,
                         Rect area) const {
    const float half = 0.5f * (lines - 1), line = static_cast<float>(block.first_line) + half;
    const auto steps = 0.5f * static_cast<float>(chunk_count * depth);
    const Vector v = pixel_at(block, line, end, static_cast<float>(first_chunk * depth) + steps);
    const float beside = half * block.spacing * (turns ? 1.0f : block.ring.outer) + 1.0f;
    const float shift = steps * block.ring.step;
    const float along = turns                 ? shift * (distance(v) + beside)
                        : end == PathEnd::far ? shift
                                              : shift / (1.0f - extent);
    return is_within(along + beside, v, area);
  }

  static constexpr float half_turn = std::numbers::pi_v<float>;

 private:
  /// One more than there are, for what rounding puts there.
  HOST_DEVICE static int last_line(const PolarRing& ring, float refinement) {
    return static_cast<int>(static_cast<float>(ring.gaps) * refinement) + 1;
  }
  /// How far a place is beside a range of pixels.
  HOST_DEVICE static double beyond(double at, int begin, int end) {
    return fmax(fmax(begin - at, at - (end - 1)), 0.0);
  }
  /// Whether an area may be less than that away from a place.
  HOST_DEVICE bool is_within(float radius, Vector v, Rect area) const {
    const double x = beyond(center_x + v.x, area.x, area.right()),
                 y = beyond(center_y + v.y, area.y, area.bottom());
    return x * x + y * y <= static_cast<double>(radius) * radius;
  }
  HOST_DEVICE static float sign_of(PathEnd end) { return end == PathEnd::far ? 1.0f : -1.0f; }
  HOST_DEVICE static Vector direction_of(float angle) { return {cosf(angle), sinf(angle)}; }

  /// The pixel whose path ends there.
  HOST_DEVICE Vector pixel_at(const PolarBlock& block, float line, PathEnd end, float steps) const {
    const PolarRing& ring = block.ring;
    if (turns)  // half of the arc away, back towards the boundary or beyond it
      return distance(block, line, end, steps) *
             direction(block, line, end, steps - 0.5f * extent / ring.step);
    const float last = distance(block, line, end, steps);
    const float own = end == PathEnd::far ? last : last / (1.0f - extent);
    return fminf(fmaxf(own, ring.inner), ring.outer) * direction(block, line, end, steps);
  }
};

/// A grid and its rings.
struct PolarRings {
  PolarGrid grid{};
  std::vector<PolarRing> rings;  ///< the outermost first

  /// Without rings if the image is narrow or low, if all paths are short, or if hardly any pixels
  /// share a line.
  PolarRings(const Paths& paths, Size image);
};

}  // namespace cuda_filters::motion
