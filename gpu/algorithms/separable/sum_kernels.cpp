// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/sum_kernels.hpp"

#include "gpu/cpu/vectors.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

typedef float Quad __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));

inline Quad& quad_at(float* p) { return *reinterpret_cast<Quad*>(p); }
inline const Quad& quad_at(const float* p) { return *reinterpret_cast<const Quad*>(p); }

/// How many hold what there is of the weights of a tap.
constexpr int vectors = lanes / vector_lanes;
/// How many of them are summed up side by side.
constexpr int block = 8;

/// `count` vectors of sums, from out[i] on; a multiple of `vectors`.
template <int count>
inline void sum_block(const float* const* inputs, const float* weights, int taps, float* out,
                      std::size_t i) {
  Vector sums[count] = {};
  for (int t = 0; t < taps; ++t, weights += lanes) {
    const float* const in = inputs[t] + i;
    for (int k = 0; k < count; ++k)
      sums[k] = fused(at(weights + k % vectors * vector_lanes), at(in + k * vector_lanes), sums[k]);
  }
  for (int k = 0; k < count; ++k) at(out + i + k * vector_lanes) = sums[k];
}

void weighted_sum(const float* const* inputs, const float* weights, int taps, float* out,
                  std::size_t count) {
  std::size_t i = 0;
  for (; i + vector_lanes * block <= count; i += vector_lanes * block)
    sum_block<block>(inputs, weights, taps, out, i);
  for (; i < count; i += lanes) sum_block<vectors>(inputs, weights, taps, out, i);
}

/// The sum of the four quads of `vectors` vectors.
inline Quad sum_of_quads(const Vector* sums) {
  float all[lanes];
  for (int k = 0; k < vectors; ++k) at(all + k * vector_lanes) = sums[k];
  return (quad_at(all) + quad_at(all + 4)) + (quad_at(all + 8) + quad_at(all + 12));
}

void decimate_row(const float* pixels, const float* weights, int cells, float* out) {
  for (int cell = 0; cell < cells; ++cell) {
    const float* const in = pixels + std::size_t{lanes} * cell;
    Vector sums[vectors];
    for (int k = 0; k < vectors; ++k) {
      const auto term = [&](int tap) {
        const int first = tap * lanes + k * vector_lanes;
        return at(weights + first) * at(in + first);
      };
      Vector even = term(0), odd = term(1);
      for (int tap = 2; tap < 8; tap += 2) even += term(tap), odd += term(tap + 1);
      sums[k] = even + odd;
    }
    quad_at(out + std::size_t{4} * cell) = sum_of_quads(sums);
  }
}

void interpolate_row(const float* cells, const float* weights, int groups, float* out) {
  constexpr int reach = 8, max_groups = 64;
  float spread[lanes * (max_groups + reach)];  // every cell once for each pixel of a group
  for (int first = 0; first < groups; first += max_groups) {
    const int count = groups - first < max_groups ? groups - first : max_groups;
    for (int cell = 0; cell < count + reach; ++cell)
      for (int copy = 0; copy < 4; ++copy)
        quad_at(spread + lanes * cell + 4 * copy) =
            quad_at(cells + std::size_t{4} * (first + cell));
    for (int cell = 0; cell < count; ++cell)
      for (int k = 0; k < vectors; ++k) {
        const auto term = [&](int tap) {
          return at(weights + tap * lanes + k * vector_lanes) *
                 at(spread + (cell + tap) * lanes + k * vector_lanes);
        };
        Vector even = term(0), odd = {};
        for (int tap = 1; tap <= reach; tap += 2) odd += term(tap), even += term(tap + 1);
        at(out + std::size_t{lanes} * (first + cell) + k * vector_lanes) = even + odd;
      }
  }
}

constexpr int group = 16;  // box::block, whose header may not be included here

void group_sums(const float* const* before, const float* const* after, int head,
                const float* middle, float scale, float* const* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += vector_lanes) {
    Vector sums[group], sum = {};
    for (int k = 0; k < head; ++k) sum += at(before[k] + i);
    sums[group - 1] = sum;
    for (int j = group - 2; j >= 0; --j) sums[j] = sum += at(before[head + group - 2 - j] + i);
    sum = Vector{};
    for (int k = 0; k < head; ++k) sum += at(after[k] + i);
    const Vector inner = at(middle + i);
    at(out[0] + i) = (sums[0] + inner + sum) * scale;
    for (int j = 1; j < group; ++j) {
      sum += at(after[head + j - 1] + i);
      at(out[j] + i) = (sums[j] + inner + sum) * scale;
    }
  }
}

void group_sums_row(const float* left, const float* right, int head, const float* middles,
                    float scale, int groups, float* out) {
  for (int g = 0; g < groups; ++g) {
    const float* const first = left + std::size_t{4} * group * g;
    const float* const last = right + std::size_t{4} * group * g;
    float* const result = out + std::size_t{4} * group * g;
    Quad sums[group], sum = {};
    for (int i = group - 2 + head; i >= group - 1; --i) sum += quad_at(first + 4 * i);
    sums[group - 1] = sum;
    for (int i = group - 2; i >= 0; --i) sums[i] = sum += quad_at(first + 4 * i);
    sum = Quad{};
    for (int i = 1 - head; i <= 0; ++i) sum += quad_at(last + 4 * i);
    const Quad inner = quad_at(middles + std::size_t{4} * g);
    quad_at(result) = (sums[0] + inner + sum) * scale;
    for (int i = 1; i < group; ++i) {
      sum += quad_at(last + 4 * i);
      quad_at(result + 4 * i) = (sums[i] + inner + sum) * scale;
    }
  }
}

/// Each of the weights of four pixels for the channels of its own, from vector `k` of them.
template <int floats>
inline auto spread(Quad four, int k) {
  if constexpr (floats == 16)
    return __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  else if constexpr (floats == 8)
    return k == 0 ? __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1)
                  : __builtin_shufflevector(four, four, 2, 2, 2, 2, 3, 3, 3, 3);
  else
    return Quad{four[k], four[k], four[k], four[k]};
}

void resample_row(const float* pixels, int first, const IndexRange* windows, const float* weights,
                  int stride, int count, float* out) {
  for (int i = 0; i < count; ++i, weights += stride) {
    const float* in = pixels + std::size_t{4} * (windows[i].begin - first);
    const int taps = windows[i].end - windows[i].begin;
    Vector sums[vectors] = {};
    int t = 0;
    for (; t + 4 <= taps; t += 4)
      for (int k = 0; k < vectors; ++k)
        sums[k] +=
            spread<vector_lanes>(quad_at(weights + t), k) * at(in + 4 * t + k * vector_lanes);
    Quad sum = sum_of_quads(sums);
    for (; t < taps; ++t) sum += weights[t] * quad_at(in + 4 * t);
    quad_at(out + std::size_t{4} * i) = sum;
  }
}

}  // namespace

DEFINE_KERNELS(SumKernels, sum_kernels){weighted_sum, decimate_row,   interpolate_row,
                                        group_sums,   group_sums_row, resample_row};

}  // namespace cuda_filters::cpu
