// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <tuple>

#include "gpu/algorithms/bilateral/bilateral.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

namespace cpu {
/// The bilateral filter of straight pixels, and of alpha with them: bilateral.hpp. `guide`: what
/// the values are compared in; null: `in` itself.
void bilateral_blur(Exec&, const Input& in, const Input* guide, const Output& out,
                    const bilateral::BilateralSettings& settings);
}  // namespace cpu

/// The same of any other executor's neighborhoods.
template <class Exec>
void bilateral_blur(Exec& exec, const typename Exec::Input& in, const typename Exec::Input* guide,
                    const typename Exec::Output& out,
                    const bilateral::BilateralSettings& settings) {
  using bilateral::Guide;
  using bilateral::Mean;
  const auto exponents = exec.upload(settings.exponents);
  const auto weights = exec.upload(settings.weights);
  const auto ends = exec.upload(settings.ends);
  const bilateral::Window window{exponents.data(), weights.data(), ends.data(), settings.radius,
                                 settings.range};
  const Halo reach{settings.radius, settings.radius};
  const double of_sample = settings.guide == Guide::channels ? 1.2 : 0.6;
  const double cost = 10.0 + of_sample * settings.samples;
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
