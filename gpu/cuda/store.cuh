// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/cuda/load.cuh"

// How kernels write pixels, and which loader and which storer serve what is stored.

namespace cuda_filters::cuda {

/// Writes 32-bit float RGBA.
struct StoreFloats {
  Output out;
  __device__ void operator()(int x, int y, Pixel p) const {
    (*this)(x, y, p, out.original.alpha == Alpha::passthrough ? LoadFloats{out.original}(x, y) : p);
  }
  /// `original`: what the loader gave for this pixel.
  __device__ void operator()(int x, int y, Pixel p, Pixel original) const {
    const Alpha alpha = out.original.alpha;
    float4 stored{p.r, p.g, p.b, alpha == Alpha::passthrough ? original.a : p.a};
    if (alpha == Alpha::premultiplied && colorless(p.a)) {
      const float4 before =
          out.resized ? float4{}
                      : *reinterpret_cast<const float4*>(out.original.at(x, y, sizeof(float4)));
      stored = {before.x, before.y, before.z, p.a};
    } else if (alpha == Alpha::premultiplied) {
      const float scale = quotient(1.0f, p.a);
      const auto straight = [&](float color) {
        return bounded(color * scale, color, largest_of(SampleType::f32));
      };
      stored = {straight(p.r), straight(p.g), straight(p.b), p.a};
    }
    *reinterpret_cast<float4*>(out.at(x, y, sizeof(float4))) = stored;
  }
};

/// Writes 8-bit RGBA.
struct StoreBytes {
  Output out;
  __device__ void operator()(int x, int y, Pixel p) const {
    (*this)(x, y, p, out.original.alpha == Alpha::passthrough ? LoadBytes{out.original}(x, y) : p);
  }
  /// `original`: what the loader gave for this pixel.
  __device__ void operator()(int x, int y, Pixel p, Pixel original) const {
    const Alpha alpha = out.original.alpha;
    unsigned colors = 0;
    if (alpha == Alpha::premultiplied && colorless(p.a)) {
      if (!out.resized)
        colors =
            *reinterpret_cast<const unsigned*>(out.original.at(x, y, sizeof(unsigned))) & 0xffffffu;
    } else {
      const float scale = alpha == Alpha::premultiplied ? quotient(1.0f, p.a) : 1.0f;
      unsigned codes[3];
      encode_colors({p.r * scale, p.g * scale, p.b * scale}, 255, out.curves, codes);
      colors = codes[0] | codes[1] << 8 | codes[2] << 16;
    }
    const float a = alpha == Alpha::passthrough ? original.a : p.a;
    *reinterpret_cast<unsigned*>(out.at(x, y, sizeof(unsigned))) = colors | nearest_code(a, 255.0f)
                                                                                << 24;
  }
};

/// Writes 16-bit RGBA, for alpha that passes through or is a channel.
template <SampleType type>
struct StoreShorts {
  Output out;
  /// `original`: what the loader gave for this pixel.
  __device__ void operator()(int x, int y, Pixel p, Pixel original) const {
    const float a = out.original.alpha == Alpha::passthrough ? original.a : p.a;
    ushort4 stored;
    if constexpr (type == SampleType::f16) {
      const auto bits = [](float value) { return __half_as_ushort(__float2half_rn(value)); };
      stored = {bits(p.r), bits(p.g), bits(p.b), bits(a)};
    } else {
      unsigned codes[3];
      encode_colors({p.r, p.g, p.b}, 65535, out.curves, codes);
      const auto bits = [](unsigned code) { return static_cast<unsigned short>(code); };
      stored = {bits(codes[0]), bits(codes[1]), bits(codes[2]), bits(nearest_code(a, 65535.0f))};
    }
    *reinterpret_cast<ushort4*>(out.at(x, y, sizeof(ushort4))) = stored;
  }
};

/// Writes 8-bit gray without alpha.
struct StoreGrayBytes {
  Output out;
  /// `original`: what the loader gave for this pixel.
  __device__ void operator()(int x, int y, Pixel p, Pixel) const {
    *reinterpret_cast<std::uint8_t*>(out.at(x, y, 1)) =
        static_cast<std::uint8_t>(encode_code(p.r, 255, out.curves, 0));
  }
};

/// Writes any format.
struct StoreAny {
  Output out;
  __device__ void sample(std::byte* stored, int index, int c, float value) const {
    const DeviceCurves& curves = out.curves;
    switch (out.format.type) {
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
    const int bytes = bytes_of(out.format.type);
    for (int i = 0; i < bytes; ++i) to[index * bytes + i] = from[index * bytes + i];
  }
  __device__ void operator()(int x, int y, Pixel p) const {
    (*this)(x, y, p, out.original.alpha == Alpha::passthrough ? LoadAny{out.original}(x, y) : p);
  }
  /// `original`: what the loader gave for this pixel.
  __device__ void operator()(int x, int y, Pixel p, Pixel original) const {
    const Format& format = out.format;
    const Alpha alpha = out.original.alpha;
    const bool weighted = alpha == Alpha::premultiplied, keeps = weighted && colorless(p.a);
    const float scale = weighted ? quotient(1.0f, p.a) : 1.0f;
    const std::size_t bytes = format.bytes_per_pixel();
    std::byte* stored = out.at(x, y, bytes);
    Pixel straight{p.r * scale, p.g * scale, p.b * scale, p.a};
    if (out.curves.transfers) straight = transferred(straight, out.curves.encoding);
    const float colors[3] = {straight.r, straight.g, straight.b};
    const float from[3] = {p.r, p.g, p.b}, largest = largest_of(format.type);
    for (int c = 0; c < format.colors(); ++c)
      if (keeps && out.resized)
        sample(stored, c, c, 0.0f);
      else if (keeps)
        copy(stored, out.original.at(x, y, bytes), c);
      else
        sample(stored, c, c, weighted ? bounded(colors[c], from[c], largest) : colors[c]);
    if (format.alpha)
      sample(stored, format.colors(), 3, alpha == Alpha::passthrough ? original.a : p.a);
  }
};

/// Reads floats in another light, for alpha that is not premultiplied.
template <class Load>
struct Transferred : Load {
  HOST_DEVICE explicit Transferred(const Input& input) : Load{input} {}
  template <class T>
  __device__ Pixel decoded(const T& pixel) const {
    return transferred(Load::decoded(pixel), this->in.curves.decoding);
  }
};

/// And writes them.
template <class Storer>
struct StoreTransferred : Storer {
  HOST_DEVICE explicit StoreTransferred(const Output& output) : Storer{output} {}
  __device__ void operator()(int x, int y, Pixel p, Pixel original) const {
    Storer::operator()(x, y, transferred(p, this->out.curves.encoding), original);
  }
};

/// Writes an intermediate image.
struct StorePlane {
  Plane plane;
  __device__ void operator()(int x, int y, Pixel p) const { plane.at(x, y) = p; }
};

/// Writes one of one float a pixel.
struct StoreChannel {
  ChannelPlane plane;
  __device__ void operator()(int x, int y, float value) const { plane.at(x, y) = value; }
};

constexpr bool is_rgba(const Format& format, SampleType type) {
  return format.type == type && format.color && format.alpha;
}

constexpr bool is_gray_bytes(const Format& format) {
  return format.type == SampleType::u8 && !format.color && !format.alpha;
}

/// Whether an Input or an Output is RGBA of that type whose values need no conversion.
template <class Image>
bool is_plain_rgba(const Image& image, SampleType type) {
  return is_rgba(image.format, type) && !image.curves.transfers;
}

/// Calls f with the loader for what `in` stores.
template <class F>
void with_loader(const Input& in, F&& f) {
  if (is_plain_rgba(in, SampleType::f32))
    f(LoadFloats{in});
  else if (is_rgba(in.format, SampleType::u8))
    f(LoadBytes{in});
  else
    f(LoadAny{in});
}

/// As with_loader(), with loaders of their own for more formats, for kernels that do little else.
template <class F>
void with_quick_loader(const Input& in, F&& f) {
  if (is_plain_rgba(in, SampleType::f16))
    f(LoadShorts<SampleType::f16>{in});
  else if (is_rgba(in.format, SampleType::u16))
    f(LoadShorts<SampleType::u16>{in});
  else
    with_loader(in, f);
}

/// Calls f with what writes the format of `out`.
template <class F>
void with_storer(const Output& out, F&& f) {
  if (is_plain_rgba(out, SampleType::f32))
    f(StoreFloats{out});
  else if (is_rgba(out.format, SampleType::u8))
    f(StoreBytes{out});
  else
    f(StoreAny{out});
}

/// Whether both are stored in the same way, and what the one has for a pixel's alpha is what the
/// other one keeps.
inline bool stored_alike(const Input& in, const Output& out) {
  if (in.is_temporary == out.is_temporary) return true;
  const Alpha alpha = out.original.alpha;
  return is_plain_rgba(in, SampleType::f32) && is_plain_rgba(out, SampleType::f32) &&
         (out.is_temporary || alpha != Alpha::passthrough);
}

/// Calls f with both, which are stored_alike(): a filter keeps the format.
template <class F>
void with_both(const Input& in, const Output& out, F&& f) {
  if (is_plain_rgba(in, SampleType::f32))
    f(LoadFloats{in}, StoreFloats{out});
  else if (is_rgba(in.format, SampleType::u8))
    f(LoadBytes{in}, StoreBytes{out});
  else
    f(LoadAny{in}, StoreAny{out});
}

/// Does what with_both() does, with faster loaders and storers for 16-bit RGBA.
template <class F>
void with_quick_both(const Input& in, const Output& out, F&& f) {
  using LoadHalves = LoadShorts<SampleType::f16>;
  using StoreHalves = StoreShorts<SampleType::f16>;
  const bool transfers = in.curves.transfers;
  if (out.original.alpha == Alpha::premultiplied)
    with_both(in, out, f);
  else if (is_rgba(in.format, SampleType::f16) && transfers)
    f(Transferred<LoadHalves>{in}, StoreTransferred<StoreHalves>{out});
  else if (is_rgba(in.format, SampleType::f16))
    f(LoadHalves{in}, StoreHalves{out});
  else if (is_rgba(in.format, SampleType::u16))
    f(LoadShorts<SampleType::u16>{in}, StoreShorts<SampleType::u16>{out});
  else if (is_rgba(in.format, SampleType::f32) && transfers)
    f(Transferred<LoadFloats>{in}, StoreTransferred<StoreFloats>{out});
  else
    with_both(in, out, f);
}

/// The same, with a loader and a storer for 8-bit gray, too, which LoadAny and StoreAny serve
/// elsewhere; alpha is not premultiplied.
template <class F>
void with_quick_loader_or_gray(const Input& in, F&& f) {
  if (is_gray_bytes(in.format))
    f(LoadGrayBytes{in});
  else
    with_quick_loader(in, f);
}
template <class F>
void with_quick_both_or_gray(const Input& in, const Output& out, F&& f) {
  if (is_gray_bytes(in.format))
    f(LoadGrayBytes{in}, StoreGrayBytes{out});
  else
    with_quick_both(in, out, f);
}

/// Calls f with a loader and a storer for different number types, one of which is 32-bit float;
/// alpha is not premultiplied.
template <class F>
void with_converters(const Input& in, const Output& out, F&& f) {
  const auto with_loader_of = [&](auto store) {
    if (is_rgba(in.format, SampleType::u8))
      f(LoadBytes{in}, store);
    else if (is_rgba(in.format, SampleType::u16))
      f(LoadShorts<SampleType::u16>{in}, store);
    else if (is_rgba(in.format, SampleType::f16))
      f(LoadShorts<SampleType::f16>{in}, store);
    else
      f(LoadAny{in}, store);
  };
  if (is_plain_rgba(out, SampleType::f32))
    with_loader_of(StoreFloats{out});
  else if (!is_plain_rgba(in, SampleType::f32))
    f(LoadAny{in}, StoreAny{out});
  else if (is_rgba(out.format, SampleType::u8))
    f(LoadFloats{in}, StoreBytes{out});
  else if (is_rgba(out.format, SampleType::u16))
    f(LoadFloats{in}, StoreShorts<SampleType::u16>{out});
  else if (is_rgba(out.format, SampleType::f16))
    f(LoadFloats{in}, StoreShorts<SampleType::f16>{out});
  else
    f(LoadAny{in}, StoreAny{out});
}

}  // namespace cuda_filters::cuda
