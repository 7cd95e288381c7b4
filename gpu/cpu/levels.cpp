// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <span>
#include <vector>

#include "gpu/algorithms/align/align_kernels.hpp"
#include "gpu/algorithms/bilateral/bilateral_kernels.hpp"
#include "gpu/algorithms/canny/edge_kernels.hpp"
#include "gpu/algorithms/diffusion/diffusion_kernels.hpp"
#include "gpu/algorithms/extremum/extremum_kernels.hpp"
#include "gpu/algorithms/local_laplacian/local_laplacian_kernels.hpp"
#include "gpu/algorithms/lut/lut_kernels.hpp"
#include "gpu/algorithms/motion/motion_kernels.hpp"
#include "gpu/algorithms/noise_reduction/noise_reduction_kernels.hpp"
#include "gpu/algorithms/non_local_means/nl_means_kernels.hpp"
#include "gpu/algorithms/pixel_math/pixel_math_kernels.hpp"
#include "gpu/algorithms/rank/rank_kernels.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/algorithms/surface/surface_kernels.hpp"
#include "gpu/cpu/kernels.hpp"
// Made by meson from the option cpu_levels.
#include "built_levels.hpp"

// Which of the kernels this processor can run.

namespace cuda_filters::cpu {

#define DECLARE_LEVEL(level)                                          \
  extern const Kernels kernels_##level;                               \
  extern const SumKernels sum_kernels_##level;                        \
  extern const EdgeKernels edge_kernels_##level;                      \
  extern const RankKernels rank_kernels_##level;                      \
  extern const DiffusionKernels diffusion_kernels_##level;            \
  extern const AlignKernels align_kernels_##level;                    \
  extern const BilateralKernels bilateral_kernels_##level;            \
  extern const NlMeansKernels nl_means_kernels_##level;               \
  extern const SurfaceKernels surface_kernels_##level;                \
  extern const ExtremumKernels extremum_kernels_##level;              \
  extern const NoiseReductionKernels noise_reduction_kernels_##level; \
  extern const LutKernels lut_kernels_##level;                        \
  extern const LocalLaplacianKernels local_laplacian_kernels_##level; \
  extern const PixelMathKernels pixel_math_kernels_##level;           \
  extern const MotionKernels motion_kernels_##level;
DECLARE_LEVEL(baseline)
#ifdef LEVEL_x86_64_v3
DECLARE_LEVEL(x86_64_v3)
#endif
#ifdef LEVEL_x86_64_v4
DECLARE_LEVEL(x86_64_v4)
#endif
#undef DECLARE_LEVEL

namespace {

std::vector<Level> find_levels() {
  std::vector<Level> found{
      {"baseline", &kernels_baseline, &sum_kernels_baseline, &edge_kernels_baseline,
       &rank_kernels_baseline, &diffusion_kernels_baseline, &align_kernels_baseline,
       &bilateral_kernels_baseline, &nl_means_kernels_baseline, &surface_kernels_baseline,
       &noise_reduction_kernels_baseline, &extremum_kernels_baseline, &lut_kernels_baseline,
       &local_laplacian_kernels_baseline, &pixel_math_kernels_baseline, &motion_kernels_baseline}};
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  [[maybe_unused]] const bool v4 =
      v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
#ifdef LEVEL_x86_64_v3
  if (v3)
    found.push_back({"x86-64-v3", &kernels_x86_64_v3, &sum_kernels_x86_64_v3,
                     &edge_kernels_x86_64_v3, &rank_kernels_x86_64_v3, &diffusion_kernels_x86_64_v3,
                     &align_kernels_x86_64_v3, &bilateral_kernels_x86_64_v3,
                     &nl_means_kernels_x86_64_v3, &surface_kernels_x86_64_v3,
                     &noise_reduction_kernels_x86_64_v3, &extremum_kernels_x86_64_v3,
                     &lut_kernels_x86_64_v3, &local_laplacian_kernels_x86_64_v3,
                     &pixel_math_kernels_x86_64_v3, &motion_kernels_x86_64_v3});
#endif
#ifdef LEVEL_x86_64_v4
  if (v4)
    found.push_back({"x86-64-v4", &kernels_x86_64_v4, &sum_kernels_x86_64_v4,
                     &edge_kernels_x86_64_v4, &rank_kernels_x86_64_v4, &diffusion_kernels_x86_64_v4,
                     &align_kernels_x86_64_v4, &bilateral_kernels_x86_64_v4,
                     &nl_means_kernels_x86_64_v4, &surface_kernels_x86_64_v4,
                     &noise_reduction_kernels_x86_64_v4, &extremum_kernels_x86_64_v4,
                     &lut_kernels_x86_64_v4, &local_laplacian_kernels_x86_64_v4,
                     &pixel_math_kernels_x86_64_v4, &motion_kernels_x86_64_v4});
#endif
#endif
  return found;
}

}  // namespace

std::span<const Level> levels() {
  static const std::vector<Level> found = find_levels();
  return found;
}

const Kernels& kernels() {
  static const Kernels& best = *levels().back().kernels;
  return best;
}

const SumKernels& sum_kernels() {
  static const SumKernels& best = *levels().back().sums;
  return best;
}

const EdgeKernels& edge_kernels() {
  static const EdgeKernels& best = *levels().back().edges;
  return best;
}

const RankKernels& rank_kernels() {
  static const RankKernels& best = *levels().back().ranks;
  return best;
}

const AlignKernels& align_kernels() {
  static const AlignKernels& best = *levels().back().align;
  return best;
}

const BilateralKernels& bilateral_kernels() {
  static const BilateralKernels& best = *levels().back().bilateral;
  return best;
}

const NlMeansKernels& nl_means_kernels() {
  static const NlMeansKernels& best = *levels().back().nl_means;
  return best;
}

const SurfaceKernels& surface_kernels() {
  static const SurfaceKernels& best = *levels().back().surface;
  return best;
}

const NoiseReductionKernels& noise_reduction_kernels() {
  static const NoiseReductionKernels& best = *levels().back().noise_reduction;
  return best;
}

const ExtremumKernels& extremum_kernels() {
  static const ExtremumKernels& best = *levels().back().extremes;
  return best;
}

const LutKernels& lut_kernels() {
  static const LutKernels& best = *levels().back().lut;
  return best;
}

const LocalLaplacianKernels& local_laplacian_kernels() {
  static const LocalLaplacianKernels& best = *levels().back().local_laplacian;
  return best;
}

const PixelMathKernels& pixel_math_kernels() {
  static const PixelMathKernels& best = *levels().back().pixel_math;
  return best;
}

const MotionKernels& motion_kernels() {
  static const MotionKernels& best = *levels().back().motion;
  return best;
}

const DiffusionKernels& diffusion_kernels() {
  static const DiffusionKernels& best = *levels().back().diffusion;
  return best;
}

}  // namespace cuda_filters::cpu
