// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cuda/curves.hpp"

// How kernels read and write pixels: whatever the stored format, with its curves, alpha and border.

namespace cuda_filters::cuda {

/// The image before the filter, on the device.
class Input {
 public:
  const std::byte* store;
  std::size_t slot_bytes;
  int slots;
  const int* rows;                          ///< as in Lookup
  const int* columns;                       ///< as in Lookup
  Rect area;                                ///< of the padded image
  Rect image;                               ///< without padding
  int inner_begin, inner_end, inner_first;  ///< where columns just count up, and from what
  Format format;
  Alpha alpha;
  DeviceCurves curves;

  /// The stored pixel at (x, y) of the padded image, or null outside of a transparent border.
  __device__ const std::byte* at(int x, int y) const { return in_slot(x, rows[y - area.y]); }
  /// The same for a row of the store, which may be none.
  __device__ const std::byte* in_slot(int x, int slot) const {
    const int i = x - area.x;
    const int column =
        i >= inner_begin && i < inner_end ? i - inner_begin + inner_first : columns[i];
    if (slot < 0 || column < 0) return nullptr;
    return store + slot * slot_bytes + static_cast<std::size_t>(column) * format.bytes_per_pixel();
  }
};

/// The image after the filter, on the device: rows without gaps.
class Output {
 public:
  std::byte* codes;
  Rect area;
  Input original;

  __device__ std::byte* at(int x, int y) const {
    const std::size_t position = static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
    return codes + position * original.format.bytes_per_pixel();
  }
};

/// An intermediate image on the device; it has no border.
struct Plane {
  Pixel* data;
  Rect area;

  __device__ Pixel& at(int x, int y) const {
    return data[static_cast<std::size_t>(y - area.y) * area.width + (x - area.x)];
  }
};

__device__ inline Pixel premultiplied(Pixel p, Alpha alpha) {
  if (alpha != Alpha::weighted) return p;
  if (p.a == 0.0f) return {0.0f, 0.0f, 0.0f, p.a};
  return {p.r * p.a, p.g * p.a, p.b * p.a, p.a};
}

__device__ inline float decode_code(int code, float top, const float* values) {
  return values != nullptr ? __ldg(values + code) : static_cast<float>(code) / top;
}

__device__ inline int encode_code(float value, int top, const DeviceCurves& curves, int c) {
  if (c < 3 && curves.thresholds[c] != nullptr)
    return encode(value, curves.thresholds[c], curves.buckets[c], top);
  const float code = value * static_cast<float>(top) + 0.5f;
  return code > 0.0f ? (code < static_cast<float>(top) ? static_cast<int>(code) : top) : 0;
}

/// Reads 32-bit float RGBA.
struct LoadFloats {
  Input in;
  __device__ Pixel operator()(int x, int y) const { return decoded(in.at(x, y)); }
  __device__ Pixel decoded(const std::byte* stored) const {
    if (stored == nullptr) return {};
    const float4 p = __ldg(reinterpret_cast<const float4*>(stored));
    return premultiplied({p.x, p.y, p.z, p.w}, in.alpha);
  }
};

/// Reads 8-bit RGBA.
struct LoadBytes {
  Input in;
  __device__ Pixel operator()(int x, int y) const { return decoded(in.at(x, y)); }
  __device__ Pixel decoded(const std::byte* stored) const {
    if (stored == nullptr) return {};
    const uchar4 p = __ldg(reinterpret_cast<const uchar4*>(stored));
    return premultiplied(
        {decode_code(p.x, 255.0f, in.curves.values[0]),
         decode_code(p.y, 255.0f, in.curves.values[1]),
         decode_code(p.z, 255.0f, in.curves.values[2]), decode_code(p.w, 255.0f, nullptr)},
        in.alpha);
  }
};

/// Reads any format.
struct LoadAny {
  Input in;
  __device__ float sample(const std::byte* stored, int index, const float* values) const {
    switch (in.format.type) {
      case SampleType::u8:
        return decode_code(reinterpret_cast<const std::uint8_t*>(stored)[index], 255.0f, values);
      case SampleType::u16:
        return decode_code(reinterpret_cast<const std::uint16_t*>(stored)[index], 65535.0f, values);
      case SampleType::f16:
        return __half2float(reinterpret_cast<const __half*>(stored)[index]);
      case SampleType::f32:
        break;
    }
    return reinterpret_cast<const float*>(stored)[index];
  }
  __device__ Pixel operator()(int x, int y) const { return decoded(in.at(x, y)); }
  __device__ Pixel decoded(const std::byte* stored) const {
    if (stored == nullptr) return {};
    Pixel p;
    p.r = sample(stored, 0, in.curves.values[0]);
    p.g = in.format.color ? sample(stored, 1, in.curves.values[1]) : p.r;
    p.b = in.format.color ? sample(stored, 2, in.curves.values[2]) : p.r;
    p.a = in.format.alpha ? sample(stored, in.format.colors(), nullptr) : 1.0f;
    return in.format.alpha ? premultiplied(p, in.alpha) : p;
  }
};

/// Reads an intermediate image.
struct LoadPlane {
  Plane plane;
  __device__ Pixel operator()(int x, int y) const {
    const float4 p = __ldg(reinterpret_cast<const float4*>(&plane.at(x, y)));
    return {p.x, p.y, p.z, p.w};
  }
};

/// Reads the rows of the store as if they were an image of their own.
template <class Load>
struct LoadSlots {
  Load load;
  __device__ Pixel operator()(int x, int slot) const {
    return load.decoded(load.in.in_slot(x, slot));
  }
};

/// Reads an intermediate image that has a row for each row of the store.
struct LoadRows {
  LoadPlane load;
  const int* rows;  ///< as in Lookup
  int first;        ///< the row of rows[0]
  /// Whether the rows y … y + count - 1 are all the same; asked by all threads of a warp.
  __device__ bool repeats(int y, int count) const {
    bool same = true;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < count; i += 32)
      same = same && rows[y + i - first] == rows[y - first];
    return __all_sync(~0u, same);
  }
  __device__ Pixel operator()(int x, int y) const {
    const int slot = rows[y - first];
    return slot < 0 ? Pixel{} : load(x, slot);
  }
};

/// Writes 32-bit float RGBA.
struct StoreFloats {
  Output out;
  __device__ void operator()(int x, int y, Pixel p) const {
    float4 stored{p.r, p.g, p.b, p.a};
    const Alpha alpha = out.original.alpha;
    if (alpha == Alpha::kept || (alpha == Alpha::weighted && p.a <= 0.0f)) {
      const float4 before = *reinterpret_cast<const float4*>(out.original.at(x, y));
      if (alpha == Alpha::kept)
        stored.w = before.w;
      else
        stored = {before.x, before.y, before.z, p.a};
    } else if (alpha == Alpha::weighted) {
      const float scale = 1.0f / p.a;
      stored = {p.r * scale, p.g * scale, p.b * scale, p.a};
    }
    *reinterpret_cast<float4*>(out.at(x, y)) = stored;
  }
};

/// Writes 8-bit RGBA.
struct StoreBytes {
  Output out;
  __device__ void operator()(int x, int y, Pixel p) const {
    const Alpha alpha = out.original.alpha;
    const bool colorless = alpha == Alpha::weighted && p.a <= 0.0f;
    uchar4 stored{};
    if (colorless || alpha == Alpha::kept)
      stored = *reinterpret_cast<const uchar4*>(out.original.at(x, y));
    if (!colorless) {
      const float scale = alpha == Alpha::weighted ? 1.0f / p.a : 1.0f;
      const DeviceCurves& curves = out.original.curves;
      stored.x = static_cast<unsigned char>(encode_code(p.r * scale, 255, curves, 0));
      stored.y = static_cast<unsigned char>(encode_code(p.g * scale, 255, curves, 1));
      stored.z = static_cast<unsigned char>(encode_code(p.b * scale, 255, curves, 2));
    }
    if (alpha != Alpha::kept)
      stored.w = static_cast<unsigned char>(encode_code(p.a, 255, out.original.curves, 3));
    *reinterpret_cast<uchar4*>(out.at(x, y)) = stored;
  }
};

/// Writes any format.
struct StoreAny {
  Output out;
  __device__ void sample(std::byte* stored, int index, int c, float value) const {
    const DeviceCurves& curves = out.original.curves;
    switch (out.original.format.type) {
      case SampleType::u8:
        reinterpret_cast<std::uint8_t*>(stored)[index] =
            static_cast<std::uint8_t>(encode_code(value, 255, curves, c));
        return;
      case SampleType::u16:
        reinterpret_cast<std::uint16_t*>(stored)[index] =
            static_cast<std::uint16_t>(encode_code(value, 65535, curves, c));
        return;
      case SampleType::f16:
        reinterpret_cast<__half*>(stored)[index] = __float2half_rn(value);
        return;
      case SampleType::f32:
        reinterpret_cast<float*>(stored)[index] = value;
        return;
    }
  }
  __device__ void copy(std::byte* to, const std::byte* from, int index) const {
    const int bytes = bytes_of(out.original.format.type);
    for (int i = 0; i < bytes; ++i) to[index * bytes + i] = from[index * bytes + i];
  }
  __device__ void operator()(int x, int y, Pixel p) const {
    const Format& format = out.original.format;
    const Alpha alpha = out.original.alpha;
    const bool colorless = alpha == Alpha::weighted && p.a <= 0.0f;
    const float scale = alpha == Alpha::weighted ? 1.0f / p.a : 1.0f;
    std::byte* stored = out.at(x, y);
    const std::byte* before = colorless || alpha == Alpha::kept ? out.original.at(x, y) : nullptr;
    const float colors[3] = {p.r, p.g, p.b};
    for (int c = 0; c < format.colors(); ++c)
      if (colorless)
        copy(stored, before, c);
      else
        sample(stored, c, c, colors[c] * scale);
    if (!format.alpha) return;
    if (alpha == Alpha::kept)
      copy(stored, before, format.colors());
    else
      sample(stored, format.colors(), 3, p.a);
  }
};

/// Writes an intermediate image.
struct StorePlane {
  Plane plane;
  __device__ void operator()(int x, int y, Pixel p) const { plane.at(x, y) = p; }
};

constexpr bool is_rgba(const Format& format, SampleType type) {
  return format.type == type && format.color && format.alpha;
}

/// Calls f with the loader for what `in` stores.
template <class F>
void with_loader(const Input& in, F&& f) {
  if (is_rgba(in.format, SampleType::f32))
    f(LoadFloats{in});
  else if (is_rgba(in.format, SampleType::u8))
    f(LoadBytes{in});
  else
    f(LoadAny{in});
}

/// Calls f with what writes the format of `out`.
template <class F>
void with_storer(const Output& out, F&& f) {
  if (is_rgba(out.original.format, SampleType::f32))
    f(StoreFloats{out});
  else if (is_rgba(out.original.format, SampleType::u8))
    f(StoreBytes{out});
  else
    f(StoreAny{out});
}

/// Calls f with both; they go together, because a filter keeps the format.
template <class F>
void with_both(const Input& in, const Output& out, F&& f) {
  if (is_rgba(in.format, SampleType::f32))
    f(LoadFloats{in}, StoreFloats{out});
  else if (is_rgba(in.format, SampleType::u8))
    f(LoadBytes{in}, StoreBytes{out});
  else
    f(LoadAny{in}, StoreAny{out});
}

}  // namespace cuda_filters::cuda
