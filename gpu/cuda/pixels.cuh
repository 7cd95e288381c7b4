// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/core/alpha.hpp"
#include "gpu/core/arithmetic.hpp"
#include "gpu/core/band.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cuda/curves.hpp"
#include "gpu/cuda/memory.hpp"

// How kernels read and write pixels: whatever the stored format, with its curves, alpha and border.

namespace cuda_filters::cuda {

/// The rows or the columns of a Lookup on the device.
struct Indices {
  const int* table;
  StraightRun straight;  ///< needs no look into the table, which would have to be waited for

  __device__ int operator[](int i) const {
    return i >= straight.begin && i < straight.end ? i - straight.begin + straight.first : table[i];
  }
};

/// The image before the filter, on the device.
class Input {
 public:
  const std::byte* store;
  std::size_t slot_bytes;
  int slots;
  Indices rows, columns;
  Rect area;                 ///< of the padded image
  Rect image;                ///< without padding
  const std::uint8_t* mask;  ///< how much each pixel of an analysis's area is selected, or null
  Format format;
  Alpha alpha;
  DeviceCurves curves;
  bool is_temporary = false;  ///< what lies beyond the image is not what the border says

  /// The stored pixel at (x, y) of the padded image, of `bytes`, or null outside of a transparent
  /// border.
  __device__ const std::byte* at(int x, int y, std::size_t bytes) const {
    return in_slot(x, rows[y - area.y], bytes);
  }
  /// The same for a row of the store, which may be none.
  __device__ const std::byte* in_slot(int x, int slot, std::size_t bytes) const {
    const int column = columns[x - area.x];
    if (slot < 0 || column < 0) return nullptr;
    return store + slot * slot_bytes + column * bytes;
  }
};

/// The image after the filter, on the device: rows without gaps. Where its size differs from the
/// input's, there is no pixel before the filter: what has no alpha is black.
class Output {
 public:
  std::byte* codes;
  Rect area;
  Input original;  ///< of a resized or converted image, only its alpha
  Format format;
  DeviceCurves curves;
  Rect image;  ///< of the whole result
  bool resized;
  bool is_temporary = false;  ///< there is no pixel before the filter

  __device__ std::byte* at(int x, int y, std::size_t bytes) const {
    const std::size_t position = static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
    return codes + position * bytes;
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

/// A picture of working pixels that lives as long as a band is computed, in which primitives may
/// write and from which they may read.
class Temporary {
 public:
  /// `area`: of the image, or beyond it. `like`: the band's input.
  Temporary(cudaStream_t stream, Rect area, const Input& like);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  operator const Input&() const { return input_; }
  operator const Output&() const { return output_; }

 private:
  Buffer<Pixel> memory_;
  Input input_;
  Output output_;
};

/// The plane of working pixels that a temporary picture is in a kernel.
inline Plane plane_of(const Input& temporary) {
  auto* const pixels = reinterpret_cast<const Pixel*>(temporary.store);
  return {const_cast<Pixel*>(pixels), temporary.area};
}

/// One of the pictures of a map().
struct Picture {
  const Input* in;
  Picture(const Input& input) : in{&input} {}
  Picture(const Temporary& temporary) : Picture{static_cast<const Input&>(temporary)} {}
};

/// What is worked on instead of a stored pixel; without branches, over which no load is moved.
__device__ inline Pixel premultiplied(Pixel p, Alpha alpha) {
  const float factor = alpha == Alpha::premultiplied ? p.a : 1.0f;
  const bool nothing = factor == 0.0f;
  return {nothing ? 0.0f : p.r * factor, nothing ? 0.0f : p.g * factor,
          nothing ? 0.0f : p.b * factor, p.a};
}

// Instructions that convert between whole numbers and floats are four to eight times as slow as
// others. 2^23 plus a smaller whole number is a float that has the number in its lowest bits.

/// A whole number below 2^23 as a float.
__device__ inline float float_of(unsigned number) {
  return __uint_as_float(0x4b000000u | number) - 0x1p23f;
}
/// Byte `k` of four as a float.
__device__ inline float float_of_byte(unsigned four, int k) {
  return __uint_as_float(__byte_perm(four, 0x4b000000u, 0x7440u | k)) - 0x1p23f;
}
/// `value`, from 0 to 1, times `top`, rounded; values outside are the nearest, NaN is 0.
__device__ inline unsigned nearest_code(float value, float top) {
  const float code = __saturatef(value) * top + 0.5f;
  return __float_as_uint(__fadd_rz(code, 0x1p23f)) & 0x7fffffu;
}

/// code / top for codes of 8 or of 16 bits: rounded correctly, and without the branch of a
/// division, over which the compiler moves no loads.
__device__ inline float share_of(float code, float top) {
  const float inverse = 1.0f / top;
  const float near = __fmul_rn(code, inverse);
  return fmaf(fmaf(-near, top, code), inverse, near);
}

__device__ inline float decode_code(unsigned code, float top, const float* values) {
  return values != nullptr ? __ldg(values + code) : share_of(float_of(code), top);
}
/// The working value of byte `k` of four.
__device__ inline float decode_byte(unsigned four, int k, const float* values) {
  return values != nullptr ? __ldg(values + (four >> 8 * k & 255))
                           : share_of(float_of_byte(four, k), 255.0f);
}

/// What the formula makes of a value, given the powers of its exponent.
template <class Power>
__device__ inline float transferred(float v, const TransferTerms& terms, Power power) {
  const float curved =
      fmaf(power((v + terms.before) * terms.factor, terms.exponent), terms.scale, terms.after);
  return v > terms.knee ? curved : v * terms.a;
}
/// A value on a curve that codes are found by.
__device__ inline float encoded(float value, const TransferTerms& terms) {
  return transferred(value, terms, [](float a, float b) { return moderate_power(a, b); });
}

/// The code of a value on a curve, by its formula; sets `doubt` if the table has to decide.
__device__ inline unsigned estimate_code(float value, int top, const DeviceCurves& curves,
                                         bool& doubt) {
  const float code = __saturatef(encoded(value, curves.encoding)) * static_cast<float>(top) + 0.5f;
  const float whole = __fadd_rz(code, 0x1p23f);
  const float rest = code - (whole - 0x1p23f);
  doubt = doubt || fabsf(rest - 0.5f) > 0.5f - curves.margin;
  return __float_as_uint(whole) & 0x7fffffu;
}

/// What encode() gives, if `code` is next to that.
__device__ inline unsigned corrected_code(unsigned code, float value, unsigned top,
                                          const float* thresholds) {
  if (code > 0 && value < thresholds[code - 1]) return code - 1;
  return code < top && value >= thresholds[code] ? code + 1 : code;
}

/// The codes of a pixel's colors. `formula`: its curves follow one; else they may, too.
template <bool formula = false>
__device__ inline void encode_colors(const float (&values)[3], int top, const DeviceCurves& curves,
                                     unsigned (&codes)[3]) {
  if (!formula && curves.thresholds[0] == nullptr) {
#pragma unroll
    for (int c = 0; c < 3; ++c) codes[c] = nearest_code(values[c], static_cast<float>(top));
  } else if (formula || curves.margin > 0.0f) {
    bool doubt = false;
#pragma unroll
    for (int c = 0; c < 3; ++c) codes[c] = estimate_code(values[c], top, curves, doubt);
    if (doubt)
#pragma unroll
      for (int c = 0; c < 3; ++c)
        codes[c] = corrected_code(codes[c], values[c], top, curves.thresholds[c]);
  } else {
#pragma unroll
    for (int c = 0; c < 3; ++c)
      codes[c] =
          static_cast<unsigned>(encode(values[c], curves.thresholds[c], curves.buckets[c], top));
  }
}

/// The code of one sample, of a color or, with c = 3, of alpha.
__device__ inline unsigned encode_code(float value, int top, const DeviceCurves& curves, int c) {
  if (c >= 3 || curves.thresholds[c] == nullptr)
    return nearest_code(value, static_cast<float>(top));
  if (curves.margin <= 0.0f)
    return static_cast<unsigned>(encode(value, curves.thresholds[c], curves.buckets[c], top));
  bool doubt = false;
  const unsigned code = estimate_code(value, top, curves, doubt);
  return doubt ? corrected_code(code, value, top, curves.thresholds[c]) : code;
}

/// A float in another light.
__device__ inline float transferred(float v, const TransferTerms& terms) {
  return transferred(v, terms, [](float a, float b) { return power(a, b); });
}
__device__ inline Pixel transferred(Pixel p, const TransferTerms& terms) {
  return {transferred(p.r, terms), transferred(p.g, terms), transferred(p.b, terms), p.a};
}

/// A stored pixel that a thread asked for; only decoded() waits for it. `exists` is false outside
/// of a transparent border.
template <class T>
struct Fetched {
  T stored;
  bool exists;
};

/// What all loaders of stored pixels have: load(x, y) gives a pixel of the padded image.
/// load.decoded(load.fetch(x, y)) is the same in two steps, so that a thread can ask for several
/// pixels before it waits for the first.
template <class Self>
struct Loader {
  __device__ const Self& self() const { return static_cast<const Self&>(*this); }
  __device__ auto fetch(int x, int y) const {
    const Input& in = self().in;
    return fetch_in_slot(x, in.rows[y - in.area.y]);
  }
  /// The same for a row of the store, which may be none.
  __device__ auto fetch_in_slot(int x, int slot) const {
    const Input& in = self().in;
    const int column = in.columns[x - in.area.x];
    const bool exists = slot >= 0 && column >= 0;
    const std::byte* row = in.store + (exists ? slot : 0) * in.slot_bytes;
    return Fetched{self().read(row + (exists ? column : 0) * self().bytes()), exists};
  }
  __device__ Pixel operator()(int x, int y) const { return self().decoded(fetch(x, y)); }
};

/// Reads 32-bit float RGBA.
struct LoadFloats : Loader<LoadFloats> {
  Input in;
  HOST_DEVICE explicit LoadFloats(const Input& input) : in{input} {}
  __device__ std::size_t bytes() const { return sizeof(float4); }
  __device__ float4 read(const std::byte* stored) const {
    return __ldg(reinterpret_cast<const float4*>(stored));
  }
  __device__ Pixel decoded(const Fetched<float4>& pixel) const {
    const float4 p = pixel.exists ? pixel.stored : float4{};
    return premultiplied({p.x, p.y, p.z, p.w}, in.alpha);
  }
};

/// Reads 8-bit RGBA.
struct LoadBytes : Loader<LoadBytes> {
  Input in;
  HOST_DEVICE explicit LoadBytes(const Input& input) : in{input} {}
  __device__ std::size_t bytes() const { return sizeof(unsigned); }
  __device__ unsigned read(const std::byte* stored) const {
    return __ldg(reinterpret_cast<const unsigned*>(stored));
  }
  __device__ Pixel decoded(const Fetched<unsigned>& pixel) const {
    if (!pixel.exists) return {};
    const unsigned p = pixel.stored;
    const float a = decode_byte(p, 3, nullptr);
    if (const float* const* values = in.curves.values; values[0] != nullptr)
      return premultiplied({decode_byte(p, 0, values[0]), decode_byte(p, 1, values[1]),
                            decode_byte(p, 2, values[2]), a},
                           in.alpha);
    return premultiplied(
        {decode_byte(p, 0, nullptr), decode_byte(p, 1, nullptr), decode_byte(p, 2, nullptr), a},
        in.alpha);
  }
};

/// Reads 16-bit RGBA, whole-numbered or half floats.
template <SampleType type>
struct LoadShorts : Loader<LoadShorts<type>> {
  Input in;
  HOST_DEVICE explicit LoadShorts(const Input& input) : in{input} {}
  __device__ std::size_t bytes() const { return sizeof(ushort4); }
  __device__ ushort4 read(const std::byte* stored) const {
    return __ldg(reinterpret_cast<const ushort4*>(stored));
  }
  __device__ static float value_of(unsigned short bits, const float* values) {
    if constexpr (type == SampleType::f16)
      return __half2float(__ushort_as_half(bits));
    else
      return decode_code(bits, 65535.0f, values);
  }
  __device__ Pixel decoded(const Fetched<ushort4>& pixel) const {
    if (!pixel.exists) return {};
    const ushort4 p = pixel.stored;
    return premultiplied({value_of(p.x, in.curves.values[0]), value_of(p.y, in.curves.values[1]),
                          value_of(p.z, in.curves.values[2]), value_of(p.w, nullptr)},
                         in.alpha);
  }
};

/// Reads any format.
struct LoadAny : Loader<LoadAny> {
  Input in;
  HOST_DEVICE explicit LoadAny(const Input& input) : in{input} {}
  __device__ std::size_t bytes() const { return in.format.bytes_per_pixel(); }
  __device__ const std::byte* read(const std::byte* stored) const { return stored; }
  __device__ float sample(const std::byte* stored, int index, int c) const {
    const float* const values = c < 3 ? in.curves.values[c] : nullptr;
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
  __device__ Pixel decoded(const Fetched<const std::byte*>& pixel) const {
    if (!pixel.exists) return {};
    const std::byte* const stored = pixel.stored;
    Pixel p;
    p.r = sample(stored, 0, 0);
    p.g = in.format.color ? sample(stored, 1, 1) : p.r;
    p.b = in.format.color ? sample(stored, 2, 2) : p.r;
    p.a = in.format.alpha ? sample(stored, in.format.colors(), 3) : 1.0f;
    if (in.curves.transfers) p = transferred(p, in.curves.decoding);
    return in.format.alpha ? premultiplied(p, in.alpha) : p;
  }
};

/// Reads an intermediate image.
struct LoadPlane {
  Plane plane;
  __device__ Pixel fetch(int x, int y) const {
    const float4 p = __ldg(reinterpret_cast<const float4*>(&plane.at(x, y)));
    return {p.x, p.y, p.z, p.w};
  }
  __device__ Pixel decoded(Pixel p) const { return p; }
  __device__ Pixel operator()(int x, int y) const { return fetch(x, y); }
};

/// Reads the rows of the store as if they were an image of their own.
template <class Load>
struct LoadSlots {
  Load load;
  __device__ auto fetch(int x, int slot) const { return load.fetch_in_slot(x, slot); }
  template <class T>
  __device__ Pixel decoded(const T& pixel) const {
    return load.decoded(pixel);
  }
};

/// Reads an intermediate image that has a row for each row of the store.
struct LoadRows {
  LoadPlane load;
  Indices rows;
  int first;  ///< the row of rows[0]
  /// Whether the rows y … y + count - 1 are all the same; asked by all threads of a warp.
  __device__ bool repeats(int y, int count) const {
    bool same = true;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < count; i += 32)
      same = same && rows[y + i - first] == rows[y - first];
    return __all_sync(~0u, same);
  }
  __device__ Pixel operator()(int x, int y) const {
    const int slot = rows[y - first];
    const Pixel p = load(x, slot < 0 ? 0 : slot);
    return slot < 0 ? Pixel{} : p;
  }
};

/// Reads pixels into shared memory, with all threads of a block: for each i below `count`,
/// to(i) = the pixel at place(i), an int2.
template <int threads, int batch = 4, class Load, class Place, class To>
__device__ void load_shared(int thread, int count, const Load& load, Place place, To to) {
  for (int first = thread; first < count; first += threads * batch) {
    decltype(load.fetch(0, 0)) fetched[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int2 at = place(min(first + k * threads, count - 1));
      fetched[k] = load.fetch(at.x, at.y);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (first + k * threads < count) to(first + k * threads) = load.decoded(fetched[k]);
  }
}

/// Calls f(pixel) for the pixels of `area` that are selected and not fully transparent, spread over
/// all threads of the grid; a thread goes down pieces of columns.
template <int threads, class Load, class F>
__device__ void for_selected(Rect area, const Load& load, F f) {
  constexpr int at_once = sizeof(load.fetch(0, 0).stored) <= 4 ? 8 : 4;
  const int across = (area.width + threads - 1) / threads;
  const int tiles = across * ((area.height + at_once - 1) / at_once);
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int x = tile % across * threads + static_cast<int>(threadIdx.x);
    const int first = tile / across * at_once;
    decltype(load.fetch(0, 0)) fetched[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      fetched[k] =
          load.fetch(area.x + min(x, area.width - 1), area.y + min(first + k, area.height - 1));
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int y = first + k;
      const Pixel p = load.decoded(fetched[k]);
      bool counts = x < area.width && y < area.height && p.a > 0.0f;
      if (counts && load.in.mask != nullptr)
        counts = load.in.mask[static_cast<std::size_t>(y) * area.width + x] >= 128;
      if (counts) f(p);
    }
  }
}

/// f() of what all lanes of a warp have, in all of them; f(a, b) in any order.
template <class F>
__device__ unsigned across_warp(unsigned value, F f) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value = f(value, __shfl_xor_sync(~0u, value, lanes));
  return value;
}
struct Least {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return min(a, b); }
};
struct Greatest {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};
struct Sum {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

/// Calls f(pixel, counts) for stored pixels of 8-bit RGBA, spread over all threads of the grid: for
/// all of those that are selected and not fully transparent, which count, and for some others.
template <int threads, class F>
__device__ void for_selected_bytes(Rect area, const Input& in, F f) {
  constexpr int at_once = 4;
  const int across = (area.width + 4 * threads - 1) / (4 * threads);
  const int tiles = across * ((area.height + at_once - 1) / at_once);
  const int thread = static_cast<int>(threadIdx.x);
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int group = tile % across * threads + thread, top = tile / across * at_once;
    // Four neighbors at a time where they lie at multiples of 16 bytes; x: of the first.
    uint4 fetched[at_once];
    int x[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int y = top + k;
      fetched[k] = uint4{};  // which does not count
      x[k] = 0;
      if (y >= area.height) continue;
      const auto* row =
          reinterpret_cast<const unsigned*>(in.at(area.x, area.y + y, sizeof(unsigned)));
      const int before = min(
          static_cast<int>((16 - reinterpret_cast<std::uintptr_t>(row) % 16) % 16 / 4), area.width);
      const int groups = (area.width - before) / 4, after = before + 4 * groups;
      x[k] = before + 4 * group;
      if (group < groups) fetched[k] = __ldg(reinterpret_cast<const uint4*>(row + x[k]));
      // The few pixels at both ends.
      const int end = thread < before ? thread : after + thread - before;
      if (group < 6 && end < area.width) {
        const unsigned pixel = __ldg(row + end);
        const std::size_t at = static_cast<std::size_t>(y) * area.width + end;
        f(pixel, pixel >> 24 != 0 && (in.mask == nullptr || in.mask[at] >= 128));
      }
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned pixels[4] = {fetched[k].x, fetched[k].y, fetched[k].z, fetched[k].w};
      const std::size_t at = static_cast<std::size_t>(top + k) * area.width + x[k];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        bool counts = pixels[i] >> 24 != 0;
        if (counts && in.mask != nullptr) counts = in.mask[at + i] >= 128;
        f(pixels[i], counts);
      }
    }
  }
}

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

constexpr bool is_rgba(const Format& format, SampleType type) {
  return format.type == type && format.color && format.alpha;
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
