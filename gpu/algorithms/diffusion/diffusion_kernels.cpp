// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/diffusion/diffusion_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

using diffusion::Conductance;
using diffusion::DiffusionSettings;

template <Conductance conductance>
inline Vector conductance_of(Vector squared) {
  if constexpr (conductance == Conductance::exponential)
    return exp2_of(-diffusion::log2_of_e * squared);
  if constexpr (conductance == Conductance::rational) return 1.0f / (1.0f + squared);
  if constexpr (conductance == Conductance::tukey) {
    const Vector rest = 1.0f - squared;
    return rest > 0.0f ? rest * rest : Vector{};
  }
  return Vector{} + 1.0f;
}

template <Conductance conductance>
void flow_of(const DiffusionSettings& settings, int colors, int channels, const Channels& from,
             const Channels& to, int count, const Channels& flow) {
  const float weight = colors == 1 ? 3.0f * settings.inverse : settings.inverse;
  for (int i = 0; i < count; i += vector_lanes) {
    Vector squared{};
    if (settings.coupled)
      for (int c = 0; c < colors; ++c) {
        const Vector difference = at(to.row[c] + i) - at(from.row[c] + i);
        squared += difference * difference;
      }
    const Vector together = conductance_of<conductance>(squared * weight);
    for (int c = 0; c < channels; ++c) {
      const Vector difference = at(to.row[c] + i) - at(from.row[c] + i);
      at(flow.row[c] + i) =
          difference * (settings.coupled ? together
                                         : conductance_of<conductance>(difference * difference *
                                                                       settings.inverse));
    }
  }
}

void flow(const DiffusionSettings& settings, int colors, int channels, const Channels& from,
          const Channels& to, int count, const Channels& flow) {
  switch (settings.conductance) {
    case Conductance::constant:
      return flow_of<Conductance::constant>(settings, colors, channels, from, to, count, flow);
    case Conductance::exponential:
      return flow_of<Conductance::exponential>(settings, colors, channels, from, to, count, flow);
    case Conductance::rational:
      return flow_of<Conductance::rational>(settings, colors, channels, from, to, count, flow);
    case Conductance::tukey:
      return flow_of<Conductance::tukey>(settings, colors, channels, from, to, count, flow);
  }
}

void update(float step, const float* left, const float* right, const float* above,
            const float* below, int count, float* row) {
  for (int i = 0; i < count; i += vector_lanes)
    at(row + i) += step * ((at(right + i) - at(left + i)) + (at(below + i) - at(above + i)));
}

}  // namespace

DEFINE_KERNELS(DiffusionKernels, diffusion_kernels){flow, update};

}  // namespace cuda_filters::cpu
