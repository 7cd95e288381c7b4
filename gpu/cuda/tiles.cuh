// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"

namespace cuda_filters::cuda {

/// Cuts an area into tiles, one a block; the grid has one dimension, which has room for all.
struct Tiles {
  Rect area;
  int width, height;  ///< of a tile

  __host__ __device__ int across() const { return (area.width + width - 1) / width; }
  __host__ __device__ unsigned count() const {
    return static_cast<unsigned>(across()) *
           static_cast<unsigned>((area.height + height - 1) / height);
  }
  /// The first pixel of a tile.
  __device__ int x(unsigned tile) const {
    return area.x + static_cast<int>(tile % across()) * width;
  }
  __device__ int y(unsigned tile) const {
    return area.y + static_cast<int>(tile / across()) * height;
  }
};

/// Where pixel i of a row lies in shared memory, so that threads that are 4 or 8 pixels apart read
/// from different banks.
__host__ __device__ inline int spread(int i) { return i + (i >> 3); }

__device__ inline void add(Pixel& sum, Pixel p, float weight, float alpha_weight) {
  sum.r = fmaf(weight, p.r, sum.r);
  sum.g = fmaf(weight, p.g, sum.g);
  sum.b = fmaf(weight, p.b, sum.b);
  sum.a = fmaf(alpha_weight, p.a, sum.a);
}

}  // namespace cuda_filters::cuda
