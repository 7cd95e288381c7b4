// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/cuda/codes.cuh"
#include "gpu/cuda/images.cuh"

// How kernels read pixels: whatever the stored format, with its curves, alpha and border.

namespace cuda_filters::cuda {

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

/// Reads 8-bit gray without alpha.
struct LoadGrayBytes : Loader<LoadGrayBytes> {
  Input in;
  HOST_DEVICE explicit LoadGrayBytes(const Input& input) : in{input} {}
  __device__ std::size_t bytes() const { return 1; }
  __device__ unsigned read(const std::byte* stored) const {
    return __ldg(reinterpret_cast<const std::uint8_t*>(stored));
  }
  __device__ Pixel decoded(const Fetched<unsigned>& pixel) const {
    if (!pixel.exists) return {};
    const float gray = decode_code(pixel.stored, 255.0f, in.curves.values[0]);
    return {gray, gray, gray, 1.0f};
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

/// Reads an intermediate image of one float a pixel.
struct LoadChannel {
  ChannelPlane plane;
  __device__ float fetch(int x, int y) const { return __ldg(&plane.at(x, y)); }
  __device__ float decoded(float value) const { return value; }
};

/// Reads several intermediate images.
template <class... Loads>
struct LoadTogether {
  struct Values {};
  __device__ Values fetch(int, int) const { return {}; }
  /// f(args…), with the values at the end.
  template <class F, class... Args>
  __device__ static auto apply(const F& f, const Values&, Args&&... args) {
    return f(args...);
  }
};
template <class Load, class... Rest>
struct LoadTogether<Load, Rest...> {
  Load load;
  LoadTogether<Rest...> rest;

  struct Values {
    decltype(Load{}.fetch(0, 0)) value;
    typename LoadTogether<Rest...>::Values rest;
  };
  __device__ Values fetch(int x, int y) const { return {load.fetch(x, y), rest.fetch(x, y)}; }
  template <class F, class... Args>
  __device__ static auto apply(const F& f, const Values& values, Args&&... args) {
    return LoadTogether<Rest...>::apply(f, values.rest, args..., values.value);
  }
};
inline LoadTogether<> together() { return {}; }
template <class Load, class... Rest>
LoadTogether<Load, Rest...> together(Load load, Rest... rest) {
  return {load, together(rest...)};
}

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
    return warp::all(same);
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

}  // namespace cuda_filters::cuda
