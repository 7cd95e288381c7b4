// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "gpu/core/luminance.hpp"
#include "gpu/device.hpp"

namespace cuda_filters::lut {

/// How a color between the nodes of a cube is found: from 4 of the 8 nodes around it or from all.
enum class Interpolation { tetrahedral, trilinear };

/// How many nodes an axis of a cube and a curve may have.
inline constexpr int largest_cube = 256, largest_curve = 65536;

/// A table of colors at nodes that lie evenly on each axis from `min` to `max`; none if `size` is
/// 0. Alpha is 0.
struct Stage {
  int size = 0;
  std::array<float, 3> min{0.0f, 0.0f, 0.0f}, max{1.0f, 1.0f, 1.0f};
  std::vector<Pixel> nodes{};
};

/// A color lookup table: a curve for each color, a cube of all colors, or both, the curves first.
/// Red counts fastest in the cube.
struct Lut {
  Stage curves, cube;
};

/// The axes of a stage as they are computed with: value v lies at node (v - min) · scale.
struct Axes {
  float min[3], scale[3];
  int size;
};
inline Axes axes_of(const Stage& stage) {
  Axes axes{{}, {}, stage.size};
  for (int c = 0; c < 3; ++c) {
    axes.min[c] = stage.min[c];
    axes.scale[c] =
        static_cast<float>((stage.size - 1) / (double{stage.max[c]} - double{stage.min[c]}));
  }
  return axes;
}

/// What a run makes of a color, apart from the nodes.
struct LutSettings {
  Axes curves, cube;
  Interpolation interpolation;
  float amount;  ///< 0: none of the table's colors, 1: nothing else
  bool gray;     ///< the picture is gray, and becomes the luma of what the table says
};

/// A place between the nodes `cell` and `cell` + 1. Values outside of the domain, and NaN, are at
/// an end.
struct Place {
  int cell;
  float fraction;
};
HOST_DEVICE static inline Place place(float value, const Axes& axes, int c) {
  const float node = (value - axes.min[c]) * axes.scale[c];
  const float last = static_cast<float>(axes.size - 1), above = node > 0.0f ? node : 0.0f;
  const float inside = above < last ? above : last;
  const int cell = static_cast<int>(inside);
  const int before = cell < axes.size - 2 ? cell : axes.size - 2;
  return {before, inside - static_cast<float>(before)};
}

HOST_DEVICE static inline float mixed(float a, float b, float fraction) {
  return a * (1.0f - fraction) + b * fraction;
}
HOST_DEVICE static inline Pixel mixed(const Pixel& a, const Pixel& b, float fraction) {
  return a * (1.0f - fraction) + b * fraction;
}

/// A cube's color there: `nodes[i]` is node number i.
template <class Nodes>
HOST_DEVICE static inline Pixel trilinear(const Nodes& nodes, int size, Place r, Place g, Place b) {
  const int down = size, behind = size * size, at = r.cell + down * g.cell + behind * b.cell;
  const auto row = [&](int i) { return mixed(nodes[i], nodes[i + 1], r.fraction); };
  return mixed(mixed(row(at), row(at + down), g.fraction),
               mixed(row(at + behind), row(at + behind + down), g.fraction), b.fraction);
}

/// The cell is cut into six tetrahedra, all of which have its first and its last node: from the
/// first one, go along the axis of the largest fraction, then along that of the second.
template <class Nodes>
HOST_DEVICE static inline Pixel tetrahedral(const Nodes& nodes, int size, Place r, Place g,
                                            Place b) {
  const int down = size, behind = size * size, at = r.cell + down * g.cell + behind * b.cell;
  const float x = r.fraction, y = g.fraction, z = b.fraction;
  const float low = x < y ? x : y, high = x < y ? y : x;
  const float largest = high > z ? high : z, least = low < z ? low : z;
  const float between = low > z ? low : high < z ? high : z;
  const int first = x >= y ? (x >= z ? 1 : behind) : (y >= z ? down : behind);
  const int last = x < y ? (x < z ? 1 : behind) : (y < z ? down : behind);
  const int end = at + 1 + down + behind;
  const Pixel a = nodes[at], p = nodes[at + first], q = nodes[end - last], o = nodes[end];
  return (a * (1.0f - largest) + p * (largest - between)) + (q * (between - least) + o * least);
}

/// What a run makes of a pixel; alpha stays.
template <class Nodes>
HOST_DEVICE static inline Pixel changed(const LutSettings& settings, const Nodes& curves,
                                        const Nodes& cube, Pixel p) {
  Pixel color = p;
  if (settings.curves.size > 0) {
    const Place r = place(color.r, settings.curves, 0), g = place(color.g, settings.curves, 1),
                b = place(color.b, settings.curves, 2);
    color.r = mixed(curves[r.cell].r, curves[r.cell + 1].r, r.fraction);
    color.g = mixed(curves[g.cell].g, curves[g.cell + 1].g, g.fraction);
    color.b = mixed(curves[b.cell].b, curves[b.cell + 1].b, b.fraction);
  }
  if (settings.cube.size > 0) {
    const Place r = place(color.r, settings.cube, 0), g = place(color.g, settings.cube, 1),
                b = place(color.b, settings.cube, 2);
    color = settings.interpolation == Interpolation::tetrahedral
                ? tetrahedral(cube, settings.cube.size, r, g, b)
                : trilinear(cube, settings.cube.size, r, g, b);
  }
  if (settings.gray) color.r = color.g = color.b = luminance(color);
  // Of infinity, no share must be taken where it counts nothing.
  if (settings.amount < 1.0f) color = mixed(p, color, settings.amount);
  color.a = p.a;
  return color;
}

}  // namespace cuda_filters::lut
