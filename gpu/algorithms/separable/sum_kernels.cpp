// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/sum_kernels.hpp"

#include "gpu/cpu/vectors.hpp"

// Compiled several times, as gpu/cpu/kernels.cpp is, and with nothing but the table that may have
// external linkage.

#define CONCATENATE(a, b) a##b
#define NAME_OF(level) CONCATENATE(sum_kernels_, level)

namespace cuda_filters::cpu {
namespace {

typedef float Quad __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));

#if defined(__AVX512F__)
constexpr int block = 8;
#elif defined(__AVX2__)
constexpr int block = 4;
#else
constexpr int block = 2;
#endif

inline Quad& quad_at(float* p) { return *reinterpret_cast<Quad*>(p); }
inline const Quad& quad_at(const float* p) { return *reinterpret_cast<const Quad*>(p); }

template <int vectors>
inline void sum_block(const float* const* inputs, const float* weights, int taps, float* out,
                      std::size_t i) {
  Vector sums[vectors] = {};
  for (int t = 0; t < taps; ++t) {
    const Vector weight = at(weights + std::size_t{lanes} * t);
    const float* in = inputs[t] + i;
    for (int v = 0; v < vectors; ++v) sums[v] += weight * at(in + lanes * v);
  }
  for (int v = 0; v < vectors; ++v) at(out + i + lanes * v) = sums[v];
}

void weighted_sum(const float* const* inputs, const float* weights, int taps, float* out,
                  std::size_t count) {
  std::size_t i = 0;
  for (; i + lanes * block <= count; i += lanes * block)
    sum_block<block>(inputs, weights, taps, out, i);
  for (; i < count; i += lanes) sum_block<1>(inputs, weights, taps, out, i);
}

inline Quad sum_of_quads(Vector sum) {
  const Quad low =
      __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  const Quad high = __builtin_shufflevector(sum, sum, 8, 9, 10, 11) +
                    __builtin_shufflevector(sum, sum, 12, 13, 14, 15);
  return low + high;
}

void decimate_row(const float* pixels, const float* weights, int cells, float* out) {
  Vector tap[8];
  for (int j = 0; j < 8; ++j) tap[j] = at(weights + lanes * j);
  for (int k = 0; k < cells; ++k) {
    const float* in = pixels + std::size_t{lanes} * k;
    Vector even = tap[0] * at(in);
    Vector odd = tap[1] * at(in + lanes);
    for (int j = 2; j < 8; j += 2) {
      even += tap[j] * at(in + lanes * j);
      odd += tap[j + 1] * at(in + lanes * (j + 1));
    }
    const Vector sum = even + odd;
    quad_at(out + std::size_t{4} * k) = sum_of_quads(sum);
  }
}

void interpolate_row(const float* cells, const float* weights, int groups, float* out) {
  constexpr int reach = 8, max_groups = 64;
  Vector tap[reach + 1];
  for (int j = 0; j <= reach; ++j) tap[j] = at(weights + lanes * j);
  float spread[lanes * (max_groups + reach)];  // every cell once for each pixel of a group
  for (int first = 0; first < groups; first += max_groups) {
    const int count = groups - first < max_groups ? groups - first : max_groups;
    for (int k = 0; k < count + reach; ++k)
      for (int copy = 0; copy < 4; ++copy)
        quad_at(spread + lanes * k + 4 * copy) = quad_at(cells + std::size_t{4} * (first + k));
    for (int k = 0; k < count; ++k) {
      Vector even = tap[0] * at(spread + lanes * k), odd = {};
      for (int j = 1; j <= reach; j += 2) {
        odd += tap[j] * at(spread + lanes * (k + j));
        even += tap[j + 1] * at(spread + lanes * (k + j + 1));
      }
      at(out + std::size_t{lanes} * (first + k)) = even + odd;
    }
  }
}

constexpr int group = 16;  // box::block, whose header may not be included here

void group_sums(const float* const* before, const float* const* after, int head,
                const float* middle, float scale, float* const* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) {
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

void resample_row(const float* pixels, int first, const IndexRange* windows, const float* weights,
                  int stride, int count, float* out) {
  for (int i = 0; i < count; ++i, weights += stride) {
    const float* in = pixels + std::size_t{4} * (windows[i].begin - first);
    const int taps = windows[i].end - windows[i].begin;
    Vector sums = {};
    int t = 0;
    for (; t + 4 <= taps; t += 4) {
      const Quad four = quad_at(weights + t);
      const Vector weight =
          __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
      sums += weight * at(in + 4 * t);
    }
    Quad sum = sum_of_quads(sums);
    for (; t < taps; ++t) sum += weights[t] * quad_at(in + 4 * t);
    quad_at(out + std::size_t{4} * i) = sum;
  }
}

}  // namespace

extern const SumKernels NAME_OF(KERNEL_LEVEL);
const SumKernels NAME_OF(KERNEL_LEVEL){weighted_sum, decimate_row,   interpolate_row,
                                       group_sums,   group_sums_row, resample_row};

}  // namespace cuda_filters::cpu
