// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/align/align_kernels.hpp"

// Compiled once for each level: see DEFINE_KERNELS; without fused multiply-adds.

namespace cuda_filters::cpu {
namespace {

void luma(const float* pixels, int count, float* out) {
  for (int i = 0; i < count; ++i)
    out[i] = align::luma({pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], 1.0f});
}

void halve(const float* above, const float* below, int count, float* out) {
  for (int i = 0; i < count; ++i)
    out[i] = align::halved(align::searchable(above[2 * i]), align::searchable(above[2 * i + 1]),
                           align::searchable(below[2 * i]), align::searchable(below[2 * i + 1]));
}

void median(const float* above, const float* middle, const float* below, int count, float* out) {
  const float* const rows[3] = {above + 1, middle + 1, below + 1};
  for (int i = 0; i < count; ++i)
    out[i] = align::median([=](int dx, int dy) { return align::searchable(rows[dy + 1][i + dx]); });
}

void smooth_down(const float* const* rows, int count, float* out) {
  const float* const* middle = rows + align::smooth_radius;
  for (int i = 0; i < count; ++i) out[i] = align::smoothed([=](int k) { return middle[k][i]; });
}

void smooth_along(const float* row, int count, float* out) {
  const float* middle = row + align::smooth_radius;
  for (int i = 0; i < count; ++i) out[i] = align::smoothed([=](int k) { return middle[i + k]; });
}

void contours(const float* above, const float* middle, const float* below, int count, float* out) {
  for (int i = 0; i < count; ++i)
    out[i] = align::contour(middle[i], middle[i + 2], above[i + 1], below[i + 1]);
}

void contour_codes(const float* contours, int count, float scale, std::uint8_t* codes) {
  for (int i = 0; i < count; ++i) codes[i] = align::contour_code(contours[i], scale);
}

void add_products(const std::uint8_t* f, const std::uint8_t* g, int count, align::Sums& sums) {
  // So many squares of bytes fit into 32 bits.
  constexpr int max_part = 1 << 15;
  for (int first = 0; first < count; first += max_part) {
    const int end = count - first < max_part ? count : first + max_part;
    std::uint32_t sum_f = 0, sum_g = 0, sum_ff = 0, sum_gg = 0, sum_fg = 0;
    for (int i = first; i < end; ++i) {
      const std::uint16_t a = f[i], b = g[i];
      sum_f += a, sum_g += b;
      sum_ff += static_cast<std::uint32_t>(a) * a;
      sum_gg += static_cast<std::uint32_t>(b) * b;
      sum_fg += static_cast<std::uint32_t>(a) * b;
    }
    sums.f += sum_f, sums.g += sum_g, sums.ff += sum_ff, sums.gg += sum_gg, sums.fg += sum_fg;
  }
}

void interpolate_down(const float* const* rows, const align::CubicWeights& weights, int count,
                      float* out) {
  const auto [w] = weights;
  for (int i = 0; i < count; ++i)
    out[i] = (w[0] * rows[0][i] + w[1] * rows[1][i]) + (w[2] * rows[2][i] + w[3] * rows[3][i]);
}

void interpolate_along(const float* row, const align::CubicWeights& weights, int count,
                       float* out) {
  const auto [w] = weights;
  for (int i = 0; i < count; ++i)
    out[i] = (w[0] * row[i] + w[1] * row[i + 1]) + (w[2] * row[i + 2] + w[3] * row[i + 3]);
}

}  // namespace

DEFINE_KERNELS(AlignKernels, align_kernels) = {
    luma,     halve,         median,       smooth_down,      smooth_along,
    contours, contour_codes, add_products, interpolate_down, interpolate_along};

}  // namespace cuda_filters::cpu
