// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/edge_kernels.hpp"

#include "gpu/cpu/kernels.hpp"

// Compiled as kernels.cpp is, and without fused multiply-adds.

#define CONCATENATE(a, b) a##b
#define NAME_OF(level) CONCATENATE(edge_kernels_, level)

namespace cuda_filters::cpu {
namespace {

using canny::Channel;

typedef float Vector __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));
typedef std::int32_t Mask __attribute__((vector_size(lanes * sizeof(std::int32_t))));
typedef std::int64_t Halves __attribute__((vector_size(lanes * sizeof(std::int32_t))));
typedef std::uint8_t Bytes __attribute__((vector_size(lanes), aligned(1), may_alias));

inline const Vector& at(const float* p) { return *reinterpret_cast<const Vector*>(p); }
inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }

/// 255 times the searched one of three colours; exact for gray.
template <Channel channel>
inline float searched(float r, float g, float b) {
  if constexpr (channel == Channel::luminance)
    return (g + (0.2126f * (r - g) + 0.0722f * (b - g))) * 255.0f;
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
  for (int i = 0; i < count; ++i) out[i] = static_cast<float>(codes[samples * i]);
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

void gradient(const float* above, const float* middle, const float* below, int count, bool squares,
              GradientRow out) {
  for (int i = 0; i < count; i += lanes) {
    const Vector x = ((at(above + i + 1) - at(above + i - 1)) +
                      2.0f * (at(middle + i + 1) - at(middle + i - 1))) +
                     (at(below + i + 1) - at(below + i - 1));
    const Vector y = ((at(below + i - 1) + 2.0f * at(below + i)) + at(below + i + 1)) -
                     ((at(above + i - 1) + 2.0f * at(above + i)) + at(above + i + 1));
    at(out.x + i) = x;
    at(out.y + i) = y;
    at(out.size + i) = squares ? x * x + y * y : (x < 0.0f ? -x : x) + (y < 0.0f ? -y : y);
  }
  out.size[-1] = out.size[count] = 0.0f;
}

/// Whether a lane of a mask is set.
inline bool any(Mask mask) {
  const Halves halves = reinterpret_cast<Halves>(mask);
  const auto four = __builtin_shufflevector(halves, halves, 0, 1, 2, 3) |
                    __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
  const auto two =
      __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
  return (two[0] | two[1]) != 0;
}

void classify(const float* size_above, GradientRow middle, const float* size_below, int count,
              float low, float high, std::uint8_t* classes) {
  for (int i = 0; i < count; i += lanes) {
    const Vector size = at(middle.size + i);
    if (!any(size > low)) {  // most of a picture
      *reinterpret_cast<Bytes*>(classes + i) = Bytes{};
      continue;
    }
    const Vector x = at(middle.x + i), y = at(middle.y + i);
    const Vector across = x < 0.0f ? -x : x, along = y < 0.0f ? -y : y;
    const Mask horizontal = along < across * canny::tan_22;
    const Mask vertical = along > across * canny::tan_67;
    const Mask opposed = (reinterpret_cast<Mask>(x) ^ reinterpret_cast<Mask>(y)) < 0;
    const Vector before = horizontal ? at(middle.size + i - 1)
                          : vertical ? at(size_above + i)
                          : opposed  ? at(size_above + i + 1)
                                     : at(size_above + i - 1);
    const Vector after = horizontal ? at(middle.size + i + 1)
                         : vertical ? at(size_below + i)
                         : opposed  ? at(size_below + i - 1)
                                    : at(size_below + i + 1);
    const Mask ties_win = horizontal | vertical;
    const Mask peak = (size > before) & ((size > after) | (ties_win & (size == after)));
    const Mask found = peak & (size > low);
    const Mask result = (found & 1) | (found & (size > high) & 2);
    *reinterpret_cast<Bytes*>(classes + i) = __builtin_convertvector(result, Bytes);
  }
}

}  // namespace

extern const EdgeKernels NAME_OF(KERNEL_LEVEL);
const EdgeKernels NAME_OF(KERNEL_LEVEL){channel_of_pixels, channel_of_bytes, sum_rows, gradient,
                                        classify};

}  // namespace cuda_filters::cpu
