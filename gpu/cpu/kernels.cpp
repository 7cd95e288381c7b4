// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/kernels.hpp"

#include <type_traits>

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

inline Quad folded(Vector sum) {
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
    quad_at(out + std::size_t{4} * k) = folded(sum);
  }
}

void interpolate_row(const float* cells, const float* weights, int groups, float* out) {
  constexpr int reach = 8, most = 64;
  Vector tap[reach + 1];
  for (int j = 0; j <= reach; ++j) tap[j] = at(weights + lanes * j);
  float spread[lanes * (most + reach)];  // every cell once for each pixel of a group
  for (int first = 0; first < groups; first += most) {
    const int count = groups - first < most ? groups - first : most;
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
    Quad sum = folded(sums);
    for (; t < taps; ++t) sum += weights[t] * quad_at(in + 4 * t);
    quad_at(out + std::size_t{4} * i) = sum;
  }
}

template <class Sample>
struct Samples {
  static constexpr bool integer = std::is_integral_v<Sample>;
  static constexpr float top = sizeof(Sample) == 1 ? 255.0f : 65535.0f;

  static float decode(Sample sample, const float* values) {
    if constexpr (!integer)
      return static_cast<float>(sample);
    else
      return values != nullptr ? values[sample] : static_cast<float>(sample) / top;
  }
  static Sample encode(float value, const float* thresholds, const std::uint16_t* buckets) {
    if constexpr (!integer) {
      return static_cast<Sample>(value);
    } else if (thresholds != nullptr) {
      return static_cast<Sample>(encode_curve(value, thresholds, buckets));
    } else {
      const float code = value * top + 0.5f;
      return static_cast<Sample>(code > 0.0f ? (code < top ? code : top) : 0.0f);  // NaN: 0
    }
  }
  // As encode() of format.hpp, which may not be called from here: see the top of this file.
  static int encode_curve(float value, const float* thresholds, const std::uint16_t* buckets) {
    int code = 0;
    if (value >= encode_high) {
      code = buckets[encode_buckets];
    } else if (value >= encode_low) {
      std::uint32_t bits;
      __builtin_memcpy(&bits, &value, sizeof bits);
      code = buckets[(bits - (std::uint32_t{127 - 24} << 23)) >> encode_shift];
    }
    while (code < static_cast<int>(top) && value >= thresholds[code]) ++code;
    return code;
  }
};

template <class Sample, int colors, bool has_alpha>
void decode_pixels(const Codec& codec, const std::byte* codes, int count, float* pixels) {
  using S = Samples<Sample>;
  constexpr int channels = colors + has_alpha;
  const bool weighted = has_alpha && codec.alpha == Alpha::weighted;
  const float* const values[3] = {codec.values[0], codec.values[1], codec.values[2]};
  const Sample* in = reinterpret_cast<const Sample*>(codes);
  for (int i = 0; i < count; ++i, in += channels, pixels += 4) {
    const float alpha = has_alpha ? S::decode(in[colors == 3 ? 3 : 1], nullptr) : 1.0f;
    float color[3];
    for (int c = 0; c < 3; ++c) color[c] = S::decode(in[colors == 3 ? c : 0], values[c]);
    if (weighted)
      for (int c = 0; c < 3; ++c) color[c] = alpha == 0.0f ? 0.0f : color[c] * alpha;
    pixels[0] = color[0], pixels[1] = color[1], pixels[2] = color[2], pixels[3] = alpha;
  }
}

template <class Sample, int colors, bool has_alpha>
void encode_pixels(const Codec& codec, const float* pixels, const std::byte* original, int count,
                   std::byte* codes) {
  using S = Samples<Sample>;
  constexpr int channels = colors + has_alpha;
  const bool weighted = codec.alpha == Alpha::weighted;
  const bool kept = codec.alpha == Alpha::kept;
  const Sample* before = reinterpret_cast<const Sample*>(original);
  Sample* out = reinterpret_cast<Sample*>(codes);
  for (int i = 0; i < count; ++i, before += channels, out += channels, pixels += 4) {
    const float alpha = pixels[3];
    // No alpha, no colour to be had: the one that was there stays. NaN is no zero.
    const bool colorless = weighted && alpha <= 0.0f;
    const float scale = weighted ? 1.0f / alpha : 1.0f;
    for (int c = 0; c < colors; ++c)
      out[c] = colorless ? before[c]
                         : S::encode(pixels[c] * scale, codec.thresholds[c], codec.buckets[c]);
    if constexpr (has_alpha)
      out[colors] = kept ? before[colors] : S::encode(alpha, nullptr, nullptr);
  }
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

typedef int Integers __attribute__((vector_size(lanes * sizeof(int)), aligned(4), may_alias));

/// The base-2 logarithm of positive numbers, by the series of the inverse hyperbolic tangent:
/// within 4e-9 and the rounding of the result.
inline Vector logarithm(Vector v) {
  const Vector root_half = Vector{} + 0.70710678f;
  const Integers bits = (Integers)v - (Integers)root_half;
  const Integers exponent = bits >> 23;
  const Vector m = (Vector)((Integers)v - (exponent << 23));
  const Vector t = (m - 1.0f) / (m + 1.0f), s = t * t;
  const Vector series =
      2.88539008f + s * (0.961796694f + s * (0.577078016f + s * (0.412198583f + s * 0.32059890f)));
  return __builtin_convertvector(exponent, Vector) + t * series;
}

/// 2 to the power of `v`, by its Taylor series around the nearest whole number.
inline Vector exponential(Vector v) {
  const Vector most = Vector{} + 128.0f, least = Vector{} - 126.0f;
  v = v < most ? v : most;
  v = v > least ? v : least;
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
  Integers is_alpha{};
  for (int i = 3; i < lanes; i += 4) is_alpha[i] = -1;
  const Vector infinity = Vector{} + __builtin_inff();
  const Vector base = (v + terms.before) * terms.factor;
  const Vector curved = exponential(terms.exponent * logarithm(base)) * terms.scale + terms.after;
  const Vector result = v > terms.knee ? curved : v * terms.a;
  // Infinity and NaN, of which the series know nothing, stay; so does alpha.
  return is_alpha | ~(v < infinity) ? v : result;
}

/// Converts the colours of `count` pixels, and nothing behind them.
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
  straight.alpha = Alpha::own;
  decode_samples<Sample>(straight, codes, count, pixels);
  transfer(codec.decoding, count, pixels);
  if (codec.alpha != Alpha::weighted || !codec.format.alpha) return;
  for (int i = 0; i < count; ++i, pixels += 4)
    for (int c = 0; c < 3; ++c) pixels[c] = pixels[3] == 0.0f ? 0.0f : pixels[c] * pixels[3];
}

template <class Sample>
void encode_floats(const Codec& codec, const float* pixels, const std::byte* original, int count,
                   std::byte* codes) {
  if (!codec.transfers) return encode_samples<Sample>(codec, pixels, original, count, codes);
  constexpr int most = 256;
  float straight[4 * most + lanes];
  Sample kept[most][3];  // `original` may be where the codes go
  const bool weighted = codec.alpha == Alpha::weighted;
  const int pixel_bytes = codec.format.bytes_per_pixel();
  const std::size_t color_bytes = codec.format.colors() * sizeof(Sample);
  for (int first = 0; first < count; first += most) {
    const int part = count - first < most ? count - first : most;
    const std::size_t offset = static_cast<std::size_t>(first) * pixel_bytes;
    for (int i = 0; i < part; ++i) {
      const float* pixel = pixels + std::size_t{4} * (first + i);
      const bool colorless = weighted && pixel[3] <= 0.0f;
      if (colorless) __builtin_memcpy(kept[i], original + offset + i * pixel_bytes, color_bytes);
      const float scale = weighted && !colorless ? 1.0f / pixel[3] : 1.0f;
      for (int c = 0; c < 3; ++c) straight[4 * i + c] = pixel[c] * scale;
      straight[4 * i + 3] = pixel[3];
    }
    transfer(codec.encoding, part, straight);
    Codec own = codec;
    if (weighted) own.alpha = Alpha::own;
    encode_samples<Sample>(own, straight, original + offset, part, codes + offset);
    for (int i = 0; weighted && i < part; ++i)
      if (straight[4 * i + 3] <= 0.0f)
        __builtin_memcpy(codes + offset + i * pixel_bytes, kept[i], color_bytes);
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

}  // namespace

extern const Kernels NAME_OF(KERNEL_LEVEL);
const Kernels NAME_OF(KERNEL_LEVEL){decode,       encode,         transfer,
                                    weighted_sum, decimate_row,   interpolate_row,
                                    group_sums,   group_sums_row, resample_row};

}  // namespace cuda_filters::cpu
