// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/resample/resample.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace cuda_filters::resample {
namespace {

double reach_of(Interpolation interpolation) {
  constexpr double reaches[] = {0.5, 1.0, 2.0, 2.0, 3.0};
  return reaches[static_cast<int>(interpolation)];
}

/// The cubic of Mitchell and Netravali, of which Keys's are those with B = 0.
double cubic(double x, double b, double c) {
  if (x < 1.0)
    return ((12.0 - 9.0 * b - 6.0 * c) * x * x * x + (-18.0 + 12.0 * b + 6.0 * c) * x * x +
            (6.0 - 2.0 * b)) /
           6.0;
  return ((-b - 6.0 * c) * x * x * x + (6.0 * b + 30.0 * c) * x * x + (-12.0 * b - 48.0 * c) * x +
          (8.0 * b + 24.0 * c)) /
         6.0;
}

double sinc(double x) {
  const double angle = std::numbers::pi * x;
  return x == 0.0 ? 1.0 : std::sin(angle) / angle;
}

/// The kernel at a distance below its reach.
double kernel(Interpolation interpolation, double distance) {
  switch (interpolation) {
    case Interpolation::nearest:
      return 1.0;
    case Interpolation::bilinear:
      return 1.0 - distance;
    case Interpolation::bicubic:
      return cubic(distance, 0.0, 0.5);
    case Interpolation::mitchell:
      return cubic(distance, 1.0 / 3.0, 1.0 / 3.0);
    case Interpolation::lanczos:
      break;
  }
  return sinc(distance) * sinc(distance / 3.0);
}

}  // namespace

Axis::Axis(int in, int out, const ResampleSettings& settings)
    : in_{in}, out_{out}, interpolation_{settings.interpolation} {
  const bool corners = settings.grid == Grid::corners && out > 1;
  // All of these are whole numbers far below 2^53.
  const std::int64_t from = corners ? in - 1 : in, to = corners ? out - 1 : out;
  numerator_step_ = corners ? static_cast<double>(from) : 2.0 * static_cast<double>(from);
  offset_ = corners ? 0.0 : static_cast<double>(in - out);
  denominator_ = static_cast<double>(corners ? to : 2 * to);
  const std::int64_t common = std::gcd(from, to);
  period_ = static_cast<int>(to / common);
  step_ = from / common;
  const double ratio = static_cast<double>(from) / static_cast<double>(to);
  widening_ = settings.antialias ? std::max(1.0, ratio) : 1.0;
  support_ = reach_of(interpolation_) * widening_;
}

Axis::Place Axis::place(int i) const {
  const int phase = i % period_;
  return {i / period_ * step_, phase, (phase * numerator_step_ + offset_) / denominator_};
}

IndexRange Axis::unclipped(const Place& place) const {
  const int begin = static_cast<int>(std::floor(place.center - support_)) + 1;
  const int end = static_cast<int>(std::ceil(place.center + support_));
  return {begin, end};
}

IndexRange Axis::window(int i) const {
  if (in_ == out_) return {i, i + 1};
  const Place at = place(i);
  if (interpolation_ == Interpolation::nearest) {
    const auto nearest = static_cast<int>(at.whole + std::llround(std::floor(at.center + 0.5)));
    return {nearest, nearest + 1};
  }
  const IndexRange range = unclipped(at);
  return {static_cast<int>(std::max<std::int64_t>(0, at.whole + range.begin)),
          static_cast<int>(std::min<std::int64_t>(in_, at.whole + range.end))};
}

Axis::Weights Axis::weights() const {
  Weights result;
  result.windows.resize(out_);
  for (int i = 0; i < out_; ++i) {
    result.windows[i] = window(i);
    result.taps = std::max(result.taps, result.windows[i].size());
  }
  result.values.resize(static_cast<std::size_t>(out_) * result.taps);
  if (picks()) {
    std::ranges::fill(result.values, 1.0f);
    return result;
  }
  // Samples a period apart have the same weights, but where the image ends.
  std::vector<std::vector<double>> phases(std::min(period_, out_));
  for (int i = 0; i < out_; ++i) {
    const Place at = place(i);
    const IndexRange whole = unclipped(at);
    std::vector<double>& phase = phases[at.phase];
    if (phase.empty())
      for (int k = whole.begin; k < whole.end; ++k) {
        const double weight = kernel(interpolation_, std::abs(k - at.center) / widening_);
        phase.push_back(std::abs(weight) < 1e-12 ? 0.0 : weight);
      }
    const IndexRange window = result.windows[i];
    const double* weights = phase.data() + (window.begin - at.whole - whole.begin);
    const double sum = std::accumulate(weights, weights + window.size(), 0.0);
    for (int t = 0; t < window.size(); ++t)
      result.values[static_cast<std::size_t>(i) * result.taps + t] =
          static_cast<float>(weights[t] / sum);
  }
  return result;
}

}  // namespace cuda_filters::resample
