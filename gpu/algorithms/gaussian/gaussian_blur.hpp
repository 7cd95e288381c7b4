// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/gaussian/gaussian.hpp"
#include "gpu/algorithms/gaussian/sharpen.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline Footprint gaussian_blur(double sigma_x, double sigma_y) {
  return {{gaussian::Axis{sigma_x}.halo(), gaussian::Axis{sigma_y}.halo()}, 15.0, true};
}
inline Footprint unsharp(double sigma) {
  const int halo = gaussian::Axis{sigma}.halo();
  return {{halo, halo}, 20.0, true};
}
}  // namespace footprint

namespace cpu {
/// Gaussian blur with the standard deviations `sigma_x` and `sigma_y` in pixels: gaussian.hpp.
void gaussian_blur(Exec&, const Input& in, const Output& out, double sigma_x, double sigma_y,
                   Border border);
void gaussian_blur(Exec&, const Channel& in, const Channel& out, double sigma_x, double sigma_y,
                   Border);
/// Each pixel and its Gaussian blur, together through `sharpen`; the blur is never stored.
void unsharp(Exec&, const Input& in, const Output& out, double sigma, const Sharpen& sharpen,
             Border border);
}  // namespace cpu

namespace cuda {
void gaussian_blur(Exec&, const Input& in, const Output& out, double sigma_x, double sigma_y,
                   Border border);
void gaussian_blur(Exec&, const Channel& in, const Channel& out, double sigma_x, double sigma_y,
                   Border);
void unsharp(Exec&, const Input& in, const Output& out, double sigma, const Sharpen& sharpen,
             Border border);
}  // namespace cuda

namespace trace {
inline void gaussian_blur(Exec& exec, Input in, Output out, double sigma_x, double sigma_y,
                          Border) {
  exec.note(in, out, footprint::gaussian_blur(sigma_x, sigma_y));
}
inline void gaussian_blur(Exec& exec, const Channel& in, const Channel& out, double sigma_x,
                          double sigma_y, Border) {
  exec.note(in, out, footprint::gaussian_blur(sigma_x, sigma_y));
}
inline void unsharp(Exec& exec, Input in, Output out, double sigma, const Sharpen&, Border) {
  exec.note(in, out, footprint::unsharp(sigma));
}
}  // namespace trace

}  // namespace cuda_filters
