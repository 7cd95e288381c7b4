// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {

namespace mean_curvature {

/// A step of the values of one channel, or of several in vectors: of `Narrow`, which floats are,
/// and, as widen() gives them, `Wide` ones. Where the gradient is 0 there is no line, and the value
/// stays. Where it is next to 0, its direction is that of the last bits, and after some steps these
/// are to be seen: sums are in the order and of the precision of GEGL's.
template <class Wide, class Narrow, class Widen>
HOST_DEVICE static inline Wide moved(const Narrow (&n)[3][3], const Widen& widen) {
  const Wide center = widen(n[1][1]);
  const Wide x = widen(n[1][2] - n[1][0]), y = widen(n[2][1] - n[0][1]);
  Wide xx = widen(n[1][2] + n[1][0]), yy = widen(n[2][1] + n[0][1]);
  Wide xy = widen(n[2][2] - n[0][2] - n[2][0] + n[0][0]);
  xx -= 2.0 * center, yy -= 2.0 * center, xy *= 0.25;
  // Not 0 where the gradient is, and not larger elsewhere, as it is a double of floats.
  const Wide square = (x * x + y * y) + 1e-300;
  const Wide along = x * x * yy + y * y * xx - 2.0 * x * y * xy;
  return center + 0.25 * along / square;
}

}  // namespace mean_curvature

/// A step of mean curvature motion, for stencil_steps(): u ← u + ¼ · |∇u| · κ, where κ is the
/// curvature of the line of equal values. Alpha stays.
struct MeanCurvature {
  static constexpr bool by_channel = true;
  static constexpr double cost = 24.0;

  HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const {
    const auto widen = [](float value) -> double { return value; };
    const auto of = [&](float Pixel::*color) {
      const float values[3][3] = {{n[0][0].*color, n[0][1].*color, n[0][2].*color},
                                  {n[1][0].*color, n[1][1].*color, n[1][2].*color},
                                  {n[2][0].*color, n[2][1].*color, n[2][2].*color}};
      return static_cast<float>(mean_curvature::moved<double>(values, widen));
    };
    return {of(&Pixel::r), of(&Pixel::g), of(&Pixel::b), n[1][1].a};
  }
};

namespace cpu {
/// The same by vectors.
void apply_stencil(Exec&, const Input& in, const Output& out, const MeanCurvature&);
}  // namespace cpu

}  // namespace cuda_filters
