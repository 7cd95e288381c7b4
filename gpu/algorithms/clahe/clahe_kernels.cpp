// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/clahe/clahe_kernels.hpp"

#include "gpu/core/luminance.hpp"
#include "gpu/cpu/vectors.hpp"

// Compiled once for each level: see DEFINE_KERNELS. All of it has the bits of clahe.hpp: no product
// is fused with a sum, see meson.build.

namespace cuda_filters::cpu {
namespace {

/// Four numbers of each of as many things as a vector has lanes. By things: thing 4j + k is the
/// j-th quarter of vector k's quads; by numbers: vector k has the k-th of each.
struct Fours {
  Vector v[4];
};

#if defined(__AVX512F__)
inline Vector low_halves(Vector a, Vector b) {
  return (Vector)_mm512_maskz_unpacklo_ps(0xffff, (__m512)a, (__m512)b);
}
inline Vector high_halves(Vector a, Vector b) {
  return (Vector)_mm512_maskz_unpackhi_ps(0xffff, (__m512)a, (__m512)b);
}
inline Vector low_pairs(Vector a, Vector b) {
  return (Vector)_mm512_maskz_unpacklo_pd(0xff, (__m512d)a, (__m512d)b);
}
inline Vector high_pairs(Vector a, Vector b) {
  return (Vector)_mm512_maskz_unpackhi_pd(0xff, (__m512d)a, (__m512d)b);
}
template <class At>
inline Vector quads_of(At at) {
  __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(at(0)));
  all = _mm512_maskz_insertf32x4(0xffff, all, _mm_loadu_ps(at(4)), 1);
  all = _mm512_maskz_insertf32x4(0xffff, all, _mm_loadu_ps(at(8)), 2);
  return (Vector)_mm512_maskz_insertf32x4(0xffff, all, _mm_loadu_ps(at(12)), 3);
}
template <class At>
inline void store_quads(Vector v, At at) {
  float all[16];
  _mm512_storeu_ps(all, (__m512)v);
  for (int i = 0; i < 16; i += 4) _mm_storeu_ps(at(i), _mm_loadu_ps(all + i));
}
#elif defined(__AVX2__)
inline Vector low_halves(Vector a, Vector b) {
  return (Vector)_mm256_unpacklo_ps((__m256)a, (__m256)b);
}
inline Vector high_halves(Vector a, Vector b) {
  return (Vector)_mm256_unpackhi_ps((__m256)a, (__m256)b);
}
inline Vector low_pairs(Vector a, Vector b) {
  return (Vector)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
}
inline Vector high_pairs(Vector a, Vector b) {
  return (Vector)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
}
template <class At>
inline Vector quads_of(At at) {
  return (Vector)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at(0))),
                                      _mm_loadu_ps(at(4)), 1);
}
template <class At>
inline void store_quads(Vector v, At at) {
  _mm_storeu_ps(at(0), _mm256_castps256_ps128((__m256)v));
  _mm_storeu_ps(at(4), _mm256_extractf128_ps((__m256)v, 1));
}
#else
inline Vector low_halves(Vector a, Vector b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
inline Vector high_halves(Vector a, Vector b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
inline Vector low_pairs(Vector a, Vector b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
inline Vector high_pairs(Vector a, Vector b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
template <class A>
inline Vector quads_of(A address) {
  return at(address(0));
}
template <class A>
inline void store_quads(Vector v, A address) {
  at(address(0)) = v;
}
#endif

/// From things to numbers, and back.
inline Fours transposed(const Fours& f) {
  const Vector low01 = low_halves(f.v[0], f.v[1]), high01 = high_halves(f.v[0], f.v[1]);
  const Vector low23 = low_halves(f.v[2], f.v[3]), high23 = high_halves(f.v[2], f.v[3]);
  return {{low_pairs(low01, low23), high_pairs(low01, low23), low_pairs(high01, high23),
           high_pairs(high01, high23)}};
}
/// The four numbers at address(0), address(1) and so on.
template <class Address>
inline Fours load_fours(Address address) {
  Fours all;
  for (int k = 0; k < 4; ++k) all.v[k] = quads_of([&](int j) { return address(j + k); });
  return transposed(all);
}
inline void store_fours(const Fours& numbers, float* to) {
  const Fours things = transposed(numbers);
  for (int k = 0; k < 4; ++k) store_quads(things.v[k], [&](int j) { return to + 4 * (j + k); });
}

template <class T>
inline T loaded(const void* from) {
  T v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

inline Vector limited(Vector v) {
  const Vector zero{}, one = zero + 1.0f;
  return v > zero ? (v < one ? v : one) : zero;
}
inline Integers is_finite(Vector v) { return v - v == Vector{}; }
inline Integers code_of(Vector v, float top) {
  return __builtin_convertvector(v * top + 0.5f, Integers);
}

/// clahe::interpolated(), as a float.
inline Vector interpolated(const Fours& of, Vector x, float y) {
  const Vector rest = 1.0f - x;
  const Vector above = of.v[0] * rest + of.v[1] * x, below = of.v[2] * rest + of.v[3] * x;
  constexpr float shift = 0x1.8p23f;
  return (above * (1.0f - y) + below * y + shift) - shift;
}

/// What each table has for the codes.
inline Fours looked_up(const FourTables& tables, Integers codes) {
  if (tables.together != nullptr) {
    int each[vector_lanes];
    __builtin_memcpy(each, &codes, sizeof each);
    return load_fours([&](int i) { return tables.together + 4 * each[i]; });
  }
  Fours found;
  for (int table = 0; table < 4; ++table) {
#if defined(__AVX2__)
    const std::uint16_t* const same[3] = {tables.of[table], tables.of[table], tables.of[table]};
    found.v[table] = __builtin_convertvector(pairs_at(same, codes) & 0xffff, Vector);
#else
    for (int i = 0; i < vector_lanes; ++i) found.v[table][i] = tables.of[table][codes[i]];
#endif
  }
  return found;
}

void interleave(const std::uint16_t* const* of, int bins, float* together) {
  using Words = Samples<std::uint16_t>;
  for (int bin = 0; bin < bins; bin += vector_lanes) {
    Fours all;
    for (int table = 0; table < 4; ++table)
      all.v[table] = Words::floats(loaded<Words::Bits>(of[table] + bin));
    store_fours(all, together + 4 * bin);
  }
}

template <class Stored>
void equalize_codes(const FourTables& tables, const float* shares, int count, int channels,
                    const Stored* from, Stored* to) {
  using All = Samples<Stored>;
  const auto equalized = [&](const Stored* codes, const float* x) {
    const Fours found =
        tables.together != nullptr
            ? load_fours([&](int i) { return tables.together + 4 * std::size_t{codes[i]}; })
            : looked_up(tables, All::integers(loaded<typename All::Bits>(codes)));
    return All::narrowed(
        __builtin_convertvector(interpolated(found, at(x), tables.share), Integers));
  };
  int i = 0;
  if (channels == 1)
    for (; i + vector_lanes <= count; i += vector_lanes) {
      const auto found = equalized(from + i, shares + i);
      __builtin_memcpy(to + i, &found, sizeof found);
    }
  for (; i < count; i += vector_lanes) {
    const int some = count - i < vector_lanes ? count - i : vector_lanes;
    Stored codes[vector_lanes] = {};
    float x[vector_lanes] = {};
    for (int k = 0; k < some; ++k) codes[k] = from[channels * (i + k)], x[k] = shares[i + k];
    const auto found = equalized(codes, x);
    __builtin_memcpy(codes, &found, sizeof found);
    for (int k = 0; k < some; ++k) to[channels * (i + k)] = codes[k];
  }
}

/// clahe::counted_value() of colors.
inline Vector counted_value(const Fours& p, int lists, int list) {
  if (lists > 1) return limited(p.v[list]) + (p.v[list] - p.v[list]);
  const Vector r = limited(p.v[0]), g = limited(p.v[1]), b = limited(p.v[2]);
  const Vector nothing = (p.v[0] - p.v[0]) + (p.v[1] - p.v[1]) + (p.v[2] - p.v[2]);
  return (g + (red_share * (r - g) + blue_share * (b - g))) + nothing;
}

/// Calls f with the `vector_lanes` pixels from each place on, and, of fewer ones, with a copy that
/// `give_back` says to copy back.
template <class F>
inline void for_vectors(const float* pixels, int count, F f) {
  int i = 0;
  for (; i + vector_lanes <= count; i += vector_lanes) f(i, pixels + std::size_t{4} * i);
  if (i == count) return;
  float some[4 * vector_lanes] = {};
  __builtin_memcpy(some, pixels + std::size_t{4} * i, std::size_t{4} * (count - i) * sizeof(float));
  f(i, static_cast<const float*>(some));
}

inline Fours pixels_at(const float* pixels) {
  return load_fours([&](int i) { return pixels + 4 * i; });
}

/// clahe::with_luminance().
inline void scale_colors(Fours& p, Vector luminance, Vector found, float top) {
  const Vector wanted = found / top, zero{};
  const Integers scales = code_of(limited(luminance), top) > 0, counts = is_finite(luminance);
  const Vector factor = scales ? wanted / luminance : zero + 1.0f;
  const Vector more = scales ? zero : wanted - luminance;
  for (int color = 0; color < 3; ++color) {
    const Vector value = p.v[color], inside = limited(value);
    p.v[color] = counts ? ((inside * factor + more) + (value - inside)) : value;
  }
}

void equalize_pixels(const FourTables& tables, const float* shares, int count, int lists, int list,
                     bool color, float top, float* pixels) {
  for_vectors(pixels, count, [&](int i, const float* from) {
    const int some = count - i < vector_lanes ? count - i : vector_lanes;
    Fours p = pixels_at(from);
    const Vector value = counted_value(p, lists, list);
    float x[vector_lanes] = {};
    for (int k = 0; k < some; ++k) x[k] = shares[i + k];
    const Vector found =
        interpolated(looked_up(tables, code_of(limited(value), top)), at(x), tables.share);
    if (lists == 1 && color) {
      scale_colors(p, value, found, top);
    } else {
      Vector& c = p.v[list];
      c = is_finite(c) ? found / top + (c - limited(c)) : c;
      if (!color) p.v[1] = p.v[2] = p.v[0];
    }
    float* const to = pixels + std::size_t{4} * i;
    if (some == vector_lanes) return store_fours(p, to);
    float all[4 * vector_lanes];
    store_fours(p, all);
    __builtin_memcpy(to, all, std::size_t{4} * some * sizeof(float));
  });
}

template <class Code>
void count_pixels(const float* pixels, int count, int lists, int list, float top, Code* codes) {
  for_vectors(pixels, count, [&](int i, const float* from) {
    const int some = count - i < vector_lanes ? count - i : vector_lanes;
    const Fours p = pixels_at(from);
    const Vector value = counted_value(p, lists, list);
    const Integers counts = is_finite(value) & (p.v[3] > Vector{});
    const Integers all =
        counts ? code_of(limited(value), top) : Integers{} + (static_cast<int>(top) + 1);
    const auto narrow = Samples<Code>::narrowed(all);
    __builtin_memcpy(codes + i, &narrow, some * sizeof(Code));
  });
}

}  // namespace

DEFINE_KERNELS(ClaheKernels, clahe_kernels){
    interleave,      equalize_codes<std::uint8_t>, equalize_codes<std::uint16_t>,
    equalize_pixels, count_pixels<std::uint16_t>,  count_pixels<std::uint32_t>};

}  // namespace cuda_filters::cpu
