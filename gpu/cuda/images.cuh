// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/core/band.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/cuda/curves.hpp"
#include "gpu/cuda/memory.hpp"

// The pictures that kernels read and write.

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
  /// `area`: of that level of the image, or beyond it. `like`: the band's input.
  Temporary(cudaStream_t stream, Rect area, const Input& like, int level = 0);
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
inline Plane plane_of(const Output& temporary) {
  return {reinterpret_cast<Pixel*>(temporary.codes), temporary.area};
}

/// An intermediate image of one float a pixel.
struct ChannelPlane {
  float* data;
  Rect area;
  int stride;  ///< floats from one row to the next

  __device__ float& at(int x, int y) const {
    return data[static_cast<std::size_t>(y - area.y) * stride + (x - area.x)];
  }
};

/// A picture of one float a pixel that lives as long as Temporary; its rows have room for
/// channel_stride().
class Channel {
 public:
  /// `area`: of the image, or of a level of it, or beyond it.
  Channel(cudaStream_t stream, Rect area)
      : memory_{static_cast<std::size_t>(channel_stride(area.width)) * area.height, stream},
        plane_{memory_.data(), area, channel_stride(area.width)} {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  const ChannelPlane& plane() const { return plane_; }
  Rect area() const { return plane_.area; }

 private:
  Buffer<float> memory_;
  ChannelPlane plane_;
};

}  // namespace cuda_filters::cuda
