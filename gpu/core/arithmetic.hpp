// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/pixel.hpp"

// For results that need not have the same bits everywhere: on a GPU these are up to 2 units in the
// last place off, for a fourth of the instructions.

namespace cuda_filters {

HOST_DEVICE inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  float result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a / b;
#endif
}

/// 2 to the power of a; 0 for results below the smallest normal number.
HOST_DEVICE inline float power_of_2(float a) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return a > -126.0f ? std::exp2(a) : 0.0f;
#endif
}

HOST_DEVICE inline float square_root(float a) {
#ifdef __CUDA_ARCH__
  float result;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return std::sqrt(a);
#endif
}

#ifdef __CUDACC__
/// 1 / a, on a GPU; infinite for denormal numbers.
__device__ inline float reciprocal(float a) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
}

/// As power(), on a GPU, for exponents from 1/4 to 8: the error of the logarithm counts b times,
/// and it knows no denormal numbers.
__device__ inline float moderate_power(float a, float b) {
  float logarithm, result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(a));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(b * logarithm));
  return result;
}
#endif

/// a to the power of b, for a of at least 0.
HOST_DEVICE inline float power(float a, float b) {
#ifdef __CUDA_ARCH__
  if (b >= 0.25f && b <= 8.0f) return moderate_power(a, b);
#endif
  return std::pow(a, b);
}

}  // namespace cuda_filters
