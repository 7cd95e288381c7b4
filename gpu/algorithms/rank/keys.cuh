// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/cuda/exec.cuh"

// What rank filters read on a GPU, and how they write.

namespace cuda_filters::cuda::ranks {

/// Keys of all channels, interleaved, of an area of the padded image.
template <class Key>
struct Keys {
  const Key* data;
  Rect area;
  int channels;
  int pitch;  ///< from row to row, in samples

  __device__ const Key* at(int x, int y) const {
    return data + static_cast<std::size_t>(y - area.y) * pitch + (x - area.x) * channels;
  }
  __device__ bool has(int x, int y) const {
    return x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
  }
};

/// The samples of a pixel, read at once where their number allows it.
template <class Key, int channels>
struct alignas(sizeof(Key) * (channels == 3 ? 1 : channels)) Samples {
  Key keys[channels];
};

template <class Key, int channels>
__global__ void unpack_kernel(Input in, Rect area, Key infinity, Key* out, int pitch) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y);
  if (x >= area.right()) return;
  using Pixel = Samples<Key, channels>;
  const auto* stored = reinterpret_cast<const Pixel*>(in.at(x, y, sizeof(Pixel)));
  Pixel pixel{};
  if (stored != nullptr) pixel = *stored;
  if (infinity != 0)
#pragma unroll
    for (Key& key : pixel.keys) key = rank::key_of_float(key, infinity);
  *reinterpret_cast<Pixel*>(out + static_cast<std::size_t>(y - area.y) * pitch +
                            (x - area.x) * channels) = pixel;
}

template <class Key>
void unpack_samples(cudaStream_t stream, const Input& in, Rect area, Key infinity, Key* out,
                    int pitch) {
  const auto run = [&](auto kernel) {
    // A grid has up to 65535 rows.
    constexpr int max_rows = 65535;
    for (int y = 0; y < area.height; y += max_rows) {
      const Rect part{area.x, area.y + y, area.width, std::min(max_rows, area.height - y)};
      const dim3 grid{divide_up(part.width, 256), static_cast<unsigned>(part.height)};
      kernel<<<grid, 256, 0, stream>>>(in, part, infinity,
                                       out + static_cast<std::size_t>(y) * pitch, pitch);
      check(cudaGetLastError());
    }
  };
  switch (in.format.channels()) {
    case 1:
      return run(unpack_kernel<Key, 1>);
    case 2:
      return run(unpack_kernel<Key, 2>);
    case 3:
      return run(unpack_kernel<Key, 3>);
    default:
      return run(unpack_kernel<Key, 4>);
  }
}

/// Where the results go: rows of stored samples without gaps.
template <class Key>
struct Codes {
  Key* data;
  Rect area;
  int channels;
  Key infinity;  ///< of floats, else 0

  __device__ std::size_t width() const { return static_cast<std::size_t>(area.width) * channels; }
  /// `sample` counts from the left of the area.
  __device__ void store(std::size_t sample, int y, Key key) const {
    data[(y - area.y) * width() + sample] = infinity != 0 ? rank::float_of_key(key) : key;
  }
  /// The samples in four bytes, as far as there is room for them.
  __device__ void store_bytes(int sample, int y, unsigned bytes) const {
    constexpr int count = 4 / sizeof(Key);
    Key samples[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const Key key = static_cast<Key>(bytes >> 8 * sizeof(Key) * i);
      samples[i] = infinity != 0 ? rank::float_of_key(key) : key;
    }
    Key* to = data + (y - area.y) * width() + sample;
    if (reinterpret_cast<std::uintptr_t>(to) % 4 == 0 && sample + count <= width()) {
      unsigned whole = 0;
#pragma unroll
      for (int i = 0; i < count; ++i)
        whole |= static_cast<unsigned>(samples[i]) << 8 * sizeof(Key) * i;
      *reinterpret_cast<unsigned*>(to) = whole;
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (sample + i < width()) to[i] = samples[i];
    }
  }
};

}  // namespace cuda_filters::cuda::ranks
