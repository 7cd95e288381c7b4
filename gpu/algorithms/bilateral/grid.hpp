// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/core/floor_divide.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// A bilateral grid (Chen, Paris and Durand, Real-time edge-aware image processing with the
/// bilateral grid, 2007) for differences of one value a pixel, whose results are near the sum over
/// the disc: README.md says how near.
///
/// Nodes are values of the guide, at multiples of `spacing`; for each, pixels count by the exact
/// weight of their difference from it. Cells are squares of `step` pixels, counted from the image's
/// first pixel. What cells are made of pixels by, and pixels of cells, are quadratic B-splines,
/// whose variance is the same wherever a pixel stands.
namespace cuda_filters::bilateral {

/// A pixel's mean is mixed from those of so many nodes around its value.
inline constexpr int mixed_nodes = 6, nodes_before = 2;
/// The weights of that are tabulated at so many places between two nodes, and at both ends.
inline constexpr int mixing_steps = 256;
/// Values have bins between two nodes each; those that lie in none are summed up directly.
inline constexpr int first_bin = -512, bin_count = 2048, no_bin = first_bin - 1;
/// So many nodes are in memory at a time.
inline constexpr int nodes_at_once = 8;
/// Where all weights together are less than this share of the disc's, they are summed up directly,
/// and up to that many times as much both results count.
inline constexpr float least_share = 0.025f, trusted_from = 1.5f;

/// What kernels know of a grid.
struct Grid {
  int step;              ///< pixels of a cell along an axis
  int reach;             ///< of the kernel, in cells
  float range;           ///< log₂(e) / 2ρ²
  float spacing;         ///< of the nodes
  float nodes_per_unit;  ///< 1 / spacing
  float least;           ///< the least sum of weights that is precise enough
  const float* spline;   ///< of the 3 · step pixels of a cell and its neighbors
  const float* kernel;   ///< rows of 2 · reach + 1 weights, by the distance of the rows
  const int* ends;       ///< how far each of them reaches
  const float* mixing;   ///< `mixed_nodes` at each place

  HOST_DEVICE int cell(int x) const { return floor_divide(x, step); }
  /// The weights of the cells before, at, and after the one that x stands in: at [0], [step] and
  /// [2 · step], from the last to the first.
  HOST_DEVICE const float* spline_at(int x) const { return spline + (x - cell(x) * step); }
  HOST_DEVICE float node(int number) const { return static_cast<float>(number) * spacing; }
  /// Where a value lies among the nodes: the one before is the bin's number.
  HOST_DEVICE float place(float value) const { return value * nodes_per_unit; }
  HOST_DEVICE static int bin(float place) {
    const bool in_one =
        place >= static_cast<float>(first_bin) && place < static_cast<float>(first_bin + bin_count);
    return in_one ? static_cast<int>(std::floor(place)) : no_bin;
  }
  /// How much node number `n` of those that a pixel's mean is mixed from counts.
  struct Mixing {
    const float* at;
    float rest;
    HOST_DEVICE float operator[](int n) const {
      return at[n] + rest * (at[n + mixed_nodes] - at[n]);
    }
  };
  HOST_DEVICE Mixing mixing_at(float place, int bin) const {
    const float steps = (place - static_cast<float>(bin)) * mixing_steps;
    const int i = static_cast<int>(steps) < mixing_steps ? static_cast<int>(steps)  //
                                                         : mixing_steps - 1;
    return {mixing + i * mixed_nodes, steps - static_cast<float>(i)};
  }
  /// From 0, where the sum over the disc is the result, to 1, where the grid's is, by a sum of
  /// weights.
  HOST_DEVICE float trust(float weight) const {
    const float share = (weight - least) * quotient(1.0f, (trusted_from - 1.0f) * least);
    return share > 0.0f ? (share < 1.0f ? share : 1.0f) : share <= 0.0f ? 0.0f : 1.0f;
  }
};

/// A grid and its tables.
struct GridPlan {
  int step = 0, reach = 0;
  float range = 0.0f, spacing = 0.0f, least = 0.0f;
  std::vector<float> spline, kernel, mixing;
  std::vector<int> ends;

  GridPlan() = default;
  GridPlan(double std_dev, double range_std_dev);

  /// Whether there is one: the standard deviations are large enough.
  explicit operator bool() const { return step > 0; }
  /// How far from a pixel its result looks.
  int halo() const { return (reach + 3) * step - 1; }
  /// As Plan::cost, of values from 0 to 1, of which `sums` are computed.
  double cost(int sums) const;
  /// Whether it takes less time than what costs so much for each pixel of an image of that size:
  /// it computes what surrounds them, too.
  bool pays(Size image, double other_cost, int sums) const;
  /// With the tables where an executor has them.
  Grid with(const float* spline_at, const float* kernel_at, const int* ends_at,
            const float* mixing_at) const {
    return {step,  reach,     range,     spacing, 1.0f / spacing,
            least, spline_at, kernel_at, ends_at, mixing_at};
  }
};

/// The nodes that the values in some bins need, and where in the list those of a bin begin.
struct Nodes {
  std::vector<int> numbers;
  std::vector<int> first_of_bin;  ///< by the number of the bin, from 0

  /// `found`: for each bin whether there is a value in it.
  explicit Nodes(const std::uint8_t* found);
};

}  // namespace cuda_filters::bilateral
