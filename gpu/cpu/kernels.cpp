// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/kernels.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <type_traits>

#include "gpu/core/alpha.hpp"

// Compiled several times, with KERNEL_LEVEL and the compiler's target changed. So that no function
// that needs a newer processor can stand in for one that does not, nothing here may have external
// linkage but the one table at the end.

#define CONCATENATE(a, b) a##b
#define NAME_OF(level) CONCATENATE(kernels_, level)

namespace cuda_filters::cpu {
namespace {

typedef float Vector __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));
typedef float Quad __attribute__((vector_size(4 * sizeof(float)), aligned(4), may_alias));

#if defined(__AVX512F__)
constexpr int block = 8;
#elif defined(__AVX2__)
constexpr int block = 4;
#else
constexpr int block = 2;
#endif

inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }
inline const Vector& at(const float* p) { return *reinterpret_cast<const Vector*>(p); }
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

typedef int Integers __attribute__((vector_size(lanes * sizeof(int)), aligned(4), may_alias));
typedef unsigned Unsigned __attribute__((vector_size(lanes * sizeof(int)), aligned(4), may_alias));

/// The lanes of four working pixels that are alpha.
inline Integers alpha_lanes() {
  Integers lanes_of_alpha{};
  for (int i = 3; i < lanes; i += 4) lanes_of_alpha[i] = -1;
  return lanes_of_alpha;
}

/// The alpha of each of four pixels, in all of its lanes.
inline Vector alphas_of(Vector v) {
  return __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
}

/// table[index], lane by lane.
inline Vector looked_up(const float* table, Integers index) {
#if defined(__AVX512F__)
  return (Vector)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, (__m512i)index, table, 4);
#elif defined(__AVX2__)
  union {
    Integers all;
    __m256i half[2];
  } in{index};
  union {
    __m256 half[2];
    Vector all;
  } out{{_mm256_i32gather_ps(table, in.half[0], 4), _mm256_i32gather_ps(table, in.half[1], 4)}};
  return out.all;
#else
  Vector found{};
  for (int i = 0; i < lanes; ++i) found[i] = table[index[i]];
  return found;
#endif
}

/// Of four pixels, each color in its own table; what is in the lanes of alpha means nothing.
inline Vector looked_up(const float* const tables[3], Integers index) {
  index = alpha_lanes() ? Integers{} : index;
  if (tables[0] == tables[1] && tables[0] == tables[2]) return looked_up(tables[0], index);
  Vector found{};
  for (int i = 0; i < lanes; ++i) found[i] = i % 4 < 3 ? tables[i % 4][index[i]] : 0.0f;
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
  if (tables[0] == tables[1] && tables[0] == tables[2]) {
    union {
      Integers all;
      __m256i half[2];
    } v{index};
    for (__m256i& half : v.half)
      half = _mm256_i32gather_epi32(reinterpret_cast<const int*>(tables[0]), half, 2);
    return v.all;
  }
#endif
  for (int i = 0; i < lanes; ++i)
    if (i % 4 < 3) {
      int pair;
      __builtin_memcpy(&pair, tables[i % 4] + index[i], sizeof pair);
      found[i] = pair;
    }
  return found;
}

/// The samples of four pixels as they are stored, with a place for each channel of working pixels.
template <int colors, bool has_alpha, class V>
inline V spread(V v) {
  if constexpr (colors == 3 && has_alpha)
    return v;
  else if constexpr (colors == 3)
    return __builtin_shufflevector(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
  else if constexpr (has_alpha)
    return __builtin_shufflevector(v, v, 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);
  else
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
}
/// The inverse of spread(): the samples of four pixels side by side.
template <int colors, bool has_alpha, class V>
inline V gathered(V v) {
  if constexpr (colors == 3 && has_alpha)
    return v;
  else if constexpr (colors == 3)
    return __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
  else if constexpr (has_alpha)
    return __builtin_shufflevector(v, v, 0, 3, 4, 7, 8, 11, 12, 15, 0, 0, 0, 0, 0, 0, 0, 0);
  else
    return __builtin_shufflevector(v, v, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

// The compiler takes vectors of bytes apart.
typedef std::int8_t Bytes __attribute__((vector_size(lanes)));

inline Integers from_bytes(Bytes v) {
#if defined(__AVX512F__)
  return (Integers)_mm512_maskz_cvtepu8_epi32(0xffff, (__m128i)v);
#elif defined(__AVX2__)
  const auto bytes = (__m128i)v;
  union {
    __m256i half[2];
    Integers all;
  } out{{_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))}};
  return out.all;
#else
  return __builtin_convertvector(v, Integers) & 0xff;
#endif
}

inline Bytes to_bytes(Integers v) {
#if defined(__AVX512F__)
  return (Bytes)_mm512_maskz_cvtepi32_epi8(0xffff, (__m512i)v);
#elif defined(__AVX2__)
  union {
    Integers all;
    __m256i half[2];
  } in{v};
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(in.half[0], in.half[1]), 0xd8);
  return (Bytes)_mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
#else
  return __builtin_convertvector(v, Bytes);
#endif
}

/// Stored samples of four pixels.
template <class Sample>
struct Samples {
  static constexpr bool integer = std::is_integral_v<Sample>;
  static constexpr float top = sizeof(Sample) == 1 ? 255.0f : 65535.0f;
  static constexpr float largest = sizeof(Sample) == 2 ? 65504.0f : 0x1.fffffep127f;  ///< float
  using Word = std::conditional_t<sizeof(Sample) == 1, std::int8_t,
                                  std::conditional_t<sizeof(Sample) == 2, std::int16_t, int>>;
  typedef Sample Many __attribute__((vector_size(lanes * sizeof(Sample))));
  typedef Word Bits __attribute__((vector_size(lanes * sizeof(Sample))));

  static Vector floats(Bits stored) {
    if constexpr (integer) {
      return __builtin_convertvector(integers(stored), Vector);
    } else if constexpr (sizeof(Sample) == 2) {
#if defined(__AVX512F__)
      return (Vector)_mm512_maskz_cvtph_ps(0xffff, (__m256i)stored);
#elif defined(__F16C__)
      union {
        Bits all;
        __m128i half[2];
      } in{stored};
      union {
        __m256 half[2];
        Vector all;
      } out{{_mm256_cvtph_ps(in.half[0]), _mm256_cvtph_ps(in.half[1])}};
      return out.all;
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
#elif defined(__F16C__)
      union {
        Vector all;
        __m256 half[2];
      } in{v};
      union {
        __m128i half[2];
        Bits all;
      } out{{_mm256_cvtps_ph(in.half[0], _MM_FROUND_TO_NEAREST_INT),
             _mm256_cvtps_ph(in.half[1], _MM_FROUND_TO_NEAREST_INT)}};
      return integers(out.all);
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
#ifdef __FMA__
    constexpr float inverse = 1.0f / top;
    const Vector share = codes * inverse;
    Vector result;
    for (int i = 0; i < lanes; ++i)
      result[i] = __builtin_fmaf(__builtin_fmaf(-top, share[i], codes[i]), inverse, share[i]);
    return result;
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
  static bool any(Integers mask) {
    mask &= ~alpha_lanes();
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    int all = 0;
    for (int i = 0; i < lanes; ++i) all |= mask[i];
    return all != 0;
#endif
  }
};

/// So many pixels have as many samples as a vector, or more.
template <int channels>
inline constexpr int in_vector = (lanes + channels - 1) / channels;

/// The first samples of a vector from memory: those of `count` pixels, or of four if there are as
/// many. A part of a vector may have to go by the stack, which takes longer than all of it.
template <int channels, class Sample>
inline void load_pixels(const Sample* from, int count, void* vector) {
  if (count >= in_vector<channels>)
    __builtin_memcpy(vector, from, lanes * sizeof(Sample));
  else if (count >= 4)
    __builtin_memcpy(vector, from, 4 * channels * sizeof(Sample));
  else
    __builtin_memcpy(vector, from, count * channels * sizeof(Sample));
}
/// The inverse of load_pixels(): stores the first samples of a vector.
template <int channels, class Sample>
inline void store_pixels(const void* vector, int count, Sample* to) {
  if (count >= 4)
    __builtin_memcpy(to, vector, 4 * channels * sizeof(Sample));
  else
    __builtin_memcpy(to, vector, count * channels * sizeof(Sample));
}

/// Decodes the first four of `count` pixels, or all if there are fewer.
template <class Sample, int colors, bool has_alpha>
inline void decode_four(const Codec& codec, const Sample* codes, int count, float* pixels) {
  using S = Samples<Sample>;
  typename S::Bits stored{};
  load_pixels<colors + has_alpha>(codes, count, &stored);
  Vector v;
  if constexpr (S::integer) {
    const Integers samples = spread<colors, has_alpha>(S::integers(stored));
    v = S::shares(__builtin_convertvector(samples, Vector));
    if (codec.values[0] != nullptr) v = alpha_lanes() ? v : looked_up(codec.values, samples);
  } else {
    v = spread<colors, has_alpha>(S::floats(stored));
  }
  const Vector one = Vector{} + 1.0f, zero{};
  if (!has_alpha) {
    v = alpha_lanes() ? one : v;
  } else if (codec.alpha == Alpha::premultiplied) {
    const Vector alphas = alphas_of(v);
    const Vector weighted = alphas == zero ? zero : v * alphas;
    v = alpha_lanes() ? v : weighted;
  }
  store_pixels<4>(&v, count, pixels);
}

/// Encodes as many pixels as decode_four() decodes.
template <class Sample, int colors, bool has_alpha>
inline void encode_four(const Codec& codec, Vector v, const Sample* original, int count,
                        Sample* codes) {
  using S = Samples<Sample>;
  const bool weighted = codec.alpha == Alpha::premultiplied;
  const Vector one = Vector{} + 1.0f;
  Integers original_lanes{};
  if (weighted) {
    // No alpha, no color to be had: the one that was there stays.
    const Vector alphas = alphas_of(v);
    original_lanes = colorless(alphas) & ~alpha_lanes();
    Vector straight = v * (one / alphas);
    if constexpr (!S::integer) straight = bounded(straight, v, S::largest);
    v = alpha_lanes() ? v : straight;
  } else if (codec.alpha == Alpha::passthrough) {
    original_lanes = alpha_lanes();
  }
  Integers result;
  if constexpr (S::integer) {
    result = S::nearest(v);
    if (codec.thresholds[0] != nullptr)
      result = alpha_lanes() ? result : S::on_curves(v, codec.thresholds, codec.buckets);
  } else {
    result = S::bits_of(v);
  }
  if (weighted || (has_alpha && codec.alpha == Alpha::passthrough)) {
    typename S::Bits before{};
    load_pixels<colors + has_alpha>(original, count, &before);
    result = original_lanes ? spread<colors, has_alpha>(S::integers(before)) : result;
  }
  const auto narrow = S::narrowed(gathered<colors, has_alpha>(result));
  store_pixels<colors + has_alpha>(&narrow, count, codes);
}

template <class Sample, int colors, bool has_alpha>
void decode_pixels(const Codec& codec, const std::byte* codes, int count, float* pixels) {
  constexpr int channels = colors + has_alpha, full = in_vector<channels>;
  const Codec local = codec;
  const Sample* in = reinterpret_cast<const Sample*>(codes);
  int i = 0;
  const auto next = [&](int left) {  // numbers that the compiler knows
    decode_four<Sample, colors, has_alpha>(local, in + i * channels, left, pixels + 4 * i);
  };
  for (; i + full <= count; i += 4) next(full);
  for (; i + 4 <= count; i += 4) next(4);
  if (i < count) next(count - i);
}

template <class Sample, int colors, bool has_alpha>
void encode_pixels(const Codec& codec, const float* pixels, const std::byte* original, int count,
                   std::byte* codes) {
  constexpr int channels = colors + has_alpha, full = in_vector<channels>;
  const Codec local = codec;
  const Sample* before = reinterpret_cast<const Sample*>(original);
  Sample* out = reinterpret_cast<Sample*>(codes);
  int i = 0;
  const auto next = [&](int left) {
    encode_four<Sample, colors, has_alpha>(local, at(pixels + 4 * i), before + i * channels, left,
                                           out + i * channels);
  };
  for (; i + full <= count; i += 4) next(full);
  for (; i + 4 <= count; i += 4) next(4);
  if (i == count) return;
  Vector rest{};
  __builtin_memcpy(&rest, pixels + 4 * i, (count - i) * 4 * sizeof(float));
  encode_four<Sample, colors, has_alpha>(local, rest, before + i * channels, count - i,
                                         out + i * channels);
}

template <class Sample>
void decode_samples(const Codec& codec, const std::byte* codes, int count, float* pixels) {
  const Format& f = codec.format;
  if (f.color)
    (f.alpha ? decode_pixels<Sample, 3, true> : decode_pixels<Sample, 3, false>)(codec, codes,
                                                                                 count, pixels);
  else
    (f.alpha ? decode_pixels<Sample, 1, true> : decode_pixels<Sample, 1, false>)(codec, codes,
                                                                                 count, pixels);
}

template <class Sample>
void encode_samples(const Codec& codec, const float* pixels, const std::byte* original, int count,
                    std::byte* codes) {
  const Format& f = codec.format;
  if (f.color)
    (f.alpha ? encode_pixels<Sample, 3, true>
             : encode_pixels<Sample, 3, false>)(codec, pixels, original, count, codes);
  else
    (f.alpha ? encode_pixels<Sample, 1, true>
             : encode_pixels<Sample, 1, false>)(codec, pixels, original, count, codes);
}

/// The base-2 logarithm of positive numbers, by the series of the inverse hyperbolic tangent:
/// within 4e-9 and the rounding of the result.
inline Vector logarithm(Vector v) {
  const Vector root_half = Vector{} + 0.70710678f;
  // Of other numbers the differences overflow; nobody takes their logarithms.
  const Integers exponent = (Integers)((Unsigned)v - (Unsigned)root_half) >> 23;
  const Vector m = (Vector)((Unsigned)v - ((Unsigned)exponent << 23));
  const Vector t = (m - 1.0f) / (m + 1.0f), s = t * t;
  const Vector series =
      2.88539008f + s * (0.961796694f + s * (0.577078016f + s * (0.412198583f + s * 0.32059890f)));
  return __builtin_convertvector(exponent, Vector) + t * series;
}

/// 2 to the power of `v`, by its Taylor series around the nearest whole number.
inline Vector exponential(Vector v) {
  const Vector maximum = Vector{} + 128.0f, minimum = Vector{} - 126.0f;
  v = v < maximum ? v : maximum;
  v = v > minimum ? v : minimum;
  const Vector shifter = Vector{} + 0x1.8p23f;  // adding it leaves no fraction
  const Vector whole = (v + shifter) - shifter, f = v - whole;
  const Vector series =
      1.0f +
      f * (0.693147181f +
           f * (0.240226507f +
                f * (0.0555041087f +
                     f * (0.00961812911f +
                          f * (0.00133335581f + f * (0.000154035304f + f * 0.0000152527338f))))));
  const Integers exponent = __builtin_convertvector(whole, Integers);
  // In two factors: 2^128 is no float.
  const Integers half = exponent >> 1;
  return series * (Vector)((half + 127) << 23) * (Vector)((exponent - half + 127) << 23);
}

inline Vector transferred(const TransferTerms& terms, Vector v) {
  const Integers is_alpha = alpha_lanes();
  const Vector infinity = Vector{} + __builtin_inff();
  const Vector base = (v + terms.before) * terms.factor;
  const Vector curved = exponential(terms.exponent * logarithm(base)) * terms.scale + terms.after;
  const Vector result = v > terms.knee ? curved : v * terms.a;
  // Infinity and NaN, of which the series know nothing, stay; so does alpha.
  return is_alpha | ~(v < infinity) ? v : result;
}

/// Converts the colors of `count` pixels, and nothing behind them.
void transfer(const TransferTerms& terms, int count, float* pixels) {
  const int floats = 4 * count;
  int i = 0;
  for (; i + lanes <= floats; i += lanes) at(pixels + i) = transferred(terms, at(pixels + i));
  if (i == floats) return;
  Vector rest{};
  __builtin_memcpy(&rest, pixels + i, (floats - i) * sizeof(float));
  rest = transferred(terms, rest);
  __builtin_memcpy(pixels + i, &rest, (floats - i) * sizeof(float));
}

template <class Sample>
void decode_floats(const Codec& codec, const std::byte* codes, int count, float* pixels) {
  if (!codec.transfers) return decode_samples<Sample>(codec, codes, count, pixels);
  Codec straight = codec;
  straight.alpha = Alpha::channel;
  decode_samples<Sample>(straight, codes, count, pixels);
  transfer(codec.decoding, count, pixels);
  if (codec.alpha != Alpha::premultiplied || !codec.format.alpha) return;
  for (int i = 0; i < count; ++i, pixels += 4)
    for (int c = 0; c < 3; ++c) pixels[c] = pixels[3] == 0.0f ? 0.0f : pixels[c] * pixels[3];
}

template <class Sample>
void encode_floats(const Codec& codec, const float* pixels, const std::byte* original, int count,
                   std::byte* codes) {
  if (!codec.transfers) return encode_samples<Sample>(codec, pixels, original, count, codes);
  constexpr int max_pixels = 256;
  float straight[4 * max_pixels + lanes];
  Sample originals[max_pixels][3];  // `original` may be where the codes go
  const bool weighted = codec.alpha == Alpha::premultiplied;
  const int pixel_bytes = codec.format.bytes_per_pixel();
  const std::size_t color_bytes = codec.format.colors() * sizeof(Sample);
  for (int first = 0; first < count; first += max_pixels) {
    const int part = count - first < max_pixels ? count - first : max_pixels;
    const std::size_t offset = static_cast<std::size_t>(first) * pixel_bytes;
    for (int i = 0; i < part; ++i) {
      const float* pixel = pixels + std::size_t{4} * (first + i);
      const bool keeps = weighted && colorless(pixel[3]);
      if (keeps) __builtin_memcpy(originals[i], original + offset + i * pixel_bytes, color_bytes);
      const float scale = weighted && !keeps ? 1.0f / pixel[3] : 1.0f;
      for (int c = 0; c < 3; ++c) straight[4 * i + c] = pixel[c] * scale;
      straight[4 * i + 3] = pixel[3];
    }
    transfer(codec.encoding, part, straight);
    for (int i = 0; weighted && i < part; ++i)
      for (int c = 0; c < 3; ++c)
        straight[4 * i + c] = bounded(straight[4 * i + c], pixels[std::size_t{4} * (first + i) + c],
                                      Samples<Sample>::largest);
    Codec own = codec;
    if (weighted) own.alpha = Alpha::channel;
    encode_samples<Sample>(own, straight, original + offset, part, codes + offset);
    for (int i = 0; weighted && i < part; ++i)
      if (colorless(straight[4 * i + 3]))
        __builtin_memcpy(codes + offset + i * pixel_bytes, originals[i], color_bytes);
  }
}

void decode(const Codec& codec, const std::byte* codes, int count, float* pixels) {
  switch (codec.format.type) {
    case SampleType::u8:
      return decode_samples<std::uint8_t>(codec, codes, count, pixels);
    case SampleType::u16:
      return decode_samples<std::uint16_t>(codec, codes, count, pixels);
    case SampleType::f16:
      return decode_floats<_Float16>(codec, codes, count, pixels);
    case SampleType::f32:
      return decode_floats<float>(codec, codes, count, pixels);
  }
}

void encode(const Codec& codec, const float* pixels, const std::byte* original, int count,
            std::byte* codes) {
  switch (codec.format.type) {
    case SampleType::u8:
      return encode_samples<std::uint8_t>(codec, pixels, original, count, codes);
    case SampleType::u16:
      return encode_samples<std::uint16_t>(codec, pixels, original, count, codes);
    case SampleType::f16:
      return encode_floats<_Float16>(codec, pixels, original, count, codes);
    case SampleType::f32:
      return encode_floats<float>(codec, pixels, original, count, codes);
  }
}

template <class Sample, int channels>
void look_up_samples(const void* const* tables, const std::byte* in, int count, std::byte* codes) {
  const Sample* table[channels];
  for (int c = 0; c < channels; ++c) table[c] = static_cast<const Sample*>(tables[c]);
  const Sample* from = reinterpret_cast<const Sample*>(in);
  Sample* to = reinterpret_cast<Sample*>(codes);
  for (int i = 0; i < count; ++i, from += channels, to += channels) {
    Sample found[channels];
    for (int c = 0; c < channels; ++c) found[c] = table[c][from[c]];
    __builtin_memcpy(to, found, sizeof found);
  }
}

template <class Sample>
void look_up_in(const Format& format, const void* const* tables, const std::byte* in, int count,
                std::byte* codes) {
  switch (format.colors() + format.alpha) {
    case 1:
      return look_up_samples<Sample, 1>(tables, in, count, codes);
    case 2:
      return look_up_samples<Sample, 2>(tables, in, count, codes);
    case 3:
      return look_up_samples<Sample, 3>(tables, in, count, codes);
    default:
      return look_up_samples<Sample, 4>(tables, in, count, codes);
  }
}

void look_up(const Format& format, const void* const* tables, const std::byte* in, int count,
             std::byte* codes) {
  if (format.type == SampleType::u8)
    look_up_in<std::uint8_t>(format, tables, in, count, codes);
  else
    look_up_in<std::uint16_t>(format, tables, in, count, codes);
}

template <class Sample>
void interleave_samples(const std::byte* const* rows, int count, std::byte* pixels) {
  const auto row = [&](int i) { return reinterpret_cast<const Sample*>(rows[i]); };
  const Sample *const a = row(0), *const b = row(1), *const c = row(2);
  Sample* const to = reinterpret_cast<Sample*>(pixels);
  for (int i = 0; i < count; ++i) to[3 * i] = a[i], to[3 * i + 1] = b[i], to[3 * i + 2] = c[i];
}

template <class Sample>
void deinterleave_samples(const std::byte* pixels, int count, std::byte* const* rows) {
  const auto row = [&](int i) { return reinterpret_cast<Sample*>(rows[i]); };
  Sample *const a = row(0), *const b = row(1), *const c = row(2);
  const Sample* const from = reinterpret_cast<const Sample*>(pixels);
  for (int i = 0; i < count; ++i)
    a[i] = from[3 * i], b[i] = from[3 * i + 1], c[i] = from[3 * i + 2];
}

void interleave(const std::byte* const* rows, std::size_t sample_bytes, int count,
                std::byte* pixels) {
  (sample_bytes == 1   ? interleave_samples<std::uint8_t>
   : sample_bytes == 2 ? interleave_samples<std::uint16_t>
                       : interleave_samples<std::uint32_t>)(rows, count, pixels);
}

void deinterleave(const std::byte* pixels, std::size_t sample_bytes, int count,
                  std::byte* const* rows) {
  (sample_bytes == 1   ? deinterleave_samples<std::uint8_t>
   : sample_bytes == 2 ? deinterleave_samples<std::uint16_t>
                       : deinterleave_samples<std::uint32_t>)(pixels, count, rows);
}

}  // namespace

extern const Kernels NAME_OF(KERNEL_LEVEL);
const Kernels NAME_OF(KERNEL_LEVEL){decode,          encode,     look_up,        interleave,
                                    deinterleave,    transfer,   weighted_sum,   decimate_row,
                                    interpolate_row, group_sums, group_sums_row, resample_row};

}  // namespace cuda_filters::cpu
