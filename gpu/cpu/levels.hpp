// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <span>

namespace cuda_filters::cpu {

/// Every group of kernels: its type, and its name. A group is defined in a file of its own, which
/// meson.build compiles once for each level of the instruction set.
#define KERNEL_GROUPS(GROUP)                            \
  GROUP(Kernels, kernels)                               \
  GROUP(SumKernels, sum_kernels)                        \
  GROUP(EdgeKernels, edge_kernels)                      \
  GROUP(RankKernels, rank_kernels)                      \
  GROUP(DiffusionKernels, diffusion_kernels)            \
  GROUP(AlignKernels, align_kernels)                    \
  GROUP(BilateralKernels, bilateral_kernels)            \
  GROUP(NlMeansKernels, nl_means_kernels)               \
  GROUP(SurfaceKernels, surface_kernels)                \
  GROUP(NoiseReductionKernels, noise_reduction_kernels) \
  GROUP(ExtremumKernels, extremum_kernels)              \
  GROUP(LutKernels, lut_kernels)                        \
  GROUP(LocalLaplacianKernels, local_laplacian_kernels) \
  GROUP(PixelMathKernels, pixel_math_kernels)           \
  GROUP(MotionKernels, motion_kernels)                  \
  GROUP(OilifyKernels, oilify_kernels)                  \
  GROUP(ApertureKernels, aperture_kernels)              \
  GROUP(ClaheKernels, clahe_kernels)                    \
  GROUP(DeconvolutionKernels, deconvolution_kernels)    \
  GROUP(CurvatureKernels, curvature_kernels)            \
  GROUP(SnnMeanKernels, snn_mean_kernels)

// The types, and what returns the kernels of the best level that this processor has.
#define DECLARE_GROUP(Type, name) \
  struct Type;                    \
  const Type& name();
KERNEL_GROUPS(DECLARE_GROUP)
#undef DECLARE_GROUP

/// The kernels for one level.
struct Level {
  const char* name;
#define POINT_TO_GROUP(Type, name) const Type* name;
  KERNEL_GROUPS(POINT_TO_GROUP)
#undef POINT_TO_GROUP
};

/// The levels that this processor has, the best one last.
std::span<const Level> levels();

/// Begins the definition of a group of kernels for the level that its file is compiled for. So that
/// no function that needs a newer processor can stand in for one that does not, nothing else there
/// may have external linkage.
#define DEFINE_KERNELS(Type, name)                        \
  extern const Type KERNELS_OF_LEVEL(name, KERNEL_LEVEL); \
  const Type KERNELS_OF_LEVEL(name, KERNEL_LEVEL)
#define KERNELS_OF_LEVEL(name, level) KERNELS_NAMED(name, level)
#define KERNELS_NAMED(name, level) name##_##level

}  // namespace cuda_filters::cpu
