// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/algorithms/diffusion/diffusion.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// Rows of up to four channels, each by itself.
struct Channels {
  float* row[4];
};

/// The inner loops of diffuse(), compiled for each level as Kernels are, with the same slack.
struct DiffusionKernels {
  /// What flows from each pixel of `to` to that of `from`: g(‖to - from‖) · (to - from), for i <
  /// count. The first `colors` channels are colors; one stands for three equal ones.
  void (*flow)(const diffusion::DiffusionSettings& settings, int colors, int channels,
               const Channels& from, const Channels& to, int count, const Channels& flow);
  /// row[i] += step · (right[i] - left[i] + below[i] - above[i]).
  void (*update)(float step, const float* left, const float* right, const float* above,
                 const float* below, int count, float* row);
};

}  // namespace cuda_filters::cpu
