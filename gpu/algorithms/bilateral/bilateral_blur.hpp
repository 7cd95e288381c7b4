// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <tuple>
#include <vector>

#include "gpu/algorithms/bilateral/bilateral.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

namespace cpu {
/// The bilateral filter of straight pixels, and of alpha with them: bilateral.hpp. `guide`: what
/// the values are compared in; null: `in` itself.
void bilateral_blur(Exec&, const Input& in, const Input* guide, const Output& out,
                    const bilateral::BilateralSettings& settings);
}  // namespace cpu

namespace cuda {
/// The same by a grid, which `settings` has: grid.hpp; and whether that is how an image is blurred.
bool uses_grid(const Input& in, const bilateral::BilateralSettings& settings);
void blur_by_grid(Exec&, const Input& in, const Input* guide, const Output& out,
                  const bilateral::BilateralSettings& settings);
}  // namespace cuda

namespace trace {
/// Notes what a grid takes; the sums over discs of small images look less far.
inline void blur_by_grid(Exec& exec, Input in, const Input* guide, Output out,
                         const bilateral::BilateralSettings& settings) {
  const int halo = settings.grid.halo();
  const footprint::Footprint footprint{{halo, halo}, settings.grid.cost(settings.sums())};
  std::vector<int> reads{in.picture};
  if (guide != nullptr) reads.push_back(guide->picture);
  // The pixels themselves, cells, sums of each pixel, means, and a list.
  const auto pixels = exec.temporary(), cells = exec.temporary(), sums = exec.temporary(),
             means = exec.temporary(), list = exec.temporary();
  exec.note(in, pixels, footprint::map);
  exec.note(reads, means, footprint);
  exec.note(pixels, cells, {{}, 0.0});
  exec.note(cells, sums, {{halo, halo}, 0.0});
  exec.note(sums, list, {{}, 0.0});
  exec.note(std::vector{means.picture(), list.picture()}, out, footprint::map);
}
inline bool uses_grid(Input, const bilateral::BilateralSettings& settings) {
  return static_cast<bool>(settings.grid);
}
}  // namespace trace

/// The same of any other executor's neighborhoods.
template <class Exec>
void bilateral_blur(Exec& exec, const typename Exec::Input& in, const typename Exec::Input* guide,
                    const typename Exec::Output& out,
                    const bilateral::BilateralSettings& settings) {
  using bilateral::Guide;
  using bilateral::Mean;
  if (uses_grid(in, settings)) return blur_by_grid(exec, in, guide, out, settings);
  const auto exponents = exec.upload(settings.exponents);
  const auto weights = exec.upload(settings.weights);
  const auto ends = exec.upload(settings.ends);
  const bilateral::Window window{exponents.data(), weights.data(), ends.data(), settings.radius,
                                 settings.range};
  const Halo reach{settings.radius, settings.radius};
  const double cost = settings.disc_cost();
  const auto blur = [&](auto mean) {
    if (guide != nullptr)
      exec.neighborhood(std::tie(in, *guide), out, reach, cost, mean);
    else
      exec.neighborhood(in, out, reach, cost, mean);
  };
  switch (settings.guide) {
    case Guide::color:
      return blur(Mean<Guide::color>{window});
    case Guide::luminance:
      return blur(Mean<Guide::luminance>{window});
    case Guide::channels:
      return blur(Mean<Guide::channels>{window});
  }
}

}  // namespace cuda_filters
