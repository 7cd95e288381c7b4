// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

constexpr int threads = 128, rows_at_once = 4;

template <class Load>
__global__ void __launch_bounds__(threads) decode_kernel(Load load, Plane to) {
  const Rect area = to.area;
  const int x = area.x + static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y) * rows_at_once;
  if (x >= area.right()) return;
  decltype(load.fetch(x, first)) fetched[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i)
    fetched[i] = load.fetch(x, min(first + i, area.bottom() - 1));
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i)
    if (first + i < area.bottom()) to.at(x, first + i) = load.decoded(fetched[i]);
}

template <class Storer>
__global__ void __launch_bounds__(threads) encode_kernel(Rect area, LoadPlane load, Storer store) {
  const int x = area.x + static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int first = area.y + static_cast<int>(blockIdx.y) * rows_at_once;
  if (x >= area.right()) return;
  Pixel pixels[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) pixels[i] = load(x, min(first + i, area.bottom() - 1));
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i)
    if (first + i < area.bottom()) store(x, first + i, pixels[i]);
}

/// The parts of an area that a grid can have: up to 65535 rows of blocks.
template <class Launch>
void in_parts(Rect area, Launch launch) {
  constexpr int max_rows = 65535 * rows_at_once;
  for (int y = 0; y < area.height; y += max_rows) {
    const Rect part{area.x, area.y + y, area.width, std::min(max_rows, area.height - y)};
    launch(part, dim3{divide_up(part.width, threads), divide_up(part.height, rows_at_once)});
  }
}

}  // namespace

Temporary::Temporary(cudaStream_t stream, Rect area, const Input& like, int level)
    : memory_{static_cast<std::size_t>(area.width) * area.height, stream},
      input_{.store = reinterpret_cast<const std::byte*>(memory_.data()),
             .slot_bytes = sizeof(Pixel) * area.width,
             .slots = area.height,
             .rows = {nullptr, {0, area.height, 0}},
             .columns = {nullptr, {0, area.width, 0}},
             .area = area,
             .image = like.image.at_level(level),
             .mask = like.mask,
             .format = {SampleType::f32, true, true},
             .alpha = Alpha::channel,
             .curves = {},
             .is_temporary = true},
      output_{.codes = reinterpret_cast<std::byte*>(memory_.data()),
              .area = area,
              .original = input_,
              .format = input_.format,
              .curves = {},
              .image = input_.image,
              .resized = false,
              .is_temporary = true} {}

void Exec::decode(const Input& in, const Output& temporary) {
  const Plane all = plane_of(temporary);
  with_quick_loader(in, [&](auto load) {
    in_parts(all.area, [&](Rect part, dim3 grid) {
      const Plane to{&all.data[static_cast<std::size_t>(part.y - all.area.y) * part.width], part};
      decode_kernel<<<grid, threads, 0, stream_>>>(load, to);
      check(cudaGetLastError());
    });
  });
}

void Exec::encode(const Input& temporary, const Output& out) {
  with_storer(out, [&](auto store) {
    in_parts(out.area, [&](Rect part, dim3 grid) {
      encode_kernel<<<grid, threads, 0, stream_>>>(part, LoadPlane{plane_of(temporary)}, store);
      check(cudaGetLastError());
    });
  });
}

}  // namespace cuda_filters::cuda
