// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/canny.hpp"
#include "gpu/core/matrix.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/pixels.cuh"

namespace cuda_filters::cuda {

constexpr unsigned divide_up(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

template <class Load, class Store, class F>
__global__ void map_kernel(Rect area, Load load, Store store, F f) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (x >= area.right()) return;
  Pixel pixels[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i < area.bottom()) pixels[i] = load(x, first + i);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i < area.bottom()) store(x, first + i, f(pixels[i]));
}

/// The primitives, in one stream of one GPU; the meaning is that of cpu::Exec.
class Exec {
 public:
  using Input = cuda::Input;
  using Output = cuda::Output;

  explicit Exec(cudaStream_t stream) : stream_{stream} {}

  template <class F>
  void map(const Input& in, const Output& out, F f) {
    const dim3 block{64, 4};
    const dim3 grid{divide_up(out.area.width, 64), divide_up(out.area.height, 16)};
    with_both(in, out, [&](auto load, auto store) {
      map_kernel<<<grid, block, 0, stream_>>>(out.area, load, store, f);
      check(cudaGetLastError());
    });
  }

  void gaussian(const Input& in, const Output& out, double sigma_x, double sigma_y);
  void convolve(const Input& in, const Output& out, const Matrix& weights, float offset);
  void edges(const Input& in, const Output& out, const canny::Settings& settings,
             const canny::Joints& joints);
  void survey_edges(const Input& in, Rect area, const canny::Settings& settings,
                    canny::Joints& joints);

 private:
  cudaStream_t stream_;
};

}  // namespace cuda_filters::cuda
