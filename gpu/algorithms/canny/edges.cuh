// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/canny/canny.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// Canny's edges on a GPU. A tile of 64 × 32 pixels is one 64-bit word a row: one warp holds it, one
// row a lane, and a few instructions flood all of it from any number of seeds. Components that hold
// a strong pixel, or that do not reach the tile's rim, are settled there. The others become nodes
// of a union-find over the whole band, and a last flood carries what it finds back into the tiles.

namespace cuda_filters::cuda::edges {

using Word = unsigned long long;

constexpr int tile_width = 64, tile_height = 32;

/// Components of a tile that reach its rim, at most: no two of its 188 pixels touch.
constexpr int max_nodes = 96;
/// What the rim says of a pixel: nothing, the number of an open component + 1, or settled.
constexpr unsigned char rim_none = 0, rim_strong = 255;

/// The pixels along the four sides of a tile.
struct Rim {
  unsigned char top[tile_width], bottom[tile_width], left[tile_height], right[tile_height];
};

/// What is kept of a band while it is computed.
struct Edges {
  Tiles tiles;
  Word* found;  ///< by tile and row: a bit for a pixel with a class
  /// By tile and row: a bit for a strong pixel; after join_components() for one of a settled
  /// component.
  Word* strong;
  Rim* rims;                 ///< by tile
  int* parents;              ///< by tile and number: the union-find
  unsigned char* is_strong;  ///< by node

  /// The row of a tile that is the last one with pixels.
  __device__ int last_row(unsigned tile) const {
    return min(tile_height, tiles.area.bottom() - tiles.y(tile)) - 1;
  }
};

/// All runs of `mask` that hold a bit of `seeds`, which are bits of it: a carry runs through each.
__device__ inline Word filled_runs(Word mask, Word seeds) {
  const Word up = (mask & ~(mask + seeds)) | seeds;
  const Word turned = __brevll(mask), turned_up = __brevll(up);
  return __brevll((turned & ~(turned + turned_up)) | turned_up);
}

/// Everything in the warp's tile that is 8-connected to `seeds` through `mask`; one row a lane.
__device__ inline Word flooded(Word mask, Word seeds) {
  Word fill = filled_runs(mask, seeds);
  for (;;) {
    const Word beside = warp::from_lane_before(fill, 1) | warp::from_lane_after(fill, 1);
    const Word reached = fill | ((beside | beside << 1 | beside >> 1) & mask);
    const bool changed = reached != fill;
    if (!warp::any(changed)) return fill;
    if (changed) fill = filled_runs(mask, reached);
  }
}

constexpr int warps_per_block = 4;

/// The root of a node of the union-find.
__device__ inline int find(int* parents, int node) {
  volatile int* at = parents;
  for (int parent = at[node]; parent != node;) {
    const int next = at[parent];
    if (next != parent) at[node] = next;  // only ever nearer to the root
    node = parent, parent = next;
  }
  return node;
}

/// Finds the classes of the pixels of a band: edges.found and edges.strong.
void classify(cudaStream_t stream, const Input& in, const canny::CannySettings& settings,
              const Edges& edges);

/// Joins pixels of a class to components: fills in `rims`, `parents` and `is_strong`, and makes
/// `strong` what belongs to settled components.
void join_components(cudaStream_t stream, const Edges& edges);

/// Makes the components of these labels strong.
void promote(cudaStream_t stream, const Edges& edges, const int* labels, int count);

/// Writes the codes of the band's first row and of its last one, on the device. Settled components
/// share one label: they are strong, whether they are joined or not.
void describe_end_rows(cudaStream_t stream, const Edges& edges, std::uint32_t* first,
                       std::uint32_t* last);

}  // namespace cuda_filters::cuda::edges
