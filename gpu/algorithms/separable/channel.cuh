// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/separable/separable.cuh"
#include "gpu/cuda/exec.cuh"

// Sums of a channel by what sums pixels, each of which is four pixels of the channel.

namespace cuda_filters::cuda {

/// Row y of these pixels is made of four rows of a channel, from row `top` on.
struct LoadFourRows {
  ChannelPlane plane;
  int top;
  __device__ Pixel fetch(int x, int y) const {
    const int first = top + 4 * y, last = plane.area.bottom() - 1;
    // Rows beyond the last one give sums that nobody wants.
    const auto value = [&](int k) { return __ldg(&plane.at(x, min(first + k, last))); };
    return {value(0), value(1), value(2), value(3)};
  }
  __device__ Pixel decoded(Pixel p) const { return p; }
  __device__ Pixel operator()(int x, int y) const { return fetch(x, y); }
};

/// Takes such rows apart.
struct StoreFourRows {
  ChannelPlane plane;
  __device__ void operator()(int x, int y, Pixel p) const {
    const int first = plane.area.y + 4 * y;
    const float values[4] = {p.r, p.g, p.b, p.a};
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (first + k < plane.area.bottom()) plane.at(x, first + k) = values[k];
  }
};

/// The pixels of which each is four of a channel side by side, with what fills up its rows.
inline Plane quarters_of(const ChannelPlane& channel) {
  return {reinterpret_cast<Pixel*>(channel.data),
          {0, channel.area.y, channel.stride / 4, channel.area.height}};
}

/// Sums along the rows of a channel by along_rows(load, area, store), and then along its columns,
/// which look at `halo_y` rows above and below, by along_columns(plane, area, store) of a plane in
/// summed_memory().
template <class AlongRows, class AlongColumns>
void sum_channel(cudaStream_t stream, const Channel& in, const Channel& out, int halo_y,
                 AlongRows along_rows, AlongColumns along_columns) {
  const Rect tall = out.area().grown(0, halo_y);
  const int quarters = channel_stride(tall.width) / 4;
  const Buffer<Pixel> memory = summed_memory({0, tall.y, quarters, tall.height}, stream);
  const ChannelPlane middle{reinterpret_cast<float*>(memory.data()), tall, 4 * quarters};
  const Rect rows{tall.x, 0, tall.width, static_cast<int>(divide_up(tall.height, 4))};
  along_rows(LoadFourRows{in.plane(), tall.y}, rows, StoreFourRows{middle});
  const Plane result = quarters_of(out.plane());
  along_columns(quarters_of(middle), result.area, StorePlane{result});
}

}  // namespace cuda_filters::cuda
