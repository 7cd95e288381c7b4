// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/aperture/weighted_mean.cuh"
#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/deconvolution/deconvolve.hpp"
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/separable/separable.cuh"
#include "gpu/core/band_progress.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

using deconvolution::Areas;
using deconvolution::AxisFactors;
using deconvolution::DeconvolutionSettings;
using deconvolution::Psf;
using deconvolution::Update;

/// Of the picture and psf ∗ u, …
struct Quotients {
  Update update;
  __device__ Pixel operator()(Pixel picture, Pixel model) const {
    return update.quotients(picture, model);
  }
};
/// … and of u and what corrects it.
struct Products {
  __device__ Pixel operator()(Pixel light, Pixel correction) const {
    return Update::products(light, correction);
  }
};

/// Takes sums and stores what becomes of them with the pixels of another picture, which may be the
/// one that is written.
template <class F>
struct StoreUpdated {
  Plane other, to;
  F f;
  __device__ Pixel fetch(int x, int y) const {
    const float4 p = *reinterpret_cast<const float4*>(&other.at(x, y));
    return {p.x, p.y, p.z, p.w};
  }
  __device__ void operator()(int x, int y, Pixel sum, Pixel fetched) const {
    to.at(x, y) = f(fetched, sum);
  }
};

constexpr int threads = 128;

dim3 grid_of(Rect area) {
  return {divide_up(area.width, threads), static_cast<unsigned>(std::min(area.height, 65535))};
}

/// Calls f(x, y) for the pixels of an area, in a grid_of() it.
template <class F>
__device__ void for_pixels(Rect area, F f) {
  const int x = area.x + static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (x >= area.right()) return;
  for (int y = area.y + static_cast<int>(blockIdx.y); y < area.bottom();
       y += static_cast<int>(gridDim.y))
    f(x, y);
}

/// Loads the picture, and finds the first quotients where psf ∗ u is u.
template <class Load>
__global__ void __launch_bounds__(threads)
    load_kernel(Load load, Plane picture, Plane quotients, Quotients of) {
  constexpr float u = deconvolution::initial;
  for_pixels(picture.area, [&](int x, int y) {
    const Pixel pixel = load(x, y);
    picture.at(x, y) = pixel;
    quotients.at(x, y) = of(pixel, {u, u, u, u});
  });
}

__global__ void __launch_bounds__(threads) fill_kernel(Plane light) {
  constexpr float u = deconvolution::initial;
  for_pixels(light.area, [&](int x, int y) { light.at(x, y) = {u, u, u, u}; });
}

template <class F>
__global__ void __launch_bounds__(threads)
    update_kernel(Rect area, LoadPlane sums, StoreUpdated<F> store) {
  for_pixels(area, [&](int x, int y) { store(x, y, sums(x, y), store.fetch(x, y)); });
}

template <class Storer>
__global__ void __launch_bounds__(threads) store_kernel(Rect area, LoadPlane light, Storer store) {
  for_pixels(area, [&](int x, int y) { store(x, y, light(x, y)); });
}

/// Where the rows and columns of an image, and those beyond its ends, lie in a part of it, as the
/// border says.
class Places {
 public:
  /// `reach`: how far beyond `part` one looks.
  Places(Exec& exec, Rect part, Halo reach, Rect image, Border border)
      : area_{part.grown(reach)},
        rows_of_{table(area_.rows(), part.rows(), image.height, border)},
        columns_of_{table(area_.columns(), part.columns(), image.width, border)},
        rows_{exec.upload(rows_of_)},
        columns_{exec.upload(columns_of_)} {}

  /// A picture of that part, which goes on beyond the ends of the image.
  Input continued(Plane part, const Input& like) const {
    return {.store = reinterpret_cast<const std::byte*>(part.data),
            .slot_bytes = sizeof(Pixel) * static_cast<std::size_t>(part.area.width),
            .slots = part.area.height,
            .rows = {rows_.data(), longest_straight_run(rows_of_)},
            .columns = {columns_.data(), longest_straight_run(columns_of_)},
            .area = area_,
            .image = like.image,
            .mask = nullptr,
            .format = {SampleType::f32, true, true},
            .alpha = Alpha::channel,
            .curves = {},
            .is_temporary = true};
  }

 private:
  static std::vector<int> table(IndexRange wanted, IndexRange part, int size, Border border) {
    std::vector<int> places;
    for (int i = wanted.begin; i < wanted.end; ++i) {
      const int index = border_index(i, size, border);
      // What is in the image but not in the part is beside what anyone looks at.
      places.push_back(index >= part.begin && index < part.end ? index - part.begin : -1);
    }
    return places;
  }

  Rect area_;
  std::vector<int> rows_of_, columns_of_;
  Buffer<int> rows_, columns_;
};

/// Convolves with a point spread function, or with the one that is turned.
class Convolution {
 public:
  Convolution(const Psf& psf, bool turned) : psf_{psf} {
    if (!decimates()) factors_ = deconvolution::factors_of(psf, turned);
    const auto max_count = static_cast<std::size_t>(AxisWeights::max_count);
    if (std::max(factors_.across.size(), factors_.down.size()) > max_count) factors_ = {};
    if (psf.sigma == 0.0) weights_ = is_dense() ? psf.weights(turned) : psf.neighbors(turned);
  }

  /// Puts the sums of `area` through `store`.
  template <class F>
  void run(Exec& exec, const Input& in, Rect area, const StoreUpdated<F>& store) const {
    if (factors_ && psf_.sigma > 0.0)
      return separable_sums<Weighing::blur>(exec.stream(), area, LoadFloats{in},
                                            AxisWeights{factors_.across},
                                            AxisWeights{factors_.down}, store);
    if (factors_)
      return separable_sums<Weighing::matrix>(exec.stream(), area, LoadFloats{in},
                                              AxisWeights{factors_.across},
                                              AxisWeights{factors_.down}, store);
    const Temporary sums{exec.stream(), area, in};
    if (decimates())
      gaussian_blur(exec, in, sums, psf_.sigma, psf_.sigma, Border::clamp);
    else if (is_dense())
      convolve(exec, in, sums, weights_, 0.0f);
    else
      mean(exec, in, sums);
    const Plane plane = plane_of(static_cast<const Input&>(sums));
    update_kernel<<<grid_of(area), threads, 0, exec.stream()>>>(area, LoadPlane{plane}, store);
    check(cudaGetLastError());
  }

 private:
  /// This is a part of a step, which tells how much of a band is done.
  void mean(Exec& exec, const Input& in, const Output& out) const {
    std::atomic<double> of_mean;
    const BandProgress hidden{of_mean};
    weighted_mean(exec, in, out, weights_);
  }
  bool decimates() const { return psf_.sigma >= gaussian::pyramid_from; }
  /// Whether all weights of the matrix are summed up sooner than pieces of its rows.
  bool is_dense() const {
    const Matrix& matrix = psf_.matrix;
    return std::max(matrix.width, matrix.height) <= largest_matrix &&
           matrix.width * matrix.height <= 3.0 * psf_.terms();
  }

  const Psf& psf_;
  AxisFactors factors_;
  Matrix weights_;  ///< where they are dense their sum is 1
};

std::size_t count_of(Rect area) { return static_cast<std::size_t>(area.width) * area.height; }

}  // namespace

void deconvolve(Exec& exec, const Input& in, const Output& out,
                const DeconvolutionSettings& settings) {
  if (out.area.empty()) return;
  const cudaStream_t stream = exec.stream();
  const Areas areas{in.image, out.area, settings};
  const int steps = 2 * settings.iterations;
  const Rect all = areas.before(steps), seen = areas.before(steps - 1);
  const Buffer<Pixel> of_light{count_of(all), stream}, of_quotients{count_of(all), stream},
      of_picture{count_of(seen), stream};
  const Plane light{of_light.data(), all}, quotients{of_quotients.data(), all},
      picture{of_picture.data(), seen};
  const Quotients to_quotients{Update{settings.damping}};
  with_loader(in, [&](auto load) {
    load_kernel<<<grid_of(seen), threads, 0, stream>>>(load, picture, quotients, to_quotients);
    check(cudaGetLastError());
  });
  fill_kernel<<<grid_of(all), threads, 0, stream>>>(light);
  check(cudaGetLastError());

  const Convolution convolution{settings.psf, false}, turned{settings.psf, true};
  const Places places{exec, all, areas.each, in.image, settings.border};
  const Input all_light = places.continued(light, in),
              all_quotients = places.continued(quotients, in);
  // 25 ms of an H200's time by a small Gaussian, and 165 by a disc of 10 pixels.
  constexpr std::size_t pixels_ahead = std::size_t{1} << 29;
  PacedLaunches launches{stream, std::max<std::size_t>(2, pixels_ahead / count_of(all))};
  for (int left = steps; left > 0; left -= 2) {
    launches.begin();
    // At first u is the same everywhere, and psf ∗ u, too, unless there is nothing beyond the ends.
    if (left < steps || settings.border == Border::transparent)
      convolution.run(exec, all_light, areas.before(left - 1),
                      StoreUpdated<Quotients>{picture, quotients, to_quotients});
    turned.run(exec, all_quotients, areas.before(left - 2),
               StoreUpdated<Products>{light, light, {}});
    launches.end();
    // The GPU is at most some iterations behind.
    set_band_progress(1.0 - (left - 2.0) / steps);
  }
  with_storer(out, [&](auto store) {
    store_kernel<<<grid_of(out.area), threads, 0, stream>>>(out.area, LoadPlane{light}, store);
    check(cudaGetLastError());
  });
}

}  // namespace cuda_filters::cuda
