// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/non_local_means/nl_means.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cuda/exec.cuh"

// Non-local means, all offsets in one kernel: a warp has 32 columns, and each of its threads some
// rows of one, all of whose sums are in registers. Patches are summed up down a column first, and
// then across the lanes, of which the outer ones only serve the others.

namespace cuda_filters::cuda {
namespace {

using non_local_means::Exponent;
using non_local_means::max_patch_radius;
using non_local_means::NonLocalMeansSettings;

constexpr int warps = 4, rows = 8;

/// The sum of `count` lanes from this one on.
template <int count>
__device__ float sum_from_here(float value) {
  if constexpr (count == 1) {
    return value;
  } else if constexpr (count % 2 == 0) {
    const float half = sum_from_here<count / 2>(value);
    return half + warp::from_lane_after(half, count / 2);
  } else {
    return value + warp::from_lane_after(sum_from_here<count - 1>(value), 1);
  }
}

/// The sum of the `radius` lanes on either side and of this one.
template <int radius>
__device__ float sum_around(float value) {
  if constexpr (radius == 0) {
    return value;
  } else {
    const float side = sum_from_here<radius>(value);
    return value + (warp::from_lane_before(side, radius) + warp::from_lane_after(side, 1));
  }
}

/// The pixels of `part`, whose surroundings `in` holds.
template <int radius>
__global__ void __launch_bounds__(32 * warps)
    nl_means_kernel(Plane in, Plane out, Rect part, int search, Exponent exponent) {
  constexpr int width = 32 - 2 * radius, taps = 2 * radius + 1, height = rows + 2 * radius;
  const int lane = threadIdx.x % 32;
  const int strip = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  const int left = part.x + strip * width;
  if (left >= part.right()) return;  // all of the warp
  const int x = left - radius + lane, top = part.y + static_cast<int>(blockIdx.y) * rows;
  // What lies beyond the part serves nobody, but must be somewhere.
  const int last_column = in.area.right() - 1, last_row = in.area.bottom() - 1;
  const auto pixel_at = [&](int column, int row) {
    return in.at(min(column, last_column), min(row, last_row));
  };
  Pixel center[height];
#pragma unroll
  for (int i = 0; i < height; ++i) center[i] = pixel_at(x, top - radius + i);
  float weights[rows]{};
  Pixel sums[rows]{};
  for (int dy = -search; dy <= search; ++dy) {
    // Each row of offsets is summed up by itself, so that long sums stay exact.
    float row_weights[rows]{};
    Pixel row_sums[rows]{};
    for (int dx = -search; dx <= search; ++dx) {
      float squares[height];
      Pixel differences[rows];
#pragma unroll
      for (int i = 0; i < height; ++i) {
        const Pixel d = pixel_at(x + dx, top - radius + dy + i) - center[i];
        squares[i] = fmaf(d.b, d.b, fmaf(d.g, d.g, d.r * d.r));
        if (i >= radius && i < radius + rows) differences[i - radius] = d;
      }
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        float column = squares[i];
#pragma unroll
        for (int t = 1; t < taps; ++t) column += squares[i + t];
        const float power = fmaf(exponent.scale, sum_around<radius>(column), exponent.limit);
        if (power > exponent.least) {
          const float weight = power_of_2(power > 0.0f ? 0.0f : power);
          row_weights[i] += weight;
          row_sums[i].r = fmaf(weight, differences[i].r, row_sums[i].r);
          row_sums[i].g = fmaf(weight, differences[i].g, row_sums[i].g);
          row_sums[i].b = fmaf(weight, differences[i].b, row_sums[i].b);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      weights[i] += row_weights[i];
      sums[i] = sums[i] + row_sums[i];
    }
  }
  if (lane < radius || lane >= radius + width || x >= part.right()) return;
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    if (top + i >= part.bottom()) return;
    Pixel p = center[radius + i];
    if (weights[i] > 0.0f) {
      p.r += quotient(sums[i].r, weights[i]);
      p.g += quotient(sums[i].g, weights[i]);
      p.b += quotient(sums[i].b, weights[i]);
    }
    out.at(x, top + i) = p;
  }
}

template <int radius = max_patch_radius>
void launch(cudaStream_t stream, Plane in, Plane out, Rect part,
            const NonLocalMeansSettings& settings) {
  if constexpr (radius > 0)
    if (settings.patch_radius < radius) return launch<radius - 1>(stream, in, out, part, settings);
  const dim3 grid{divide_up(part.width, (32 - 2 * radius) * warps), divide_up(part.height, rows)};
  nl_means_kernel<radius><<<grid, 32 * warps, 0, stream>>>(in, out, part, settings.search_radius,
                                                           Exponent{settings, 3});
  check(cudaGetLastError());
}

}  // namespace

void nl_means(Exec& exec, const Input& in, const Output& out,
              const NonLocalMeansSettings& settings) {
  if (!in.is_temporary || !out.is_temporary)
    return exec.through_temporary(
        in, out, {settings.reach(), settings.reach()},
        [&](const Input& from, const Output& to) { nl_means(exec, from, to, settings); });
  // In parts of whole rows, between which a run can be cancelled.
  constexpr double part_cost = 5e10;  // about 80 ms of an H100's time
  const double cost = footprint::nl_means(settings).cost * out.area.width;
  const int part_rows = static_cast<int>(std::clamp(part_cost / cost / rows, 1.0, 65535.0)) * rows;
  PacedLaunches launches{exec.stream(), 2};
  for (int y = 0; y < out.area.height; y += part_rows) {
    const Rect part{out.area.x, out.area.y + y, out.area.width,
                    std::min(out.area.height - y, part_rows)};
    launches.begin();
    launch(exec.stream(), plane_of(in), plane_of(out), part, settings);
    launches.end();
    set_band_progress(static_cast<double>(y + part.height) / out.area.height);
  }
}

}  // namespace cuda_filters::cuda
