// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

// What a compiler for GPUs has in its own way, and the only header that asks whether it compiles
// for one: another kind of GPU begins here. (Functions for both sides are static because kernels of
// the CPU are compiled for several levels of a processor.)

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#define HAS_VECTORS  // GCC's and Clang's, which compilers for GPUs do not take
#endif

namespace cuda_filters {

// For results that need not have the same bits everywhere: on a GPU these are up to 2 units in the
// last place off, for a fourth of the instructions.

HOST_DEVICE static inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  float result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a / b;
#endif
}

/// 2 to the power of a; 0 for results below the smallest normal number.
HOST_DEVICE static inline float power_of_2(float a) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return a > -126.0f ? std::exp2(a) : 0.0f;
#endif
}

HOST_DEVICE static inline float square_root(float a) {
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
__device__ static inline float reciprocal(float a) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
}

/// As power(), on a GPU, for exponents from 1/4 to 8: the error of the logarithm counts b times,
/// and it knows no denormal numbers.
__device__ static inline float moderate_power(float a, float b) {
  float logarithm, result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(a));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(b * logarithm));
  return result;
}
#endif

/// a to the power of b, for a of at least 0.
HOST_DEVICE static inline float power(float a, float b) {
#ifdef __CUDA_ARCH__
  if (b >= 0.25f && b <= 8.0f) return moderate_power(a, b);
#endif
  return std::pow(a, b);
}

/// The sum of the squared differences of the four bytes of a and b.
HOST_DEVICE static inline std::uint32_t squared_difference_of_bytes(std::uint32_t a,
                                                                    std::uint32_t b) {
#ifdef __CUDA_ARCH__
  const std::uint32_t difference = __vabsdiffu4(a, b);
  return __dp4a(difference, difference, 0u);
#else
  std::uint32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const int d = static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255);
    sum += static_cast<std::uint32_t>(d * d);
  }
  return sum;
#endif
}

/// Arithmetic that gives the same bits on every executor, and the bits of floats. CPU sources that
/// use it are compiled with -ffp-contract=off, because some processors fuse products and sums.
namespace exact {

/// a · b, rounded by itself, whatever it is added to.
HOST_DEVICE static inline float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
/// a + b, which no product is fused with.
HOST_DEVICE static inline float sum(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
HOST_DEVICE static inline float difference(float a, float b) { return sum(a, -b); }
HOST_DEVICE static inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

HOST_DEVICE static inline std::uint32_t bits_of(float number) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(number);
#else
  return std::bit_cast<std::uint32_t>(number);
#endif
}
HOST_DEVICE static inline float float_from_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

/// The bits of a float, of any width, as an integer in the same order: negative floats have all
/// bits turned round, others the sign's.
template <class Bits>
HOST_DEVICE static constexpr Bits ordered(Bits bits) {
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  return static_cast<Bits>((bits & sign) != 0 ? ~bits : bits | sign);
}
/// The bits whose ordered() is that.
template <class Bits>
HOST_DEVICE static constexpr Bits unordered(Bits order) {
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  return static_cast<Bits>((order & sign) != 0 ? order & ~sign : ~order);
}

}  // namespace exact

#ifdef __CUDACC__
/// The threads that go in step. All of them must call these functions.
namespace warp {

inline constexpr int size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// What another lane has: number `lane`, one so many further down or up, or the one with that
/// exclusive or of its number.
template <class T>
__device__ T from_lane(T value, int lane) {
  return __shfl_sync(all_lanes, value, lane);
}
template <class T>
__device__ T from_lane_before(T value, int distance) {
  return __shfl_up_sync(all_lanes, value, distance);
}
template <class T>
__device__ T from_lane_after(T value, int distance) {
  return __shfl_down_sync(all_lanes, value, distance);
}
template <class T>
__device__ T from_lane_xor(T value, int mask) {
  return __shfl_xor_sync(all_lanes, value, mask);
}
/// Whether it is so in any lane, in all of them, and in which: a bit for each.
__device__ static inline bool any(bool here) { return __any_sync(all_lanes, here); }
__device__ static inline bool all(bool here) { return __all_sync(all_lanes, here); }
__device__ static inline unsigned ballot(bool here) { return __ballot_sync(all_lanes, here); }
/// Waits for what the other lanes wrote to memory.
__device__ static inline void sync() { __syncwarp(all_lanes); }

}  // namespace warp
#endif

}  // namespace cuda_filters
