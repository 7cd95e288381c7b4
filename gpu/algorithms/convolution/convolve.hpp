// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint convolve(const Matrix& weights) {
  return {
      {weights.radius_x(), weights.radius_y()}, 5.0 + 0.1 * weights.width * weights.height, true};
}
}  // namespace footprint

namespace cpu {
/// Correlation. Every color is the sum of its neighbors times `weights`, plus `offset`; with
/// Alpha::premultiplied it is divided by the alpha that the same sum gives with the weights'
/// sizes, and alpha is their average; with Alpha::channel alpha is one more color.
void convolve(Exec&, const Input& in, const Output& out, const Matrix& weights, float offset);
}  // namespace cpu

namespace cuda {
void convolve(Exec&, const Input& in, const Output& out, const Matrix& weights, float offset);
}  // namespace cuda

namespace trace {
inline void convolve(Exec& exec, Input in, Output out, const Matrix& weights, float) {
  exec.note(in, out, footprint::convolve(weights));
}
}  // namespace trace

}  // namespace cuda_filters
