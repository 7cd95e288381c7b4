// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/core/canny.hpp"

namespace cuda_filters::cpu {

/// A row of gradients and their magnitudes (or the squares); the magnitude has a 0 before its first
/// and after its last one.
struct GradientRow {
  float *x, *y, *size;
};

/// The inner loops of edges(), compiled for each level as Kernels are, with the same slack. Every
/// product and every sum is rounded by itself, so that all levels and the GPU give the same bits.
struct EdgeKernels {
  /// Pixels as in Kernels to what is searched, in units of 1/255.
  void (*channel_of_pixels)(const float* pixels, int count, canny::Channel channel, float* out);
  /// The same from 8-bit codes without a curve, `samples` a pixel.
  void (*channel_of_bytes)(const std::uint8_t* codes, int samples, int count,
                           canny::Channel channel, float* out);
  /// out[i] = the sum over t of weights[t] · rows[t][i].
  void (*sum_rows)(const float* const* rows, const float* weights, int taps, int count, float* out);
  /// Sobel's gradient of the middle row; the rows have one pixel more at both ends.
  void (*gradient)(const float* above, const float* middle, const float* below, int count,
                   bool squares, GradientRow out);
  /// The classes of the middle row, a byte each: canny::none, weak or strong.
  void (*classify)(const float* size_above, GradientRow middle, const float* size_below, int count,
                   float low, float high, std::uint8_t* classes);
};

/// The best level's.
const EdgeKernels& edge_kernels();

}  // namespace cuda_filters::cpu
