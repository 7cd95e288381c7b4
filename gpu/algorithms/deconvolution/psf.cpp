// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "gpu/algorithms/aperture/aperture.hpp"
#include "gpu/algorithms/deconvolution/deconvolution.hpp"
#include "gpu/algorithms/gaussian/gaussian.hpp"
#include "gpu/algorithms/motion/motion.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::deconvolution {
namespace {

/// What lies around the middle of a matrix without a frame of zeros.
Psf without_frame(const Matrix& weights) {
  double largest = 0.0;
  int reach_x = 0, reach_y = 0;
  for (int y = 0; y < weights.height; ++y)
    for (int x = 0; x < weights.width; ++x)
      if (const double weight = weights.at(x, y); weight > 0.0) {
        largest = std::max(largest, weight);
        reach_x = std::max(reach_x, std::abs(x - weights.radius_x()));
        reach_y = std::max(reach_y, std::abs(y - weights.radius_y()));
      }
  Psf psf{0.0, resized(weights, 2 * reach_x + 1, 2 * reach_y + 1)};
  for (double& value : psf.matrix.values) value /= largest;
  return psf;
}

Matrix line(double length, double angle) {
  const motion::Segment line{
      motion::Direction{{motion::Kind::linear, length, angle, 0.0, 0.0, 0.0}}};
  const int along = -line.begin, across = line.reach_across();
  return make_matrix(
      line.is_steep ? across : along, line.is_steep ? along : across, [&](int x, int y) {
        const int step = (line.is_steep ? y : x) + along;
        const int k = (line.is_steep ? x : y) - line.first[step];
        return k >= 0 && k < motion::Segment::width ? double{line.lines.front()[step].of[k]} : 0.0;
      });
}

/// Throws ArgumentError if a matrix cannot be what a point became.
Matrix checked_matrix(const std::string& text) {
  Matrix matrix = parse_matrix(text);
  const double least = *std::ranges::min_element(matrix.values);
  if (least < 0.0)
    throw ArgumentError{format_text(
        tr(N_("The parameter 'matrix' has the number %g, but no light is less than none. Give "
              "numbers of at least 0.")),
        least)};
  if (!(weight_sum(matrix) > 0.0))
    throw ArgumentError{
        tr(N_("The parameter 'matrix' has no number above 0, so that no light "
              "would be left. Give at least one."))};
  return matrix;
}

}  // namespace

Psf Psf::make(Kind kind, double size, double angle, const std::string& matrix) {
  switch (kind) {
    case Kind::gaussian:
      return {size, {}};
    case Kind::disc:
      return without_frame(aperture::weights_of({aperture::Shape::disc, size, 6, 0.0}));
    case Kind::motion:
      return without_frame(line(size, angle));
    case Kind::matrix:
      break;
  }
  return without_frame(checked_matrix(matrix));
}

Halo Psf::reach() const {
  if (sigma == 0.0) return {matrix.radius_x(), matrix.radius_y()};
  const int halo = gaussian::Axis{sigma}.halo();
  return {halo, halo};
}

double Psf::terms() const {
  const auto others = std::ranges::count_if(
      matrix.values, [](double weight) { return weight > 0.0 && weight < 1.0; });
  return static_cast<double>(others) + 3.0 * matrix.height;
}

double Psf::cost() const {
  if (sigma >= gaussian::pyramid_from) return 12.0;
  return sigma > 0.0 ? 8.0 + gaussian::Axis{sigma}.radius() : 5.0 + 0.4 * terms();
}

Matrix Psf::neighbors(bool turned) const {
  Matrix weights = matrix;
  // A sum over the neighbors of a pixel convolves with the function that is turned.
  if (!turned) std::ranges::reverse(weights.values);
  return weights;
}

Matrix Psf::weights(bool turned) const {
  Matrix weights = neighbors(turned);
  const double sum = weight_sum(matrix);
  for (double& value : weights.values) value /= sum;
  return weights;
}

AxisFactors factors_of(const Psf& psf, bool turned) {
  if (psf.sigma > 0.0) {
    const std::vector<float> weights = gaussian::Axis{psf.sigma}.weights();
    return {weights, weights};
  }
  const auto parts = separate(psf.weights(turned));
  if (!parts) return {};
  // Both shall be 1 together, so that what is between has the size of a picture.
  double sum = 0.0;
  for (const double weight : parts->row) sum += weight;
  AxisFactors factors;
  for (const double weight : parts->row) factors.across.push_back(static_cast<float>(weight / sum));
  for (const double weight : parts->column)
    factors.down.push_back(static_cast<float>(weight * sum));
  return factors;
}

}  // namespace cuda_filters::deconvolution
