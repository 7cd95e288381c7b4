// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/alpha.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cuda/curves.hpp"
#include "gpu/device.hpp"

// From stored samples to working values and back.

namespace cuda_filters::cuda {

/// What is worked on instead of a stored pixel; without branches, over which no load is moved.
__device__ inline Pixel premultiplied(Pixel p, Alpha alpha) {
  const float factor = alpha == Alpha::premultiplied ? p.a : 1.0f;
  const bool nothing = factor == 0.0f;
  return {nothing ? 0.0f : p.r * factor, nothing ? 0.0f : p.g * factor,
          nothing ? 0.0f : p.b * factor, p.a};
}

// Instructions that convert between whole numbers and floats are four to eight times as slow as
// others. 2^23 plus a smaller whole number is a float that has the number in its lowest bits.

/// A whole number below 2^23 as a float.
__device__ inline float float_of(unsigned number) {
  return __uint_as_float(0x4b000000u | number) - 0x1p23f;
}
/// Byte `k` of four as a float.
__device__ inline float float_of_byte(unsigned four, int k) {
  return __uint_as_float(__byte_perm(four, 0x4b000000u, 0x7440u | k)) - 0x1p23f;
}
/// `value`, from 0 to 1, times `top`, rounded; values outside are the nearest, NaN is 0.
__device__ inline unsigned nearest_code(float value, float top) {
  const float code = __saturatef(value) * top + 0.5f;
  return __float_as_uint(__fadd_rz(code, 0x1p23f)) & 0x7fffffu;
}

/// code / top for codes of 8 or of 16 bits: rounded correctly, and without the branch of a
/// division, over which the compiler moves no loads.
__device__ inline float share_of(float code, float top) {
  const float inverse = 1.0f / top;
  const float near = __fmul_rn(code, inverse);
  return fmaf(fmaf(-near, top, code), inverse, near);
}

__device__ inline float decode_code(unsigned code, float top, const float* values) {
  return values != nullptr ? __ldg(values + code) : share_of(float_of(code), top);
}
/// The working value of byte `k` of four.
__device__ inline float decode_byte(unsigned four, int k, const float* values) {
  return values != nullptr ? __ldg(values + (four >> 8 * k & 255))
                           : share_of(float_of_byte(four, k), 255.0f);
}

/// What the formula makes of a value, given the powers of its exponent.
template <class Power>
__device__ inline float transferred(float v, const TransferTerms& terms, Power power) {
  const float curved =
      fmaf(power((v + terms.before) * terms.factor, terms.exponent), terms.scale, terms.after);
  return v > terms.knee ? curved : v * terms.a;
}
/// A value on a curve that codes are found by.
__device__ inline float encoded(float value, const TransferTerms& terms) {
  return transferred(value, terms, [](float a, float b) { return moderate_power(a, b); });
}

/// The code of a value on a curve, by its formula; sets `doubt` if the table has to decide.
__device__ inline unsigned estimate_code(float value, int top, const DeviceCurves& curves,
                                         bool& doubt) {
  const float code = __saturatef(encoded(value, curves.encoding)) * static_cast<float>(top) + 0.5f;
  const float whole = __fadd_rz(code, 0x1p23f);
  const float rest = code - (whole - 0x1p23f);
  doubt = doubt || fabsf(rest - 0.5f) > 0.5f - curves.margin;
  return __float_as_uint(whole) & 0x7fffffu;
}

/// What encode() gives, if `code` is next to that.
__device__ inline unsigned corrected_code(unsigned code, float value, unsigned top,
                                          const float* thresholds) {
  if (code > 0 && value < thresholds[code - 1]) return code - 1;
  return code < top && value >= thresholds[code] ? code + 1 : code;
}

/// The codes of a pixel's colors. `formula`: its curves follow one; else they may, too.
template <bool formula = false>
__device__ inline void encode_colors(const float (&values)[3], int top, const DeviceCurves& curves,
                                     unsigned (&codes)[3]) {
  if (!formula && curves.thresholds[0] == nullptr) {
#pragma unroll
    for (int c = 0; c < 3; ++c) codes[c] = nearest_code(values[c], static_cast<float>(top));
  } else if (formula || curves.margin > 0.0f) {
    bool doubt = false;
#pragma unroll
    for (int c = 0; c < 3; ++c) codes[c] = estimate_code(values[c], top, curves, doubt);
    if (doubt)
#pragma unroll
      for (int c = 0; c < 3; ++c)
        codes[c] = corrected_code(codes[c], values[c], top, curves.thresholds[c]);
  } else {
#pragma unroll
    for (int c = 0; c < 3; ++c)
      codes[c] =
          static_cast<unsigned>(encode(values[c], curves.thresholds[c], curves.buckets[c], top));
  }
}

/// The code of one sample, of a color or, with c = 3, of alpha.
__device__ inline unsigned encode_code(float value, int top, const DeviceCurves& curves, int c) {
  if (c >= 3 || curves.thresholds[c] == nullptr)
    return nearest_code(value, static_cast<float>(top));
  if (curves.margin <= 0.0f)
    return static_cast<unsigned>(encode(value, curves.thresholds[c], curves.buckets[c], top));
  bool doubt = false;
  const unsigned code = estimate_code(value, top, curves, doubt);
  return doubt ? corrected_code(code, value, top, curves.thresholds[c]) : code;
}

/// A float in another light.
__device__ inline float transferred(float v, const TransferTerms& terms) {
  return transferred(v, terms, [](float a, float b) { return power(a, b); });
}
__device__ inline Pixel transferred(Pixel p, const TransferTerms& terms) {
  return {transferred(p.r, terms), transferred(p.g, terms), transferred(p.b, terms), p.a};
}

}  // namespace cuda_filters::cuda
