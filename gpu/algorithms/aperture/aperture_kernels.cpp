// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/aperture/aperture_kernels.hpp"

#include "gpu/cpu/vectors.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

typedef float Quad __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));

inline Quad& quad_at(float* p) { return *reinterpret_cast<Quad*>(p); }
inline const Quad& quad_at(const float* p) { return *reinterpret_cast<const Quad*>(p); }

void spread(const float* row, int strip, int count, float* vectors) {
  for (int i = 0; i < count; ++i)
    for (int s = 0; s < vector_pixels; ++s)
      quad_at(vectors + std::ptrdiff_t{i} * vector_lanes + 4 * s) =
          quad_at(row + 4 * (i + std::ptrdiff_t{s} * strip));
}

void gather(const float* vectors, int strip, float scale, float* row) {
  for (int i = 0; i < strip; ++i)
    for (int s = 0; s < vector_pixels; ++s)
      quad_at(row + 4 * (i + std::ptrdiff_t{s} * strip)) =
          quad_at(vectors + std::ptrdiff_t{i} * vector_lanes + 4 * s) * scale;
}

/// Vectors side by side whose sums stay in registers.
constexpr int block = 2;
/// So many pairs are added up by themselves, so that rounding does not add up.
constexpr int pairs_of_part = 32;

/// Adds two rows to the sums of `block` vectors from column `i` on.
void add_block(const RowPair& of, int i) {
  constexpr std::ptrdiff_t column = vector_lanes, step = 2 * block * column;
  // What is read in the loops is no memory that they write to.
  const MirroredRow* const rows = of.weights;
  const float* const edges = of.edges;
  float* const pairs = of.pairs;
  float* const* const all_sums = of.sums;
  const int reach = of.reach, nearest = of.nearest, columns = rows[nearest].columns;
  for (int r = 0; r < 2; ++r) {
    const float* const middle = of.rows[r] + column * (of.reach_x + i);
    float* to = pairs + r * block * column;
    for (int c = 0; c < block; ++c) at(to + c * column) = at(middle + c * column);
    for (int j = 1; j < columns; ++j) {
      to += step;
      for (int c = 0; c < block; ++c)
        at(to + c * column) = at(middle + (c - j) * column) + at(middle + (c + j) * column);
    }
  }
  const Vector one = Vector{} + 1.0f;
  Vector done[2 * block]{}, part[2 * block]{}, sums[2 * block], before[2 * block]{};
  const float* next = pairs;
  int added = 0;
  for (int k = reach; k >= nearest; --k) {
    const MirroredRow row = rows[k];
    for (; added < row.full; next += step) {
#pragma GCC unroll 8
      for (int v = 0; v < 2 * block; ++v) part[v] += at(next + v * column);
      if (++added % pairs_of_part != 0) continue;
#pragma GCC unroll 8
      for (int v = 0; v < 2 * block; ++v) done[v] += part[v], part[v] = Vector{};
    }
#pragma GCC unroll 8
    for (int v = 0; v < 2 * block; ++v) sums[v] = fused(part[v], one, done[v]);
    const float* pair = pairs + row.begin * step;
    const float* weight = edges + row.weight;
    for (int j = row.begin; j < row.end; ++j, pair += step, ++weight) {
      const Vector w = Vector{} + *weight;
#pragma GCC unroll 8
      for (int v = 0; v < 2 * block; ++v) sums[v] = fused(at(pair + v * column), w, sums[v]);
    }
    // The first row as far above as the second one was below, one step before, and vice versa.
    float* const above = all_sums[reach - k] + column * i;
    float* const below = all_sums[reach + k + 1] + column * i;
#pragma GCC unroll 8
    for (int c = 0; c < block; ++c) {
      at(above + c * column) += sums[c] + before[block + c];
      at(below + c * column) += before[c] + sums[block + c];
    }
#pragma GCC unroll 8
    for (int v = 0; v < 2 * block; ++v) before[v] = sums[v];
  }
}

void add_rows(const RowPair& rows, int strip) {
  for (int i = 0; i < strip; i += block) add_block(rows, i);
}

}  // namespace

DEFINE_KERNELS(ApertureKernels, aperture_kernels){vector_pixels, block,  2 * block* vector_lanes,
                                                  spread,        gather, add_rows};

}  // namespace cuda_filters::cpu
