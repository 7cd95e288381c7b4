// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/deconvolution/deconvolution_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

constexpr float least_light = 0x1p-90f;  // deconvolution::least_light, whose header may not be here

inline Vector quotient(Vector picture, Vector model) {
  const Vector zero{};
  return model == zero ? zero : (picture < zero ? zero : picture) / model;
}
inline Vector product(Vector light, Vector correction) {
  const Vector next = light * correction;
  return next < least_light ? Vector{} : next;
}

void quotients(const float* picture, const float* model, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + vector_lanes <= count; i += vector_lanes)
    at(to + i) = quotient(at(picture + i), at(model + i));
  for (; i < count; ++i)
    to[i] = model[i] == 0.0f ? 0.0f : (picture[i] < 0.0f ? 0.0f : picture[i]) / model[i];
}

void products(const float* light, const float* correction, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + vector_lanes <= count; i += vector_lanes)
    at(to + i) = product(at(light + i), at(correction + i));
  for (; i < count; ++i) {
    const float next = light[i] * correction[i];
    to[i] = next < least_light ? 0.0f : next;
  }
}

}  // namespace

DEFINE_KERNELS(DeconvolutionKernels, deconvolution_kernels){quotients, products};

}  // namespace cuda_filters::cpu
