// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/diffusion/diffuse.hpp"
#include "gpu/algorithms/diffusion/diffusion.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cuda/exec.cuh"

// Diffusion, several steps a launch: a warp goes down a strip of 32 columns, and each row that it
// reads goes through all steps, every step one row behind the one before. What a step keeps is in
// registers; neighbors in a row are other lanes.

namespace cuda_filters::cuda {
namespace {

using diffusion::Conductance;
using diffusion::DiffusionSettings;

constexpr int warps = 4;

__device__ Pixel from_lane_below(Pixel p) {
  return {warp::from_lane_after(p.r, 1), warp::from_lane_after(p.g, 1),
          warp::from_lane_after(p.b, 1), warp::from_lane_after(p.a, 1)};
}
__device__ Pixel from_lane_above(Pixel p) {
  return {warp::from_lane_before(p.r, 1), warp::from_lane_before(p.g, 1),
          warp::from_lane_before(p.b, 1), warp::from_lane_before(p.a, 1)};
}

/// What flows over an edge from `to` to `from`; nothing if it is none.
template <Conductance conductance, bool coupled>
__device__ Pixel flow(Pixel from, Pixel to, float inverse, bool is_edge) {
  if (!is_edge) return {};
  const Pixel d = to - from;
  if constexpr (coupled) {
    const float squared = d.r * d.r + d.g * d.g + d.b * d.b;
    return d * diffusion::flow<conductance>(squared * inverse);
  } else {
    const auto alone = [&](float v) { return v * diffusion::flow<conductance>(v * v * inverse); };
    return {alone(d.r), alone(d.g), alone(d.b), alone(d.a)};
  }
}

/// `steps` steps of the pixels of `out`, which `in` holds with what is around them in `image`.
template <Conductance conductance, bool coupled, int steps>
__global__ void __launch_bounds__(32 * warps)
    step_kernel(Plane in, Plane out, Rect image, int strip_rows, float step, float inverse) {
  constexpr int width = 32 - 2 * steps;
  const int lane = threadIdx.x % 32;
  const int strip = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  const int x = out.area.x + strip * width - steps + lane;
  if (x - lane + steps >= out.area.right()) return;
  const int top = out.area.y + static_cast<int>(blockIdx.y) * strip_rows;
  const int end = min(top + strip_rows, out.area.bottom());
  const int column = min(max(x, in.area.x), in.area.right() - 1);
  const bool has_right = x >= image.x && x + 1 < image.right();
  const bool writes = lane >= steps && lane < 32 - steps && x < out.area.right();
  Pixel last[steps]{}, above[steps]{};  // the row before, and what flowed into it from above
  for (int y = top - steps; y < end + steps; ++y) {
    Pixel pixel = LoadPlane{in}(column, min(max(y, in.area.y), in.area.bottom() - 1));
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      // `pixel` is in row y - i after i steps; the row above it takes its next one.
      const bool has_below = y - i > image.y && y - i < image.bottom();
      const Pixel below = flow<conductance, coupled>(last[i], pixel, inverse, has_below);
      const Pixel right =
          flow<conductance, coupled>(last[i], from_lane_below(last[i]), inverse, has_right);
      const Pixel left = from_lane_above(right);
      const Pixel next = last[i] + ((right - left) + (below - above[i])) * step;
      last[i] = pixel;
      above[i] = below;
      pixel = next;
    }
    if (writes && y - steps >= top) out.at(x, y - steps) = pixel;
  }
}

template <class Load>
__global__ void load_kernel(Load load, Plane out) {
  const int x = out.area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= out.area.right()) return;
  for (int y = out.area.y + static_cast<int>(blockIdx.y); y < out.area.bottom(); y += gridDim.y)
    out.at(x, y) = load(x, y);
}

template <class Storer>
__global__ void store_kernel(Rect area, Plane plane, Storer store) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= area.right()) return;
  for (int y = area.y + static_cast<int>(blockIdx.y); y < area.bottom(); y += gridDim.y)
    store(x, y, plane.at(x, y));
}

dim3 grid_of(Rect area) {
  return {divide_up(area.width, 128), static_cast<unsigned>(std::min(area.height, 65535))};
}

template <Conductance conductance, bool coupled, int steps>
void launch(cudaStream_t stream, Plane in, Plane out, Rect image,
            const DiffusionSettings& settings) {
  const auto kernel = step_kernel<conductance, coupled, steps>;
  const unsigned across = divide_up(out.area.width, (32 - 2 * steps) * warps);
  // Each strip computes some rows of its neighbors, too: they are short only where they are few.
  const unsigned wanted = blocks_at_once(kernel, 32 * warps, 0);
  int strip_rows = 128;
  while (strip_rows > 16 && across * divide_up(out.area.height, strip_rows) < wanted)
    strip_rows /= 2;
  const dim3 grid{across, divide_up(out.area.height, strip_rows)};
  kernel<<<grid, 32 * warps, 0, stream>>>(in, out, image, strip_rows, settings.step,
                                          settings.inverse);
  check(cudaGetLastError());
}

constexpr int steps_at_a_time = 4;

/// One step, or steps_at_a_time of them.
template <Conductance conductance>
void run_steps(cudaStream_t stream, Plane in, Plane out, Rect image,
               const DiffusionSettings& settings, int steps) {
  if (settings.coupled)
    steps == 1 ? launch<conductance, true, 1>(stream, in, out, image, settings)
               : launch<conductance, true, steps_at_a_time>(stream, in, out, image, settings);
  else
    steps == 1 ? launch<conductance, false, 1>(stream, in, out, image, settings)
               : launch<conductance, false, steps_at_a_time>(stream, in, out, image, settings);
}

void run_steps(cudaStream_t stream, Plane in, Plane out, Rect image,
               const DiffusionSettings& settings, int steps) {
  switch (settings.conductance) {
    case Conductance::constant:
      return run_steps<Conductance::constant>(stream, in, out, image, settings, steps);
    case Conductance::exponential:
      return run_steps<Conductance::exponential>(stream, in, out, image, settings, steps);
    case Conductance::rational:
      return run_steps<Conductance::rational>(stream, in, out, image, settings, steps);
    case Conductance::tukey:
      return run_steps<Conductance::tukey>(stream, in, out, image, settings, steps);
  }
}

}  // namespace

void diffuse(Exec& exec, const Input& in, const Output& out, const DiffusionSettings& settings) {
  // What is still wanted after `left` more steps.
  const auto wanted = [&](int left) {
    const Rect wide = out.area.grown(left, left), image = in.image;
    const int x = std::max(wide.x, image.x), y = std::max(wide.y, image.y);
    return Rect{x, y, std::min(wide.right(), image.right()) - x,
                std::min(wide.bottom(), image.bottom()) - y};
  };
  const auto count = [](Rect area) { return static_cast<std::size_t>(area.width) * area.height; };
  const Rect all = wanted(settings.iterations);
  const Buffer<Pixel> memory{count(all), exec.stream()}, other{count(all), exec.stream()};
  Plane now{memory.data(), all};
  with_loader(in, [&](auto load) {
    load_kernel<<<grid_of(all), 128, 0, exec.stream()>>>(load, now);
    check(cudaGetLastError());
  });
  constexpr std::size_t pixels_ahead = std::size_t{1} << 31;  // 40 ms of an H200's time
  PacedLaunches launches{exec.stream(), std::max<std::size_t>(2, pixels_ahead / count(all))};
  for (int left = settings.iterations; left > 0;) {
    const int steps = left >= steps_at_a_time ? steps_at_a_time : 1;
    left -= steps;
    const Plane next{now.data == memory.data() ? other.data() : memory.data(), wanted(left)};
    launches.begin();
    run_steps(exec.stream(), now, next, in.image, settings, steps);
    launches.end();
    now = next;
    // The GPU is at most some steps behind.
    set_band_progress(1.0 - static_cast<double>(left) / settings.iterations);
  }
  with_storer(out, [&](auto store) {
    store_kernel<<<grid_of(out.area), 128, 0, exec.stream()>>>(out.area, now, store);
    check(cudaGetLastError());
  });
}

}  // namespace cuda_filters::cuda
