// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/edge_kernels.hpp"

#include "gpu/core/luminance.hpp"
#include "gpu/cpu/kernels.hpp"

// Compiled as gpu/cpu/kernels.cpp is, and without fused multiply-adds.

#define CONCATENATE(a, b) a##b
#define NAME_OF(level) CONCATENATE(edge_kernels_, level)

namespace cuda_filters::cpu {
namespace {

using canny::Channel;

typedef float Vector __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));
typedef std::int32_t Mask __attribute__((vector_size(lanes * sizeof(std::int32_t))));
typedef std::int64_t Halves __attribute__((vector_size(lanes * sizeof(std::int32_t))));

inline const Vector& at(const float* p) { return *reinterpret_cast<const Vector*>(p); }
inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }

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

void sum_rows(const float* const* rows, const float* weights, int taps, int count, float* out) {
  constexpr int block = 4;
  int i = 0;
  for (; i + block * lanes <= count; i += block * lanes) {
    Vector sums[block];
    for (int v = 0; v < block; ++v) sums[v] = weights[0] * at(rows[0] + i + v * lanes);
    for (int t = 1; t < taps; ++t)
      for (int v = 0; v < block; ++v) sums[v] += weights[t] * at(rows[t] + i + v * lanes);
    for (int v = 0; v < block; ++v) at(out + i + v * lanes) = sums[v];
  }
  for (; i < count; i += lanes) {
    Vector sum = weights[0] * at(rows[0] + i);
    for (int t = 1; t < taps; ++t) sum += weights[t] * at(rows[t] + i);
    at(out + i) = sum;
  }
}

void slopes(const float* row, int count, SlopeRow out) {
  for (int i = 0; i < count; i += lanes) {
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
  for (int i = 0; i < count; i += lanes) {
    const auto [x, y] = Gradient{above, middle, below, i};
    at(out + i) = squares ? x * x + y * y : (x < 0.0f ? -x : x) + (y < 0.0f ? -y : y);
  }
}

/// All pairs of lanes of a mask, ORed together.
inline std::uint64_t or_of_lanes(const Mask& mask) {
  const Halves halves = reinterpret_cast<const Halves&>(mask);
  const auto four = __builtin_shufflevector(halves, halves, 0, 1, 2, 3) |
                    __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
  const auto two =
      __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
  return static_cast<std::uint64_t>(two[0] | two[1]);
}

/// Bit i is set where lane i of a mask is.
inline std::uint16_t bits(const Mask& mask) {
  constexpr Mask places = {1,   2,   4,    8,    16,   32,   64,    128,
                           256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  const std::uint64_t pairs = or_of_lanes(mask & places);
  return static_cast<std::uint16_t>(pairs | pairs >> 32);
}

void classify(const float* const sizes[3], SlopeRow above, SlopeRow middle, SlopeRow below,
              int count, float low, float high, std::uint16_t* found_bits,
              std::uint16_t* strong_bits) {
  for (int i = 0; i < count; i += lanes, ++found_bits, ++strong_bits) {
    *found_bits = *strong_bits = 0;
    const Vector size = at(sizes[1] + i);
    const Mask large = size > low;
    if (or_of_lanes(large) == 0) continue;  // most of a picture
    const auto [x, y] = Gradient{above, middle, below, i};
    const Vector across = x < 0.0f ? -x : x, along = y < 0.0f ? -y : y;
    const Mask horizontal = along < across * canny::tan_22;
    const Mask vertical = along > across * canny::tan_67;
    const Mask opposed = (reinterpret_cast<Mask>(x) ^ reinterpret_cast<Mask>(y)) < 0;
    const Vector before = horizontal ? at(sizes[1] + i - 1)
                          : vertical ? at(sizes[0] + i)
                          : opposed  ? at(sizes[0] + i + 1)
                                     : at(sizes[0] + i - 1);
    const Vector after = horizontal ? at(sizes[1] + i + 1)
                         : vertical ? at(sizes[2] + i)
                         : opposed  ? at(sizes[2] + i - 1)
                                    : at(sizes[2] + i + 1);
    const Mask ties_win = horizontal | vertical;
    const Mask peak = (size > before) & ((size > after) | (ties_win & (size == after)));
    const Mask found = peak & large;
    *found_bits = bits(found);
    *strong_bits = bits(found & (size > high));
  }
}

}  // namespace

extern const EdgeKernels NAME_OF(KERNEL_LEVEL);
const EdgeKernels NAME_OF(KERNEL_LEVEL){
    channel_of_pixels, channel_of_bytes, sum_rows, slopes, sizes, classify};

}  // namespace cuda_filters::cpu
