// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/device.hpp"
#include "gpu/filters/canny.hpp"

namespace cuda_filters {

/// An analysis that nothing follows, for count_limits(): how often the gradients occur that canny
/// compares with its thresholds, from 0 to the largest threshold that sliders show.
struct CannyHistogram {
  using Params = Canny::Params;
  using State = Histograms;
  static constexpr FilterInfo info{};
  static constexpr auto params = Canny::params;

  static Plan plan(const Params&) {
    return {.trc = Trc::perceptual, .alpha = Alpha::passthrough, .analysis = AnalysisScope::region};
  }

  /// The values that are searched.
  struct Searched {
    canny::Channel channel;
    HOST_DEVICE float operator()(Pixel p) const {
      switch (channel) {
        case canny::Channel::luminance:
          break;
        case canny::Channel::red:
          return p.r;
        case canny::Channel::green:
          return p.g;
        case canny::Channel::blue:
          return p.b;
        case canny::Channel::value:
          return p.r > p.g ? (p.r > p.b ? p.r : p.b) : (p.g > p.b ? p.g : p.b);
      }
      return luminance(p);
    }
  };

  /// The norm of Sobel's gradient of a gray picture.
  struct Gradient {
    bool squares;
    HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const {
      const float x =
          (n[0][2].r + n[1][2].r * 2.0f + n[2][2].r) - (n[0][0].r + n[1][0].r * 2.0f + n[2][0].r);
      const float y =
          (n[2][0].r + n[2][1].r * 2.0f + n[2][2].r) - (n[0][0].r + n[0][1].r * 2.0f + n[0][2].r);
      constexpr float scale = 255.0f / static_cast<float>(canny::max_shown);
      const float norm = scale * (squares ? square_root(x * x + y * y) : fabsf(x) + fabsf(y));
      return {norm, norm, norm, n[1][1].a};
    }
  };

  template <class Exec>
  static void analyze(Exec& exec, const Params& p, const typename Exec::Input& in, Rect area,
                      State& state) {
    const auto values = exec.temporary(), gradients = exec.temporary();
    exec.map(in, values, ToGray{Searched{p.channel}});
    if (p.sigma > 0.0) {
      const auto blurred = exec.temporary();
      gaussian_blur(exec, values, blurred, p.sigma, p.sigma, Border::clamp);
      exec.stencil3(blurred, gradients, Gradient{p.norm == Canny::Norm::l2});
    } else {
      exec.stencil3(values, gradients, Gradient{p.norm == Canny::Norm::l2});
    }
    collect_histograms(exec, gradients, area, state);
  }
  static void finish(const Params&, State&) {}

  template <class Exec>
  static void apply(Exec&, const Params&, const typename Exec::Input&, const typename Exec::Output&,
                    const State&) {}
};
static_assert(Filter<CannyHistogram>);

}  // namespace cuda_filters
