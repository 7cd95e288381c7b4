// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/canny/canny.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// What a row contributes to the gradients of its neighbors: the difference of each pixel's
/// neighbors, and the sum of both and of twice the pixel.
struct SlopeRow {
  float *difference, *sum;
};

/// The inner loops of canny_edges(), compiled for each level as Kernels are, with the same slack.
/// Every product and every sum is rounded by itself, so that all levels and the GPU give the same
/// bits.
struct EdgeKernels {
  /// Pixels as in Kernels to what is searched, in units of 1/255.
  void (*channel_of_pixels)(const float* pixels, int count, canny::Channel channel, float* out);
  /// The same from 8-bit codes without a curve, `samples` a pixel.
  void (*channel_of_bytes)(const std::uint8_t* codes, int samples, int count,
                           canny::Channel channel, float* out);
  /// out[i] = the sum over t of weights[t] · rows[t][i].
  void (*sum_rows)(const float* const* rows, const float* weights, int taps, int count, float* out);
  /// The row has one pixel more at both ends.
  void (*slopes)(const float* row, int count, SlopeRow out);
  /// The magnitudes of Sobel's gradient in the middle row, or the squares.
  void (*sizes)(SlopeRow above, SlopeRow middle, SlopeRow below, int count, bool squares,
                float* out);
  /// The classes of the middle row, 16 pixels at a time, as bits: `found` those that have a class,
  /// `strong` those that are canny::strong. sizes: of the row above, of this one and of the one
  /// below, with one pixel more at both ends. Bits of the slack's pixels may be set, too.
  void (*classify)(const float* const sizes[3], SlopeRow above, SlopeRow middle, SlopeRow below,
                   int count, float low, float high, std::uint16_t* found, std::uint16_t* strong);
};

}  // namespace cuda_filters::cpu
