// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/edge_kernels.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "gpu/core/luminance.hpp"
#include "gpu/cpu/kernels.hpp"
#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS; without fused multiply-adds.

namespace cuda_filters::cpu {
namespace {

using canny::Channel;

/// 255 times the searched one of three colors; exact for gray.
template <Channel channel>
inline float searched(float r, float g, float b) {
  if constexpr (channel == Channel::luminance) return exact::luminance(r, g, b) * 255.0f;
  if constexpr (channel == Channel::red) return r * 255.0f;
  if constexpr (channel == Channel::green) return g * 255.0f;
  if constexpr (channel == Channel::blue) return b * 255.0f;
  const float larger = r > g ? r : g;
  return (larger > b ? larger : b) * 255.0f;
}

template <class F>
inline void with_channel(Channel channel, F&& f) {
  switch (channel) {
    case Channel::luminance:
      return f.template operator()<Channel::luminance>();
    case Channel::red:
      return f.template operator()<Channel::red>();
    case Channel::green:
      return f.template operator()<Channel::green>();
    case Channel::blue:
      return f.template operator()<Channel::blue>();
    case Channel::value:
      return f.template operator()<Channel::value>();
  }
}

void channel_of_pixels(const float* pixels, int count, Channel channel, float* out) {
  with_channel(channel, [=]<Channel c>() {
    for (int i = 0; i < count; ++i)
      out[i] = searched<c>(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
  });
}

template <int samples>
void colors_of_bytes(const std::uint8_t* codes, int count, Channel channel, float* out) {
  with_channel(channel, [=]<Channel c>() {
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* code = codes + samples * i;
      out[i] =
          searched<c>(static_cast<float>(code[0]) / 255.0f, static_cast<float>(code[1]) / 255.0f,
                      static_cast<float>(code[2]) / 255.0f);
    }
  });
}

void channel_of_bytes(const std::uint8_t* codes, int samples, int count, Channel channel,
                      float* out) {
  if (samples == 3) return colors_of_bytes<3>(codes, count, channel, out);
  if (samples == 4) return colors_of_bytes<4>(codes, count, channel, out);
  // A code divided by 255 and multiplied again is itself.
  const auto copy = [=](int step) {
    for (int i = 0; i < count; ++i) out[i] = static_cast<float>(codes[step * i]);
  };
  samples == 1 ? copy(1) : copy(samples);
}

/// `vectors` vectors of sums, from out[i] on.
template <int vectors>
inline void sum_block(const float* const* rows, const float* weights, int taps, int i, float* out) {
  Vector sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = weights[0] * at(rows[0] + i + v * vector_lanes);
  for (int t = 1; t < taps; ++t)
    for (int v = 0; v < vectors; ++v) sums[v] += weights[t] * at(rows[t] + i + v * vector_lanes);
  for (int v = 0; v < vectors; ++v) at(out + i + v * vector_lanes) = sums[v];
}

void sum_rows(const float* const* rows, const float* weights, int taps, int count, float* out) {
  constexpr int block = 8;
  int i = 0;
  for (; i + block * vector_lanes <= count; i += block * vector_lanes)
    sum_block<block>(rows, weights, taps, i, out);
  for (; i < count; i += vector_lanes) sum_block<1>(rows, weights, taps, i, out);
}

void slopes(const float* row, int count, SlopeRow out) {
  for (int i = 0; i < count; i += vector_lanes) {
    const Vector before = at(row + i - 1), after = at(row + i + 1);
    at(out.difference + i) = after - before;
    at(out.sum + i) = (before + 2.0f * at(row + i)) + after;
  }
}

/// The gradient's components at pixel i, given the slopes.
struct Gradient {
  Vector x, y;
  Gradient(SlopeRow above, SlopeRow middle, SlopeRow below, int i)
      : x{(at(above.difference + i) + 2.0f * at(middle.difference + i)) + at(below.difference + i)},
        y{at(below.sum + i) - at(above.sum + i)} {}
};

void sizes(SlopeRow above, SlopeRow middle, SlopeRow below, int count, bool squares, float* out) {
  for (int i = 0; i < count; i += vector_lanes) {
    const auto [x, y] = Gradient{above, middle, below, i};
    at(out + i) = squares ? x * x + y * y : (x < 0.0f ? -x : x) + (y < 0.0f ? -y : y);
  }
}

/// Bit i is set where lane i of a mask is.
inline unsigned bits(Integers mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
#else
  unsigned bits = 0;
  for (int i = 0; i < vector_lanes; ++i) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
#endif
}

/// Which of the pixels from number `i` on, as many as a vector holds, are peaks above `low`, and
/// which of these are above `high`.
struct Peaks {
  unsigned found, strong;
};
inline Peaks peaks_at(const float* const sizes[3], SlopeRow above, SlopeRow middle, SlopeRow below,
                      int i, float low, float high) {
  const Vector size = at(sizes[1] + i);
  const Integers large = size > low;
  if (bits(large) == 0) return {};  // most of a picture
  const auto [x, y] = Gradient{above, middle, below, i};
  const Vector across = x < 0.0f ? -x : x, along = y < 0.0f ? -y : y;
  const Integers horizontal = along < across * canny::tan_22;
  const Integers vertical = along > across * canny::tan_67;
  const Integers opposed = ((Integers)x ^ (Integers)y) < 0;
  const Vector before = horizontal ? at(sizes[1] + i - 1)
                        : vertical ? at(sizes[0] + i)
                        : opposed  ? at(sizes[0] + i + 1)
                                   : at(sizes[0] + i - 1);
  const Vector after = horizontal ? at(sizes[1] + i + 1)
                       : vertical ? at(sizes[2] + i)
                       : opposed  ? at(sizes[2] + i - 1)
                                  : at(sizes[2] + i + 1);
  const Integers ties_win = horizontal | vertical;
  const Integers peak = (size > before) & ((size > after) | (ties_win & (size == after)));
  const Integers found = peak & large;
  return {bits(found), bits(found & (size > high))};
}

void classify(const float* const sizes[3], SlopeRow above, SlopeRow middle, SlopeRow below,
              int count, float low, float high, std::uint16_t* found_bits,
              std::uint16_t* strong_bits) {
  for (int i = 0; i < count; i += lanes, ++found_bits, ++strong_bits) {
    unsigned found = 0, strong = 0;
    for (int first = 0; first < lanes; first += vector_lanes) {
      const Peaks peaks = peaks_at(sizes, above, middle, below, i + first, low, high);
      found |= peaks.found << first;
      strong |= peaks.strong << first;
    }
    *found_bits = static_cast<std::uint16_t>(found);
    *strong_bits = static_cast<std::uint16_t>(strong);
  }
}

}  // namespace

DEFINE_KERNELS(EdgeKernels, edge_kernels){
    channel_of_pixels, channel_of_bytes, sum_rows, slopes, sizes, classify};

}  // namespace cuda_filters::cpu
