// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/rank_kernels.hpp"

#include "gpu/core/network.hpp"

// Compiled several times, with KERNEL_LEVEL and the compiler's target changed: see kernels.cpp.

#define CONCATENATE(a, b) a##b
#define NAME_OF(level) CONCATENATE(rank_kernels_, level)

namespace cuda_filters::cpu {
namespace {

#if defined(__AVX512BW__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
static_assert(vector_bytes <= rank_slack);

/// As many keys as a register holds.
template <class Key>
struct Vector {
  typedef Key Keys __attribute__((vector_size(vector_bytes)));
  typedef Key Unaligned __attribute__((vector_size(vector_bytes), aligned(1), may_alias));
  static constexpr int size = vector_bytes / sizeof(Key);
  Keys keys;

  static Vector load(const Key* from) { return {*reinterpret_cast<const Unaligned*>(from)}; }
  void store(Key* to) const { *reinterpret_cast<Unaligned*>(to) = keys; }
};

struct Smaller {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return {a.keys < b.keys ? a.keys : b.keys};
  }
};
struct Larger {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return {a.keys > b.keys ? a.keys : b.keys};
  }
};

template <class Key, int radius>
void sort_runs(const Key* keys, int step, int count, Key* sorted, std::size_t stride) {
  using V = Vector<Key>;
  constexpr int d = 2 * radius + 1;
  for (int i = 0; i < count; i += V::size) {
    V values[d], in_order[d];
    for (int k = 0; k < d; ++k) values[k] = V::load(keys + i + std::size_t{1} * k * step);
    network::sort<d>(values, in_order, Smaller{}, Larger{});
    for (int k = 0; k < d; ++k) in_order[k].store(sorted + k * stride + i);
  }
}

template <class Key, int radius>
void two_rows(const Key* const* runs, std::size_t stride, int count, Key* first, Key* second) {
  using V = Vector<Key>;
  constexpr int d = 2 * radius + 1;
  for (int i = 0; i < count; i += V::size) {
    V common[(d - 1) * d], top[d], bottom[d], medians[2];
    for (int k = 0; k < d; ++k) {
      top[k] = V::load(runs[0] + k * stride + i);
      for (int row = 0; row < d - 1; ++row)
        common[row * d + k] = V::load(runs[row + 1] + k * stride + i);
      bottom[k] = V::load(runs[d] + k * stride + i);
    }
    network::two_medians<radius>(common, top, bottom, Smaller{}, Larger{}, medians[0], medians[1]);
    medians[0].store(first + i);
    medians[1].store(second + i);
  }
}

typedef std::int16_t Shorts __attribute__((vector_size(vector_bytes)));
typedef std::int16_t Eight __attribute__((vector_size(16)));

inline Eight sum_of_eights(Shorts values) {
  Eight parts[vector_bytes / 16];
  __builtin_memcpy(parts, &values, sizeof values);
  Eight sum = parts[0];
  for (int i = 1; i < vector_bytes / 16; ++i) sum += parts[i];
  return sum;
}

void count_below(const std::uint8_t* bytes, int size, const std::uint8_t* limits, int* below) {
  using V = Vector<std::uint8_t>;
  typedef std::int8_t Signed __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t Words __attribute__((vector_size(vector_bytes)));
  std::uint64_t word;
  __builtin_memcpy(&word, limits, sizeof word);
  const V::Keys limit = reinterpret_cast<V::Keys>(Words{} + word);
  for (int k = 0; k < 8; ++k) below[k] = 0;
  constexpr int most = 127 * V::size;  // what the bytes of a sum hold
  for (int first = 0; first < size; first += most) {
    const int end = size - first < most ? size : first + most;
    Signed sum{};
    for (int i = first; i < end; i += V::size)
      sum -= reinterpret_cast<Signed>(V::load(bytes + i).keys < limit);
    const Eight even = sum_of_eights(reinterpret_cast<Shorts>(sum) << 8 >> 8);
    const Eight odd = sum_of_eights(reinterpret_cast<Shorts>(sum) >> 8);
    for (int k = 0; k < 4; ++k) {
      below[2 * k] += even[k] + even[k + 4];
      below[2 * k + 1] += odd[k] + odd[k + 4];
    }
  }
}

template <class Key>
constexpr MedianKernels<Key> median_kernels{
    {sort_runs<Key, 1>, sort_runs<Key, 2>, sort_runs<Key, 3>},
    {two_rows<Key, 1>, two_rows<Key, 2>, two_rows<Key, 3>}};

}  // namespace

extern const RankKernels NAME_OF(KERNEL_LEVEL);
const RankKernels NAME_OF(KERNEL_LEVEL){median_kernels<std::uint8_t>, median_kernels<std::uint16_t>,
                                        median_kernels<std::uint32_t>, count_below};

}  // namespace cuda_filters::cpu
