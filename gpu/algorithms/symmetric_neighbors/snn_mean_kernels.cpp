// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/symmetric_neighbors/snn_mean_kernels.hpp"

#include "gpu/algorithms/symmetric_neighbors/symmetric_neighbors.hpp"
#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

// A comparison gives a mask, by which each channel's vector is chosen. NaN is not less.
#if defined(__AVX512F__)
using Mask = __mmask16;
inline Mask is_less(Vector a, Vector b) {
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
/// The lesser one; the second one if either is NaN.
inline Vector lesser(Vector a, Vector b) {
  return (Vector)_mm512_maskz_min_ps(-1, (__m512)a, (__m512)b);  // GCC 12 warns of the plain one
}
inline Vector chosen(Mask mask, Vector yes, Vector no) {
  return (Vector)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
}
#elif defined(__AVX2__)
using Mask = __m256;
inline Mask is_less(Vector a, Vector b) { return _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ); }
inline Vector lesser(Vector a, Vector b) { return (Vector)_mm256_min_ps((__m256)a, (__m256)b); }
inline Vector chosen(Mask mask, Vector yes, Vector no) {
  return (Vector)_mm256_blendv_ps((__m256)no, (__m256)yes, mask);
}
#else
using Mask = Integers;
inline Mask is_less(Vector a, Vector b) { return a < b; }
inline Vector lesser(Vector a, Vector b) { return a < b ? a : b; }
inline Vector chosen(Mask mask, Vector yes, Vector no) {
  return (Vector)(((Integers)yes & mask) | ((Integers)no & ~mask));
}
#endif

/// As many pixels side by side as a vector holds, each channel by itself.
template <int channels>
struct Pixels {
  Vector of[channels];
};

/// What is nearest to `from` of the pixels that look_at() was called with, each lane by itself: the
/// first of several, and `from` itself where all are far away.
template <int colors, int channels>
struct NearestOf {
  const Pixels<channels>& from;
  Pixels<channels> pixels = from;
  Vector distance = Vector{} + symmetric_neighbors::far_away;

  void look_at(const float* place, std::ptrdiff_t channel) {
    Vector found[channels];
    for (int c = 0; c < channels; ++c) found[c] = at(place + c * channel);
    const auto squared_of = [&](int c) {
      const Vector difference = found[c] - from.of[c];
      return difference * difference;
    };
    Vector squared = squared_of(0);
    if constexpr (colors == 1)
      squared = (squared + squared) + squared;
    else
      for (int c = 1; c < colors; ++c) squared += squared_of(c);
    const Mask is_nearer = is_less(squared, distance);
    for (int c = 0; c < channels; ++c) pixels.of[c] = chosen(is_nearer, found[c], pixels.of[c]);
    distance = lesser(squared, distance);
  }
};

template <int colors, bool has_alpha, int pairs>
void mean_of(const SnnRow& row, int count, float* const* out) {
  constexpr int channels = colors + has_alpha;
  for (int x = 0; x < count; x += vector_lanes) {
    const float* const center = row.center + x;
    Pixels<channels> own;
    Vector sums[channels];
    for (int c = 0; c < channels; ++c) {
      own.of[c] = at(center + c * row.channel);
      sums[c] = own.of[c] * row.own_count;
    }
    for (int dy = 1; dy <= row.radius; ++dy) {
      const float *const above = center - dy * row.row, *const below = center + dy * row.row;
      Vector of_row[channels]{};
      for (int dx = 1; dx <= row.radius; ++dx) {
        NearestOf<colors, channels> nearest{own};
        nearest.look_at(above - dx, row.channel);
        nearest.look_at(below + dx, row.channel);
        if constexpr (pairs == 1) {
          NearestOf<colors, channels> mirrored{own};
          mirrored.look_at(above + dx, row.channel);
          mirrored.look_at(below - dx, row.channel);
          for (int c = 0; c < channels; ++c)
            of_row[c] += nearest.pixels.of[c] + mirrored.pixels.of[c];
        } else {
          nearest.look_at(above + dx, row.channel);
          nearest.look_at(below - dx, row.channel);
          for (int c = 0; c < channels; ++c) of_row[c] += nearest.pixels.of[c];
        }
      }
      for (int c = 0; c < channels; ++c) sums[c] += of_row[c];
    }
    for (int c = 0; c < channels; ++c) at(out[c] + x) = sums[c] * row.share;
  }
}

template <int colors, bool has_alpha>
void mean_of_pairs(const SnnRow& row, int count, float* const* out) {
  if (row.pairs == 1) return mean_of<colors, has_alpha, 1>(row, count, out);
  mean_of<colors, has_alpha, 2>(row, count, out);
}

void mean(const SnnRow& row, int count, float* const* out) {
  if (row.colors == 1)
    return row.has_alpha ? mean_of_pairs<1, true>(row, count, out)
                         : mean_of_pairs<1, false>(row, count, out);
  return row.has_alpha ? mean_of_pairs<3, true>(row, count, out)
                       : mean_of_pairs<3, false>(row, count, out);
}

}  // namespace

DEFINE_KERNELS(SnnMeanKernels, snn_mean_kernels){mean};

}  // namespace cuda_filters::cpu
