// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/deconvolution/deconvolution_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

inline Vector quotient(Vector picture, Vector model) {
  const Vector zero{};
  return model == zero ? zero : (picture < zero ? zero : picture) / model;
}
inline Vector product(Vector light, Vector correction, float least) {
  const Vector next = light * correction;
  return next < least ? Vector{} : next;
}

void quotients(const float* picture, const float* model, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + vector_lanes <= count; i += vector_lanes)
    at(to + i) = quotient(at(picture + i), at(model + i));
  for (; i < count; ++i)
    to[i] = model[i] == 0.0f ? 0.0f : (picture[i] < 0.0f ? 0.0f : picture[i]) / model[i];
}

void products(const float* light, const float* correction, float least, std::size_t count,
              float* to) {
  std::size_t i = 0;
  for (; i + vector_lanes <= count; i += vector_lanes)
    at(to + i) = product(at(light + i), at(correction + i), least);
  for (; i < count; ++i) {
    const float next = light[i] * correction[i];
    to[i] = next < least ? 0.0f : next;
  }
}

}  // namespace

DEFINE_KERNELS(DeconvolutionKernels, deconvolution_kernels){quotients, products};

}  // namespace cuda_filters::cpu
