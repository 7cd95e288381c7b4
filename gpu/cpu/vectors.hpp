// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/core/format.hpp"
#include "gpu/cpu/kernels.hpp"
#include "gpu/cpu/vector.hpp"

// Vectors of floats and of stored samples. A source that includes this is compiled several times,
// for different processors: nothing here may have external linkage.

namespace cuda_filters::cpu {
namespace {

typedef unsigned Unsigned
    __attribute__((vector_size(vector_lanes * sizeof(int)), aligned(4), may_alias));

/// How many working pixels a vector holds.
constexpr int vector_pixels = vector_lanes / 4;

/// The lanes of working pixels that are alpha.
inline Integers alpha_lanes() {
  Integers lanes_of_alpha{};
  for (int i = 3; i < vector_lanes; i += 4) lanes_of_alpha[i] = -1;
  return lanes_of_alpha;
}

/// The alpha of each pixel, in all of its lanes.
template <class V>
inline V alphas_of(V v) {
  if constexpr (vector_pixels == 4)
    return __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
  else if constexpr (vector_pixels == 2)
    return __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7);
  else
    return __builtin_shufflevector(v, v, 3, 3, 3, 3);
}

/// table[index], lane by lane.
inline Vector looked_up(const float* table, Integers index) {
#if defined(__AVX512F__)
  return (Vector)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, (__m512i)index, table, 4);
#elif defined(__AVX2__)
  return (Vector)_mm256_i32gather_ps(table, (__m256i)index, 4);
#else
  Vector found{};
  for (int i = 0; i < vector_lanes; ++i) found[i] = table[index[i]];
  return found;
#endif
}

/// Each color in its own table; what is in the lanes of alpha means nothing.
inline Vector looked_up(const float* const tables[3], Integers index) {
  index = alpha_lanes() ? Integers{} : index;
  if (tables[0] == tables[1] && tables[0] == tables[2]) return looked_up(tables[0], index);
  Vector found{};
  for (int i = 0; i < vector_lanes; ++i) found[i] = i % 4 < 3 ? tables[i % 4][index[i]] : 0.0f;
  return found;
}

/// table[index] in the low half of each lane and table[index + 1] in the high one.
inline Integers pairs_at(const std::uint16_t* const tables[3], Integers index) {
  Integers found{};
#if defined(__AVX512F__)
  if (tables[0] == tables[1] && tables[0] == tables[2])
    return (Integers)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, (__m512i)index,
                                                 tables[0], 2);
#elif defined(__AVX2__)
  if (tables[0] == tables[1] && tables[0] == tables[2])
    return (Integers)_mm256_i32gather_epi32(reinterpret_cast<const int*>(tables[0]), (__m256i)index,
                                            2);
#endif
  for (int i = 0; i < vector_lanes; ++i)
    if (i % 4 < 3) {
      int pair;
      __builtin_memcpy(&pair, tables[i % 4] + index[i], sizeof pair);
      found[i] = pair;
    }
  return found;
}

/// The samples of pixels as they are stored, with a place for each channel of working pixels.
template <int colors, bool has_alpha, class V>
inline V spread(V v) {
  if constexpr (colors == 3 && has_alpha) {
    return v;
  } else if constexpr (vector_pixels == 4) {
    if constexpr (colors == 3)
      return __builtin_shufflevector(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);
    else
      return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  } else if constexpr (vector_pixels == 2) {
    if constexpr (colors == 3)
      return __builtin_shufflevector(v, v, 0, 1, 2, 2, 3, 4, 5, 5);
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 0, 0, 1, 2, 2, 2, 3);
    else
      return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
  } else {
    if constexpr (colors == 3)
      return __builtin_shufflevector(v, v, 0, 1, 2, 2);
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 0, 0, 1);
    else
      return __builtin_shufflevector(v, v, 0, 0, 0, 0);
  }
}
/// The inverse of spread(): the samples of pixels side by side.
template <int colors, bool has_alpha, class V>
inline V gathered(V v) {
  if constexpr (colors == 3 && has_alpha) {
    return v;
  } else if constexpr (vector_pixels == 4) {
    if constexpr (colors == 3)
      return __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 3, 4, 7, 8, 11, 12, 15, 0, 0, 0, 0, 0, 0, 0, 0);
    else
      return __builtin_shufflevector(v, v, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  } else if constexpr (vector_pixels == 2) {
    if constexpr (colors == 3)
      return __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 0, 0);
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 3, 4, 7, 0, 0, 0, 0);
    else
      return __builtin_shufflevector(v, v, 0, 4, 0, 0, 0, 0, 0, 0);
  } else {
    if constexpr (colors == 3)
      return v;
    else if constexpr (has_alpha)
      return __builtin_shufflevector(v, v, 0, 3, 0, 0);
    else
      return v;
  }
}

// The compiler takes vectors of bytes apart.
typedef std::int8_t Bytes __attribute__((vector_size(vector_lanes)));

inline Integers from_bytes(Bytes v) {
#if defined(__AVX512F__)
  return (Integers)_mm512_maskz_cvtepu8_epi32(0xffff, (__m128i)v);
#elif defined(__AVX2__)
  long long bytes;
  __builtin_memcpy(&bytes, &v, sizeof bytes);
  return (Integers)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes));
#else
  return __builtin_convertvector(v, Integers) & 0xff;
#endif
}

inline Bytes to_bytes(Integers v) {
#if defined(__AVX512F__)
  return (Bytes)_mm512_maskz_cvtepi32_epi8(0xffff, (__m512i)v);
#elif defined(__AVX2__)
  const __m128i words =
      _mm_packus_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
  const long long bytes = _mm_cvtsi128_si64(_mm_packus_epi16(words, words));
  Bytes all;
  __builtin_memcpy(&all, &bytes, sizeof bytes);
  return all;
#else
  return __builtin_convertvector(v, Bytes);
#endif
}

/// Stored samples of as many pixels as a vector holds.
template <class Sample>
struct Samples {
  static constexpr bool integer = std::is_integral_v<Sample>;
  static constexpr float top = sizeof(Sample) == 1 ? 255.0f : 65535.0f;
  static constexpr float largest = sizeof(Sample) == 2 ? 65504.0f : 0x1.fffffep127f;  ///< float
  using Word = std::conditional_t<sizeof(Sample) == 1, std::int8_t,
                                  std::conditional_t<sizeof(Sample) == 2, std::int16_t, int>>;
  typedef Sample Many __attribute__((vector_size(vector_lanes * sizeof(Sample))));
  typedef Word Bits __attribute__((vector_size(vector_lanes * sizeof(Sample))));

  static Vector floats(Bits stored) {
    if constexpr (integer) {
      return __builtin_convertvector(integers(stored), Vector);
    } else if constexpr (sizeof(Sample) == 2) {
#if defined(__AVX512F__)
      return (Vector)_mm512_maskz_cvtph_ps(0xffff, (__m256i)stored);
#elif defined(__AVX2__)
      return (Vector)_mm256_cvtph_ps((__m128i)stored);
#else
      return __builtin_convertvector((Many)stored, Vector);
#endif
    } else {
      return (Vector)stored;
    }
  }
  /// Stored samples as numbers of their codes; of floats just the bits.
  static Integers integers(Bits stored) {
    if constexpr (sizeof(Sample) == 1) return from_bytes(stored);
    const Integers wide = __builtin_convertvector(stored, Integers);
    return sizeof(Sample) == 2 ? wide & 0xffff : wide;
  }
  /// The bits of stored floats.
  static Integers bits_of(Vector v) {
    if constexpr (sizeof(Sample) == 4) {
      return (Integers)v;
    } else {
#if defined(__AVX512F__)
      return integers((Bits)_mm512_maskz_cvtps_ph(0xffff, (__m512)v, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__AVX2__)
      return integers((Bits)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
#else
      return integers((Bits) __builtin_convertvector(v, Many));
#endif
    }
  }
  static Bits narrowed(Integers v) {
    if constexpr (sizeof(Sample) == 1)
      return to_bytes(v);
    else
      return __builtin_convertvector(v, Bits);
  }

  /// Code / top, to the last bit.
  static Vector shares(Vector codes) {
    [[maybe_unused]] const Vector inverse = Vector{} + 1.0f / top;
#if defined(__AVX512F__)
    const auto share = (__m512)(codes * inverse), minus_top = _mm512_set1_ps(-top);
    return (Vector)_mm512_fmadd_ps(_mm512_fmadd_ps(minus_top, share, (__m512)codes),
                                   (__m512)inverse, share);
#elif defined(__AVX2__)
    const auto share = (__m256)(codes * inverse), minus_top = _mm256_set1_ps(-top);
    return (Vector)_mm256_fmadd_ps(_mm256_fmadd_ps(minus_top, share, (__m256)codes),
                                   (__m256)inverse, share);
#else
    return codes / top;
#endif
  }

  /// The nearest code to shares of the highest one; NaN gives 0.
  static Integers nearest(Vector v) {
    const Vector codes = v * top + 0.5f, zero{}, maximum = zero + top;
    const Vector low = codes > zero ? codes : zero;
    return __builtin_convertvector(low < maximum ? low : maximum, Integers);
  }

  /// As encode() of format.hpp, which may not be called from here: see the top of this file.
  static Integers on_curves(Vector v, const float* const thresholds[3],
                            const std::uint16_t* const buckets[3]) {
    const Vector zero{}, minimum = zero + encode_low, maximum = zero + 0x1.fffffep-1f;
    Vector inside = v > minimum ? v : minimum;
    inside = inside < maximum ? inside : maximum;
    const Integers bits = (Integers)inside - (int{127 - 24} << 23);
    const Integers bounds = pairs_at(buckets, bits >> encode_shift);
    constexpr int last = static_cast<int>(top);
    const Integers zeros{}, ones = zeros + 1;
    Integers code = v >= minimum ? bounds & 0xffff : zeros;
    if constexpr (sizeof(Sample) > 1) {  // many codes share a bucket
      const Integers width = ((bounds >> 16) & 0xffff) - code;
      code += (width * (bits & ((1 << encode_shift) - 1))) >> encode_shift;
      for (;;) {
        const Integers before = code > zeros ? code - 1 : zeros;
        const Integers lower = (code > zeros) & ~(v >= looked_up(thresholds, before));
        if (!any(lower)) break;
        code += lower;
      }
    }
    for (;;) {
      const Integers next = code < last ? code : zeros + (last - 1);
      const Integers higher = (code < last) & (v >= looked_up(thresholds, next));
      if (!any(higher)) return code;
      code += higher & ones;
    }
  }

 private:
  static bool any(Integers mask) { return cpu::any(mask & ~alpha_lanes()); }
};

/// So many pixels have as many samples as a vector, or more.
template <int channels>
inline constexpr int in_vector = (vector_lanes + channels - 1) / channels;

/// The first samples of a vector from memory: those of `count` pixels, or of as many as it holds. A
/// part of a vector may have to go by the stack, which takes longer than all of it.
template <int channels, class Sample>
inline void load_pixels(const Sample* from, int count, void* vector) {
  if (count >= in_vector<channels>)
    __builtin_memcpy(vector, from, vector_lanes * sizeof(Sample));
  else if (count >= vector_pixels)
    __builtin_memcpy(vector, from, vector_pixels * channels * sizeof(Sample));
  else
    __builtin_memcpy(vector, from, count * channels * sizeof(Sample));
}
/// The inverse of load_pixels(): stores the first samples of a vector.
template <int channels, class Sample>
inline void store_pixels(const void* vector, int count, Sample* to) {
  if (count >= vector_pixels)
    __builtin_memcpy(to, vector, vector_pixels * channels * sizeof(Sample));
  else
    __builtin_memcpy(to, vector, count * channels * sizeof(Sample));
}

}  // namespace
}  // namespace cuda_filters::cpu
