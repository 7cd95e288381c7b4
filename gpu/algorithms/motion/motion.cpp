// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/motion/motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace cuda_filters::motion {
namespace {

/// (cos, sin) of degrees, exact where one of them is 0.
std::array<double, 2> direction(double degrees) {
  const double quarter = std::round(degrees / 90.0);
  if (degrees == 90.0 * quarter) {
    const int turns = static_cast<int>(quarter) & 3;
    return {(turns == 0) - double(turns == 2), (turns == 1) - double(turns == 3)};
  }
  const double radians = degrees * std::numbers::pi / 180.0;
  return {std::cos(radians), std::sin(radians)};
}

double tent(double distance) { return std::max(0.0, 1.0 - std::abs(distance)); }

/// The integral of tent(x - s · along) · tent(y - s · across) for s from -half to half.
double weight_of(int x, int y, double along, double across, double half) {
  std::vector<double> ends{-half, half};
  const auto add = [&](double at, double slope) {
    if (slope == 0.0) return;
    for (int kink = -1; kink <= 1; ++kink)
      if (const double s = (at + kink) / slope; std::abs(s) < half) ends.push_back(s);
  };
  add(x, along), add(y, across);
  std::ranges::sort(ends);
  const auto value = [&](double s) { return tent(x - s * along) * tent(y - s * across); };
  double sum = 0.0;
  for (std::size_t i = 1; i < ends.size(); ++i) {  // Simpson's rule is exact between two kinks
    const double from = ends[i - 1], to = ends[i];
    sum += (to - from) / 6.0 * (value(from) + 4.0 * value(0.5 * (from + to)) + value(to));
  }
  return sum;
}

}  // namespace

Halo MotionSettings::reach(Size image) const {
  if (is_still()) return {};
  if (kind == Kind::linear) {
    const auto [x, y] = direction(angle);
    const auto pixels = [&](double of) {
      return of == 0.0 ? 0 : static_cast<int>(std::ceil(0.5 * length * std::abs(of)));
    };
    return {pixels(x), pixels(y)};
  }
  const Paths paths{*this, image};
  const double x = Paths::farthest(paths.center_x, 0, image.width),
               y = Paths::farthest(paths.center_y, 0, image.height);
  const auto pixels = [](double of) { return static_cast<int>(std::ceil(of)) + 1; };
  if (kind == Kind::zoom) return {pixels(factor * x), pixels(factor * y)};
  const int turned = pixels(2.0 * std::hypot(x, y) * std::sin(std::abs(paths.extent) / 4.0));
  return {turned, turned};
}

Line::Line(const MotionSettings& settings) {
  auto [along, across] = direction(settings.angle);
  across = -across;  // y goes down
  is_steep = std::abs(across) > std::abs(along);
  if (is_steep) std::swap(along, across);
  const double half = 0.5 * settings.length;
  reach = static_cast<int>(std::ceil(half * std::abs(along)));
  reach_across = 0;
  for (int i = -reach; i <= reach; ++i) {
    // Where the line is within a pixel of this step.
    const double from = std::max(-half, (i - std::copysign(1.0, along)) / along),
                 to = std::min(half, (i + std::copysign(1.0, along)) / along);
    const double least = std::min(from * across, to * across);
    Step step{{}, static_cast<int>(std::floor(least - 1.0)) + 1};
    for (int k = 0; k < width; ++k) {
      const double weight = weight_of(i, step.first + k, along, across, half);
      step.weights[k] = static_cast<float>(weight / settings.length);
      if (weight > 0.0) reach_across = std::max(reach_across, std::abs(step.first + k));
    }
    steps.push_back(step);
  }
}

Paths::Paths(const MotionSettings& settings, Size image)
    : center_x{settings.center_x * image.width - 0.5},
      center_y{settings.center_y * image.height - 0.5},
      extent{settings.kind == Kind::zoom ? settings.factor
                                         : settings.angle * std::numbers::pi / 180.0},
      turns{settings.kind == Kind::spin} {}

Rect Paths::bounds(Rect area) const {
  double left = area.x, right = area.right() - 1, top = area.y, bottom = area.bottom() - 1;
  if (turns) {
    const double far = 2.0 * length_in(area) / std::abs(extent) * std::sin(std::abs(extent) / 4.0);
    left -= far, right += far, top -= far, bottom += far;
  } else {
    const auto nearer = [&](double at, double center) { return at + extent * (center - at); };
    left = std::min(left, nearer(left, center_x)), right = std::max(right, nearer(right, center_x));
    top = std::min(top, nearer(top, center_y)), bottom = std::max(bottom, nearer(bottom, center_y));
  }
  const auto below = [](double at) { return static_cast<int>(std::floor(at)) - 1; };
  const auto above = [](double at) { return static_cast<int>(std::ceil(at)) + 2; };
  return {below(left), below(top), above(right) - below(left), above(bottom) - below(top)};
}

}  // namespace cuda_filters::motion
