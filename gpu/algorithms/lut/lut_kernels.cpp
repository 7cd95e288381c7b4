// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/lut_kernels.hpp"

#include "gpu/core/lanes.hpp"
#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

using lut::Axes;
using lut::Interpolation;
using lut::LutSettings;

/// So many pixels are computed at a time: where they lie in vectors of pixels, what they become in
/// vectors of colors.
constexpr int block = 64;

using Floats = float[block];
using Indices = int[block];

inline Integers& at(int* p) { return *reinterpret_cast<Integers*>(p); }

/// As lut::place(), of a vector of values of color c.
struct Places {
  Integers cells;
  Vector fractions;
};
inline Places places(Vector values, const Axes& axes, int c) {
  const Vector node = (values - axes.min[c]) * axes.scale[c];
  const Vector last = Vector{} + static_cast<float>(axes.size - 1);
  const Vector above = node > 0.0f ? node : Vector{};
  const Vector inside = above < last ? above : last;
  const Integers cell = __builtin_convertvector(inside, Integers);
  const Integers before_last = Integers{} + (axes.size - 2);
  const Integers before = cell < before_last ? cell : before_last;
  return {before, inside - __builtin_convertvector(before, Vector)};
}

void apply_curves(const LutSettings& settings, const Pixel* curves, int count, Floats* colors) {
  for (int c = 0; c < 3; ++c) {
    Indices cells;
    Floats fractions;
    for (int i = 0; i < count; i += vector_lanes) {
      const Places found = places(at(colors[c] + i), settings.curves, c);
      at(cells + i) = found.cells, at(fractions + i) = found.fractions;
    }
    const float* const curve = reinterpret_cast<const float*>(curves) + c;
    for (int i = 0; i < count; ++i) {
      const float* const node = curve + 4 * cells[i];
      colors[c][i] = lut::mixed(node[0], node[4], fractions[i]);
    }
  }
}

/// The four nodes whose weighted sum a color is, as lut::tetrahedral() finds them.
struct Corners {
  Indices nodes[4];
  Floats weights[4];
};
void find_corners(const Axes& axes, const Floats* colors, int count, Corners& corners) {
  const int down = axes.size, behind = axes.size * axes.size, beyond = 1 + down + behind;
  const Integers steps[3] = {Integers{} + 1, Integers{} + down, Integers{} + behind};
  for (int i = 0; i < count; i += vector_lanes) {
    const auto [r, x] = places(at(colors[0] + i), axes, 0);
    const auto [g, y] = places(at(colors[1] + i), axes, 1);
    const auto [b, z] = places(at(colors[2] + i), axes, 2);
    const Vector low = x < y ? x : y, high = x < y ? y : x;
    const Vector largest = high > z ? high : z, least = low < z ? low : z;
    const Vector between = low > z ? low : high < z ? high : z;
    const Integers first = high >= z ? (x >= y ? steps[0] : steps[1]) : steps[2];
    const Integers last = low < z ? (x < y ? steps[0] : steps[1]) : steps[2];
    const Integers begin = r + down * g + behind * b;
    at(corners.nodes[0] + i) = begin, at(corners.nodes[1] + i) = begin + first;
    at(corners.nodes[2] + i) = begin + beyond - last, at(corners.nodes[3] + i) = begin + beyond;
    at(corners.weights[0] + i) = 1.0f - largest;
    at(corners.weights[1] + i) = largest - between;
    at(corners.weights[2] + i) = between - least;
    at(corners.weights[3] + i) = least;
  }
}

/// The first node of each cell, and how far behind it each color lies.
struct Cells {
  Indices nodes;
  Floats fractions[3];
};
void find_cells(const Axes& axes, const Floats* colors, int count, Cells& cells) {
  for (int i = 0; i < count; i += vector_lanes) {
    Integers node{};
    for (int c = 2; c >= 0; --c) {
      const Places found = places(at(colors[c] + i), axes, c);
      node = node * axes.size + found.cells;
      at(cells.fractions[c] + i) = found.fractions;
    }
    at(cells.nodes + i) = node;
  }
}

inline Lanes mixed(Lanes a, Lanes b, float fraction) {
  return a * (1.0f - fraction) + b * fraction;
}

/// Writes what the table says of a pixel.
inline void put(const LutSettings& settings, Lanes color, float* pixel) {
  const float alpha = pixel[3];
  if (settings.gray) color = splat(luminance(pixel_of(color)));
  Lanes& to = *reinterpret_cast<Lanes*>(pixel);
  to = settings.amount < 1.0f ? mixed(to, color, settings.amount) : color;
  pixel[3] = alpha;
}

void apply_block(const LutSettings& settings, const Pixel* curves, const Pixel* cube, int count,
                 float* pixels) {
  alignas(64) Floats colors[3] = {};
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) colors[c][i] = pixels[4 * i + c];
  if (settings.curves.size > 0) apply_curves(settings, curves, count, colors);
  const auto node = [&](int i) { return lanes_of(cube[i]); };
  if (settings.cube.size == 0) {
    for (int i = 0; i < count; ++i)
      put(settings, Lanes{colors[0][i], colors[1][i], colors[2][i]}, pixels + 4 * i);
  } else if (settings.interpolation == Interpolation::tetrahedral) {
    alignas(64) Corners corners;
    find_corners(settings.cube, colors, count, corners);
    const auto& [nodes, weights] = corners;
    for (int i = 0; i < count; ++i)
      put(settings,
          (node(nodes[0][i]) * weights[0][i] + node(nodes[1][i]) * weights[1][i]) +
              (node(nodes[2][i]) * weights[2][i] + node(nodes[3][i]) * weights[3][i]),
          pixels + 4 * i);
  } else {
    alignas(64) Cells cells;
    find_cells(settings.cube, colors, count, cells);
    const int down = settings.cube.size, behind = down * down;
    for (int i = 0; i < count; ++i) {
      const auto row = [&](int first) {
        return mixed(node(first), node(first + 1), cells.fractions[0][i]);
      };
      const auto square = [&](int first) {
        return mixed(row(first), row(first + down), cells.fractions[1][i]);
      };
      const int first = cells.nodes[i];
      put(settings, mixed(square(first), square(first + behind), cells.fractions[2][i]),
          pixels + 4 * i);
    }
  }
}

void apply(const LutSettings& settings, const Pixel* curves, const Pixel* cube, int count,
           float* pixels) {
  for (int first = 0; first < count; first += block)
    apply_block(settings, curves, cube, count - first < block ? count - first : block,
                pixels + 4 * first);
}

}  // namespace

DEFINE_KERNELS(LutKernels, lut_kernels){apply};

}  // namespace cuda_filters::cpu
