// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/kernels.hpp"

#include <type_traits>

#include "gpu/core/alpha.hpp"
#include "gpu/cpu/vectors.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

/// Decodes the first of `count` pixels: as many as a vector holds, or all.
template <class Sample, int colors, bool has_alpha>
inline void decode_some(const Codec& codec, const Sample* codes, int count, float* pixels) {
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

/// Encodes as many pixels as decode_some() decodes.
template <class Sample, int colors, bool has_alpha>
inline void encode_some(const Codec& codec, Vector v, const Sample* original, int count,
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
    decode_some<Sample, colors, has_alpha>(local, in + i * channels, left, pixels + 4 * i);
  };
  for (; i + full <= count; i += vector_pixels) next(full);
  for (; i + vector_pixels <= count; i += vector_pixels) next(vector_pixels);
  if (vector_pixels > 1 && i < count) next(count - i);
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
    encode_some<Sample, colors, has_alpha>(local, at(pixels + 4 * i), before + i * channels, left,
                                           out + i * channels);
  };
  for (; i + full <= count; i += vector_pixels) next(full);
  for (; i + vector_pixels <= count; i += vector_pixels) next(vector_pixels);
  if (vector_pixels == 1 || i >= count) return;
  Vector rest{};
  __builtin_memcpy(&rest, pixels + 4 * i, (count - i) * 4 * sizeof(float));
  encode_some<Sample, colors, has_alpha>(local, rest, before + i * channels, count - i,
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
  for (; i + vector_lanes <= floats; i += vector_lanes)
    at(pixels + i) = transferred(terms, at(pixels + i));
  if (vector_pixels == 1 || i >= floats) return;
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

DEFINE_KERNELS(Kernels, kernels){decode, encode, look_up, interleave, deinterleave, transfer};

}  // namespace cuda_filters::cpu
