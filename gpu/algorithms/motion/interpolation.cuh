// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
namespace cuda_filters::cuda {

__device__ inline float4 pixel_at(const float4* pixel) { return __ldg(pixel); }
/// sum += weight · p.
__device__ inline void add_to(float4& sum, float weight, float4 p) {
  sum.x = fmaf(weight, p.x, sum.x), sum.y = fmaf(weight, p.y, sum.y);
  sum.z = fmaf(weight, p.z, sum.z), sum.w = fmaf(weight, p.w, sum.w);
}

/// Adds what lies between four pixels, two side by side and the two below them: so far to the right
/// of the first one and below it, 0 to 1.
__device__ inline void add_interpolated(float4& sum, const float4* above, const float4* beneath,
                                        float right, float below) {
  const float left = 1.0f - right, upper = 1.0f - below;
  add_to(sum, left * upper, pixel_at(above));
  add_to(sum, right * upper, pixel_at(above + 1));
  add_to(sum, left * below, pixel_at(beneath));
  add_to(sum, right * below, pixel_at(beneath + 1));
}

}  // namespace cuda_filters::cuda
