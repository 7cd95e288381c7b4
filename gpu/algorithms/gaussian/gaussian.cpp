// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/gaussian/gaussian.hpp"

#include <cmath>

#include "gpu/core/floor_divide.hpp"

namespace cuda_filters::gaussian {
namespace {

double bell(double distance, double sigma) {
  return std::exp(-distance * distance / (2.0 * sigma * sigma));
}

template <class Weights>
void fill_normalized(Weights& weights, double first_distance, double spacing, double sigma) {
  double sum = 0.0;
  const int count = static_cast<int>(weights.size());
  for (int i = 0; i < count; ++i) sum += bell(first_distance + spacing * i, sigma);
  for (int i = 0; i < count; ++i)
    weights[i] = static_cast<float>(bell(first_distance + spacing * i, sigma) / sum);
}

}  // namespace

Axis Axis::coarse() const {
  return {std::sqrt(sigma * sigma - 2.0 * pyramid_sigma * pyramid_sigma) / factor, level + 1};
}

std::vector<float> Axis::weights() const {
  std::vector<float> weights(2 * radius() + 1, 1.0f);
  if (radius() > 0) fill_normalized(weights, -radius(), 1.0, sigma);
  return weights;
}

int Axis::halo() const {
  return decimates() ? factor * (interpolate_reach + coarse().halo()) + decimate_after : radius();
}

covering::Axis Axis::covering(int size, Border border) const {
  constexpr int steps = 12;
  if (!covering::pays(size, halo(), steps)) return {};
  return covering::make_axis(weights(), size, border);
}

std::array<float, decimate_taps> decimate_weights() {
  std::array<float, decimate_taps> weights;
  fill_normalized(weights, -decimate_before - 0.5 * (factor - 1), 1.0, pyramid_sigma);
  return weights;
}

std::array<std::array<float, interpolate_taps>, factor> interpolate_weights() {
  std::array<std::array<float, interpolate_taps>, factor> weights;
  for (int phase = 0; phase < factor; ++phase) {
    const double first = factor * interpolate_first(phase) + 0.5 * (factor - 1) - phase;
    fill_normalized(weights[phase], first, factor, pyramid_sigma);
  }
  return weights;
}

IndexSpan coarse_for(IndexSpan fine) {
  return {floor_divide(fine.begin, factor) - interpolate_reach,
          floor_divide(fine.end - 1, factor) + interpolate_reach + 1};
}

IndexSpan fine_for(IndexSpan coarse) {
  return {factor * coarse.begin - decimate_before, factor * (coarse.end - 1) + decimate_after + 1};
}

Rect coarse_area(Rect fine, Axes axes) {
  if (axes.x) {
    const IndexSpan span = coarse_for({fine.x, fine.right()});
    fine.x = span.begin, fine.width = span.end - span.begin;
  }
  if (axes.y) {
    const IndexSpan span = coarse_for({fine.y, fine.bottom()});
    fine.y = span.begin, fine.height = span.end - span.begin;
  }
  return fine;
}

}  // namespace cuda_filters::gaussian
