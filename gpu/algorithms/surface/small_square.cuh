// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/algorithms/surface/code_planes.cuh"
#include "gpu/cuda/codes.cuh"
#include "gpu/cuda/images.cuh"
#include "gpu/cuda/tiles.cuh"

// Surface blur of bytes in small squares, pixel by pixel.

namespace cuda_filters::cuda::surfaces {

/// A thread has four pixels, one below the other, which share what it reads.
constexpr int small_side = 32, small_rows = 4, small_threads = small_side * small_side / small_rows;

/// A pixel's channels, from 0 to 1; where their number is even, the last one is alpha.
template <int channels>
struct alignas(4 * (channels == 3 ? 4 : channels)) Values {
  static constexpr bool has_alpha = channels % 2 == 0;
  float of[channels];
};

/// What a thread has summed up.
template <int channels>
struct SmallSums {
  Values<channels> centers[small_rows];
  float differences[small_rows][channels]{}, weights[small_rows][channels]{};

  /// Adds a pixel to what is around number k. Where all alpha is 1, `opaque` gives the same bits.
  template <bool opaque>
  __device__ void add(int k, const Values<channels>& pixel, float limit) {
    constexpr bool by_alpha = Values<channels>::has_alpha && !opaque;
    constexpr int summed = channels - (Values<channels>::has_alpha && opaque ? 1 : 0);
#pragma unroll
    for (int c = 0; c < summed; ++c) {
      const float difference = pixel.of[c] - centers[k].of[c];
      float weight = fmaxf(limit - fabsf(difference), 0.0f);
      if (by_alpha && c < channels - 1) weight *= pixel.of[channels - 1];
      weights[k][c] += weight;
      differences[k][c] = fmaf(weight, difference, differences[k][c]);
    }
  }
  __device__ std::uint8_t code(int k, int c) const {
    const float center = centers[k].of[c], weight = weights[k][c];
    const float mean = weight > 0.0f ? center + quotient(differences[k][c], weight) : center;
    return static_cast<std::uint8_t>(nearest_code(mean, 255.0f));
  }
};

/// Adds the squares around the four pixels, column by column. `pixels`: the square's first pixel of
/// the first of them.
template <bool opaque, int channels>
__device__ void add_squares(SmallSums<channels>& sums, const Values<channels>* pixels, int pitch,
                            int radius, float limit) {
  const int rows = 2 * radius + 1;
#pragma unroll 1
  for (int i = 0; i < rows; ++i, ++pixels) {
    const Values<channels>* row = pixels;
    // The first rows belong to some of the squares only, and the last ones.
#pragma unroll
    for (int first = 0; first < small_rows - 1; ++first, row += pitch)
#pragma unroll
      for (int k = 0; k <= first; ++k) sums.template add<opaque>(k, *row, limit);
#pragma unroll 2
    for (int y = small_rows - 1; y < rows; ++y, row += pitch)
#pragma unroll
      for (int k = 0; k < small_rows; ++k) sums.template add<opaque>(k, *row, limit);
#pragma unroll
    for (int last = 1; last < small_rows; ++last, row += pitch)
#pragma unroll
      for (int k = last; k < small_rows; ++k) sums.template add<opaque>(k, *row, limit);
  }
}

/// Of bytes that no light is converted of, for radii of 1 and more; in shared memory lie a tile and
/// what is around it.
template <int channels>
__global__ void __launch_bounds__(small_threads)
    small_square_kernel(Input in, CodeRows out, Tiles tiles, int radius, float limit) {
  using Pixel = Values<channels>;
  extern __shared__ float4 shared_pixels[];
  auto* const pixels = reinterpret_cast<Pixel*>(shared_pixels);
  const int x0 = tiles.x(blockIdx.x), y0 = tiles.y(blockIdx.x), side = small_side + 2 * radius;
  const int column = static_cast<int>(threadIdx.x) % small_side;
  const int line = static_cast<int>(threadIdx.x) / small_side;
  bool clear = false;
  for (int y = line; y < side; y += small_side / small_rows)
    for (int x = column; x < side; x += small_side) {
      const int from_x = min(x0 - radius + x, tiles.area.right() - 1 + radius);
      const int from_y = min(y0 - radius + y, tiles.area.bottom() - 1 + radius);
      const auto* const stored =
          reinterpret_cast<const StoredCodes<channels>*>(in.at(from_x, from_y, channels));
      const StoredCodes<channels> codes = stored != nullptr ? *stored : StoredCodes<channels>{};
      Pixel pixel;
#pragma unroll
      for (int c = 0; c < channels; ++c) pixel.of[c] = share_of(float_of(codes.of[c]), 255.0f);
      pixels[y * side + x] = pixel;
      clear = clear || codes.of[channels - 1] != 255;
    }
  const bool opaque = __syncthreads_or(clear) == 0;
  SmallSums<channels> sums;
  const Pixel* const first = pixels + line * small_rows * side + column;
#pragma unroll
  for (int k = 0; k < small_rows; ++k) sums.centers[k] = first[(radius + k) * side + radius];
  if (Pixel::has_alpha && opaque)
    add_squares<true>(sums, first, side, radius, limit);
  else
    add_squares<false>(sums, first, side, radius, limit);
  const int x = x0 + column;
  if (x >= tiles.area.right()) return;
#pragma unroll
  for (int k = 0; k < small_rows; ++k) {
    const int y = y0 + line * small_rows + k;
    if (y >= tiles.area.bottom()) return;
    StoredCodes<channels> codes;
#pragma unroll
    for (int c = 0; c < channels; ++c) codes.of[c] = sums.code(k, c);
    *reinterpret_cast<StoredCodes<channels>*>(out.at(0, x, y)) = codes;
  }
}

}  // namespace cuda_filters::cuda::surfaces
