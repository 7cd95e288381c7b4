// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#ifdef __AVX2__
#include <immintrin.h>
#endif

// A source that includes this is compiled several times, for different processors: nothing here may
// have external linkage.

namespace cuda_filters::cpu {
namespace {

// As many as one register holds: vectors of several registers the compiler takes apart in memory,
// which takes several times as long as what is computed.
#if defined(__AVX512F__)
constexpr int vector_lanes = 16;
#elif defined(__AVX2__)
constexpr int vector_lanes = 8;
#else
constexpr int vector_lanes = 4;
#endif

typedef float Vector
    __attribute__((vector_size(vector_lanes * sizeof(float)), aligned(4), may_alias));
typedef int Integers
    __attribute__((vector_size(vector_lanes * sizeof(int)), aligned(4), may_alias));

inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }
inline const Vector& at(const float* p) { return *reinterpret_cast<const Vector*>(p); }

/// Whether any lane of a mask, whose lanes are all ones or 0, is set.
inline bool any(Integers mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#else
  int all = 0;
  for (int i = 0; i < vector_lanes; ++i) all |= mask[i];
  return all != 0;
#endif
}

/// a · b + c, with one rounding on processors that can. Where two loops must give the same bits,
/// this is written out: GCC 13 fused products and sums in one of them only.
inline Vector fused(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  return (Vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
  return (Vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

/// 2^x for x <= 0, to 2e-7 of its size; 0 below 2^-126, and for NaN. The polynomial is Taylor's on
/// [-½, ½].
inline Vector exp2_of(Vector x) {
  const Vector bounded = x > -126.0f ? x : Vector{} - 126.0f;
  const Integers whole =
      __builtin_convertvector(bounded - 0.5f, Integers);  // towards 0: to nearest
  const Vector rest = bounded - __builtin_convertvector(whole, Vector);
  Vector p = Vector{} + 1.5403530e-4f;
  p = p * rest + 1.3333558e-3f;
  p = p * rest + 9.6181291e-3f;
  p = p * rest + 5.5504109e-2f;
  p = p * rest + 2.4022651e-1f;
  p = p * rest + 6.9314718e-1f;
  p = p * rest + 1.0f;
  const Vector power = reinterpret_cast<Vector>((whole + 127) << 23);
  return x > -126.0f ? p * power : Vector{};
}

}  // namespace
}  // namespace cuda_filters::cpu
