// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/separable/taps.hpp"

namespace cuda_filters::cpu {
namespace {

/// The factor that turns the sum of the weights' sizes into an average; 0 for no weights at all.
double alpha_scale(const Matrix& weights) {
  double sum = 0.0;
  for (const double weight : weights.values) sum += std::abs(weight);
  return sum > 0.0 ? 1.0 / sum : 0.0;
}

Taps dense_taps(const Matrix& weights, Alpha alpha) {
  const double scale = alpha_scale(weights);
  Taps taps;
  for (int y = 0; y < weights.height; ++y)
    for (int x = 0; x < weights.width; ++x) {
      const double weight = weights.at(x, y);
      const double alpha_weight = alpha == Alpha::premultiplied ? std::abs(weight) * scale : weight;
      taps.add(x - weights.radius_x(), y - weights.radius_y(), static_cast<float>(weight),
               static_cast<float>(alpha_weight));
    }
  return taps;
}

/// One factor of a matrix of rank 1; the other one carries the alpha scale.
Taps factor_taps(const std::vector<double>& weights, bool along_x, Alpha alpha, double scale) {
  Taps taps;
  const int radius = static_cast<int>(weights.size() / 2);
  for (int i = -radius; i <= radius; ++i) {
    const double weight = weights[i + radius];
    const double alpha_weight = alpha == Alpha::premultiplied ? std::abs(weight) * scale : weight;
    taps.add(along_x ? i : 0, along_x ? 0 : i, static_cast<float>(weight),
             static_cast<float>(alpha_weight));
  }
  return taps;
}

}  // namespace

void convolve(Exec& exec, const Input& in, const Output& out, const Matrix& weights, float offset) {
  const bool weighted = exec.alpha() == Alpha::premultiplied;
  const double scale = alpha_scale(weights);
  if (weighted && scale == 0.0)
    return exec.map(in, out, [=](Pixel p) {
      return Pixel{offset * p.a, offset * p.a, offset * p.a, p.a};
    });
  Finish finish;
  if (offset != 0.0f)
    finish = [=](Pixel* pixels, int count) {
      for (int i = 0; i < count; ++i) {
        const float amount = weighted ? offset * pixels[i].a : offset;
        pixels[i] = pixels[i] + Pixel{amount, amount, amount, weighted ? 0.0f : offset};
      }
    };
  if (const auto parts = separate(weights)) {
    sum_neighbors(in, out.area(), factor_taps(parts->row, true, exec.alpha(), 1.0),
                  factor_taps(parts->column, false, exec.alpha(), scale), finish, out);
    return;
  }
  sum_neighbors(in, out.area(), Taps::along_x({1.0f}), dense_taps(weights, exec.alpha()), finish,
                out);
}

}  // namespace cuda_filters::cpu
