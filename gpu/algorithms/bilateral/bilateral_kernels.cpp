// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/bilateral/bilateral_kernels.hpp"

#ifdef __SSE__
#include <immintrin.h>
#endif

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

/// The larger one; the second one if either is NaN.
inline Vector larger(Vector a, Vector b) {
#if defined(__AVX512F__)
  return (Vector)_mm512_maskz_max_ps(-1, (__m512)a, (__m512)b);  // GCC 12 warns of the plain one
#elif defined(__AVX2__)
  return (Vector)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE__)
  return (Vector)_mm_max_ps((__m128)a, (__m128)b);
#else
  return a > b ? a : b;
#endif
}

/// 2^x for x <= 0, to 3e-6 of its size; 0 for NaN and up to -127, and below -126 something below
/// 2^-126. The polynomial is 1 at 0, so that the bits of a power are those of its exponent.
inline Vector fast_exp2_of(Vector x) {
  constexpr float to_nearest = 0x1.8p23f;
  x = larger(x, Vector{} - 127.0f);
  const Vector whole = x + to_nearest;
  const Vector rest = x - (whole - to_nearest);
  Vector p = Vector{} + 9.582853e-3f;
  p = p * rest + 5.5906426e-2f;
  p = p * rest + 2.4024099e-1f;
  p = p * rest + 6.9312418e-1f;
  p = p * rest + 1.0f;
  return (Vector)((Integers)p + ((Integers)whole << 23));
}

inline Vector moved(Vector was, Vector sum, Vector weight) {
  return weight > bilateral::least_weight ? was + sum / weight : was;
}

inline Vector mean_or(Vector was, Vector sum, Vector weight) {
  return weight > 0.0f ? sum / weight : was;
}

/// One weight for all channels.
template <int colors, bool weighted, int guide_colors>
void blur_together(const BilateralRow& row, int count, float* const* out) {
  constexpr bool alone = guide_colors == 0;
  constexpr int compared = alone ? colors : guide_colors;
  const bilateral::Window& window = row.window;
  const BilateralPlanes &picture = row.picture, &guide = alone ? row.picture : row.guide;
  for (int x = 0; x < count; x += vector_lanes) {
    const auto of = [x](const BilateralPlanes& planes, int channel) {
      return at(planes.center + x + channel * planes.channel);
    };
    Vector was[colors], own[compared];
    for (int c = 0; c < colors; ++c) was[c] = of(picture, c);
    for (int c = 0; c < compared; ++c) own[c] = of(guide, c);
    Vector sums[colors]{}, opaque{}, all{};
    for (int dy = -window.radius; dy <= window.radius; ++dy) {
      const int distance = dy < 0 ? -dy : dy, end = window.ends[distance];
      const float* const of_picture = picture.center + x + dy * picture.row;
      const float* const of_guide = guide.center + x + dy * guide.row;
      Vector row_sums[colors]{}, row_opaque{}, row_all{};
      const auto add = [&](int dx, float exponent) {
        Vector differences[compared];
        for (int c = 0; c < compared; ++c)
          differences[c] = at(of_guide + dx + c * guide.channel) - own[c];
        Vector squared = differences[0] * differences[0];
        for (int c = 1; c < compared; ++c) squared += differences[c] * differences[c];
        const Vector near = fast_exp2_of(exponent - window.range * squared);
        Vector weight = near;
        row_all += near;
        if constexpr (weighted) {
          weight *= at(of_picture + dx + colors * picture.channel);
          row_opaque += weight;
        }
        for (int c = 0; c < colors; ++c)
          row_sums[c] += weight * (alone ? differences[c]
                                         : at(of_picture + dx + c * picture.channel) - was[c]);
      };
      for (int dx = -end; dx <= end; ++dx) add(dx, window.exponents[dx < 0 ? -dx : dx]);
      const float of_row = window.weights[distance];
      all += row_all * of_row;
      if (weighted) opaque += row_opaque * of_row;
      for (int c = 0; c < colors; ++c) sums[c] += row_sums[c] * of_row;
    }
    for (int c = 0; c < colors; ++c)
      at(out[c] + x) = moved(was[c], sums[c], weighted ? opaque : all);
    if (weighted) at(out[colors] + x) = mean_or(of(picture, colors), opaque, all);
  }
}

/// A weight for each channel.
template <int colors, bool weighted>
void blur_by_channel(const BilateralRow& row, int count, float* const* out) {
  constexpr int channels = colors + weighted;
  const bilateral::Window& window = row.window;
  const BilateralPlanes &picture = row.picture,
                        &guide = row.guide_colors == 0 ? row.picture : row.guide;
  for (int x = 0; x < count; x += vector_lanes) {
    Vector was[channels], own[channels], sums[channels]{}, all[channels]{};
    for (int c = 0; c < channels; ++c) {
      was[c] = at(picture.center + x + c * picture.channel);
      own[c] = at(guide.center + x + c * guide.channel);
    }
    for (int dy = -window.radius; dy <= window.radius; ++dy) {
      const int distance = dy < 0 ? -dy : dy, end = window.ends[distance];
      const float of_row = window.weights[distance];
      for (int c = 0; c < channels; ++c) {
        const bool is_alpha = c == colors;
        const float* const alphas =
            picture.center + x + dy * picture.row + colors * picture.channel;
        const float* const values = picture.center + x + dy * picture.row + c * picture.channel;
        const float* const guides = guide.center + x + dy * guide.row + c * guide.channel;
        Vector row_sum{}, row_all{};
        for (int dx = -end; dx <= end; ++dx) {
          const Vector difference = at(guides + dx) - own[c];
          Vector weight = fast_exp2_of(window.exponents[dx < 0 ? -dx : dx] -
                                       window.range * (difference * difference));
          if (weighted && !is_alpha) weight *= at(alphas + dx);
          row_sum += weight * (is_alpha ? at(values + dx) : at(values + dx) - was[c]);
          row_all += weight;
        }
        sums[c] += row_sum * of_row;
        all[c] += row_all * of_row;
      }
    }
    for (int c = 0; c < channels; ++c)
      at(out[c] + x) =
          c == colors ? mean_or(was[c], sums[c], all[c]) : moved(was[c], sums[c], all[c]);
  }
}

template <int colors, bool weighted>
void blur_colors(const BilateralRow& row, int count, float* const* out) {
  if (row.by_channel) return blur_by_channel<colors, weighted>(row, count, out);
  switch (row.guide_colors) {
    case 0:
      return blur_together<colors, weighted, 0>(row, count, out);
    case 1:
      return blur_together<colors, weighted, 1>(row, count, out);
    default:
      return blur_together<colors, weighted, 3>(row, count, out);
  }
}

void blur(const BilateralRow& row, int count, float* const* out) {
  if (row.colors == 1)
    return row.weighted ? blur_colors<1, true>(row, count, out)
                        : blur_colors<1, false>(row, count, out);
  return row.weighted ? blur_colors<3, true>(row, count, out)
                      : blur_colors<3, false>(row, count, out);
}

template <int values, bool weighted, bool counts_all>
void splat_values(const GridSplat& row, int count) {
  constexpr int sums = values + 1 + counts_all;
  for (int x = 0; x < count; x += vector_lanes) {
    const Vector difference = at(row.guide + x) - row.node;
    const Vector near = exp2_of(-row.range * (difference * difference));
    Vector weight = near;
    if constexpr (weighted) weight *= at(row.alphas + x);
    Vector of_pixel[sums];
    for (int k = 0; k < values; ++k) of_pixel[k] = weight * at(row.values[k] + x);
    of_pixel[values] = weight;
    if constexpr (counts_all) of_pixel[values + 1] = near;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < sums; ++k)
        at(row.sums[i] + k * row.sum + x) += row.weights[i] * of_pixel[k];
  }
}

template <int values>
void splat_weighted(const GridSplat& row, int count) {
  if (row.alphas == nullptr) return splat_values<values, false, false>(row, count);
  return row.counts_all ? splat_values<values, true, true>(row, count)
                        : splat_values<values, true, false>(row, count);
}

void splat(const GridSplat& row, int count) {
  return row.value_count == 1 ? splat_weighted<1>(row, count) : splat_weighted<3>(row, count);
}

void convolve(const GridTaps& taps, int count, float* out) {
  constexpr int vectors = 4;
  for (int x = 0; x < count; x += vectors * vector_lanes) {
    Vector sums[vectors]{};
    for (int dy = -taps.reach; dy <= taps.reach; ++dy) {
      const int distance = dy < 0 ? -dy : dy, end = taps.ends[distance];
      const float* const weights = taps.kernel + distance * (2 * taps.reach + 1) + taps.reach;
      const float* const cells = taps.cells + dy * taps.row + x;
      for (int dx = -end; dx <= end; ++dx)
        for (int i = 0; i < vectors; ++i)
          sums[i] += weights[dx] * at(cells + dx + i * vector_lanes);
    }
    for (int i = 0; i < vectors; ++i) at(out + x + i * vector_lanes) = sums[i];
  }
}

template <int sum_count>
void mix_sums(const GridMixing& row, int count, float* sums, std::ptrdiff_t sum) {
  const bilateral::Grid& grid = row.grid;
  const std::ptrdiff_t of_cell = static_cast<std::ptrdiff_t>(row.node_count) * sum_count;
  for (int i = 0; i < count; ++i) {
    const float place = grid.place(row.guide[i]);
    const int bin = grid.bin(place);
    if (bin == bilateral::no_bin) continue;
    const int first = row.first_of_bin[bin - bilateral::first_bin] - row.first_node;
    if (first >= row.node_count || first + bilateral::mixed_nodes <= 0) continue;
    const auto mixing = grid.mixing_at(place, bin);
    const float* const spline = grid.spline_at(row.x + i);
    const float before = spline[2 * grid.step], here = spline[grid.step], after = spline[0];
    const float* const cells =
        row.cells + (grid.cell(row.x + i) - 1 - row.first_cell) * of_cell + first * sum_count;
    float mixed[sum_count];
    for (int k = 0; k < sum_count; ++k) mixed[k] = sums[k * sum + i];
    for (int n = 0; n < bilateral::mixed_nodes; ++n) {
      if (first + n < 0 || first + n >= row.node_count) continue;
      const float weight = mixing[n];
      const float* const at = cells + n * sum_count;
      for (int k = 0; k < sum_count; ++k)
        mixed[k] +=
            weight * (before * at[k] + here * at[of_cell + k] + after * at[2 * of_cell + k]);
    }
    for (int k = 0; k < sum_count; ++k) sums[k * sum + i] = mixed[k];
  }
}

void mix(const GridMixing& row, int count, float* sums, std::ptrdiff_t sum) {
  switch (row.sum_count) {
    case 2:
      return mix_sums<2>(row, count, sums, sum);
    case 3:
      return mix_sums<3>(row, count, sums, sum);
    case 4:
      return mix_sums<4>(row, count, sums, sum);
    default:
      return mix_sums<5>(row, count, sums, sum);
  }
}

}  // namespace

DEFINE_KERNELS(BilateralKernels, bilateral_kernels){blur, splat, convolve, mix};

}  // namespace cuda_filters::cpu
