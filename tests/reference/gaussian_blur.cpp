// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture blur_axis(const Picture& in, double sigma, int dx, int dy, Border border) {
  if (sigma == 0.0) return in;
  const int radius = static_cast<int>(std::ceil(9.0 * sigma));
  std::vector<double> weights;
  double total = 0.0;
  for (int d = -radius; d <= radius; ++d) {
    weights.push_back(std::exp(-static_cast<double>(d) * d / (2.0 * sigma * sigma)));
    total += weights.back();
  }
  Picture out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      Color sum{};
      for (int d = -radius; d <= radius; ++d) {
        const Color color = sample(in, x + d * dx, y + d * dy, border);
        for (int c = 0; c < 4; ++c) sum[c] += weights[d + radius] / total * color[c];
      }
      out.at(x, y) = sum;
    }
  return out;
}

Picture apply(const Picture& in, const Values& values) {
  const auto border = static_cast<Border>(number(values[2]));
  const Picture straight = recoded(in, Coding::linear);
  Picture work = premultiplied(straight);
  work = blur_axis(work, number(values[0]), 1, 0, border);
  work = blur_axis(work, number(values[1]), 0, 1, border);
  return recoded(unpremultiplied(work, straight), in.coding);
}

double tolerance(const Values& values) {
  const double sigma = std::max(number(values[0]), number(values[1]));
  return sigma <= 10.0 ? 1e-5 : 2e-4;
}

}  // namespace

extern const Reference reference_gaussian_blur{"gaussian-blur",
                                               apply,
                                               {{1.5, 1.5, 0.0},
                                                {0.6, 1.0, 4.0},
                                                {2.0, 0.0, 1.0},
                                                {0.3, 4.0, 1.0},
                                                {7.0, 0.0, 2.0},
                                                {12.0, 9.0, 3.0},
                                                {2.0, 40.0, 4.0}},
                                               tolerance};

}  // namespace cuda_filters::reference
