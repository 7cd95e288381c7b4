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

/// The integral of tent(x - s) · tent(y - slope · s - across) for s from `from` to `to`.
double weight_of(int x, int y, double slope, double across, double from, double to) {
  std::vector<double> ends{from, to};
  const auto add = [&](double kink) {
    if (kink > from && kink < to) ends.push_back(kink);
  };
  for (int beside = -1; beside <= 1; ++beside) {
    add(x + beside);
    if (slope != 0.0) add((y + beside - across) / slope);
  }
  std::ranges::sort(ends);
  const auto value = [&](double s) { return tent(x - s) * tent(y - slope * s - across); };
  double sum = 0.0;
  for (std::size_t i = 1; i < ends.size(); ++i) {  // Simpson's rule is exact between two kinks
    const double begin = ends[i - 1], end = ends[i];
    sum += (end - begin) / 6.0 * (value(begin) + 4.0 * value(0.5 * (begin + end)) + value(end));
  }
  return sum;
}

}  // namespace

Halo MotionSettings::reach(Size image) const {
  if (is_still()) return {};
  if (kind == Kind::linear) {
    if (const auto pieces = repetition()) {
      const Halo to_piece = pieces->reach_of_pieces(), of_piece = pieces->reach_of_piece();
      return {to_piece.x + of_piece.x, to_piece.y + of_piece.y};
    }
    const Direction line{*this};
    return line.reach(line.begin(), line.end(), 0.0);
  }
  const Paths paths{*this, image};
  const double x = Paths::farthest(paths.center_x, 0, image.width),
               y = Paths::farthest(paths.center_y, 0, image.height);
  const auto pixels = [](double of) { return static_cast<int>(std::ceil(of)) + 1; };
  if (kind == Kind::zoom) return {pixels(factor * x), pixels(factor * y)};
  const int turned = pixels(2.0 * std::hypot(x, y) * std::sin(std::abs(paths.extent) / 4.0));
  return {turned, turned};
}

std::optional<Repetition> MotionSettings::repetition() const {
  if (kind != Kind::linear || is_still()) return std::nullopt;
  return Repetition::of(Direction{*this});
}

Direction::Direction(const MotionSettings& settings) {
  auto [along, across] = direction(settings.angle);
  across = -across;  // y goes down
  is_steep = std::abs(across) > std::abs(along);
  if (is_steep) std::swap(along, across);
  slope = across / along;
  steps = settings.length * std::abs(along);
}

Halo Direction::reach(double from, double to, double beside) const {
  const double farthest = std::max(std::abs(from), std::abs(to));
  const int along = static_cast<int>(std::ceil(farthest)),
            across = static_cast<int>(std::ceil(farthest * std::abs(slope) + std::abs(beside)));
  return is_steep ? Halo{across, along} : Halo{along, across};
}

Segment::Segment(const Direction& direction, std::span<const double> beside, double from, double to)
    : is_steep{direction.is_steep},
      begin{static_cast<int>(std::floor(from))},
      lines(beside.size()) {
  const double nearest = std::ranges::min(beside);
  for (int i = begin; i <= static_cast<int>(std::ceil(to)); ++i) {
    // Where the lines are within a pixel of this step.
    const double near = std::max(from, i - 1.0), far = std::min(to, i + 1.0);
    const double least = std::min(near * direction.slope, far * direction.slope) + nearest;
    first.push_back(static_cast<int>(std::floor(least - 1.0)) + 1);
    for (std::size_t line = 0; line < beside.size(); ++line) {
      Weights weights;
      for (int k = 0; k < width; ++k)
        weights.of[k] = static_cast<float>(
            weight_of(i, first.back() + k, direction.slope, beside[line], from, to) /
            direction.steps);
      lines[line].push_back(weights);
    }
  }
}

Segment::Segment(const Direction& direction)
    : Segment{direction, std::array{0.0}, direction.begin(), direction.end()} {}

int Segment::reach_across() const {
  int reach = 0;
  for (const auto& weights : lines)
    for (int i = 0; i < count(); ++i)
      for (int k = 0; k < width; ++k)
        if (weights[i].of[k] > 0.0f) reach = std::max(reach, std::abs(first[i] + k));
  return reach;
}

std::optional<Repetition> Repetition::of(const Direction& direction) {
  constexpr double worthwhile = 0.7;
  // No more than four pixels at a step count for both lines.
  const double farthest = std::min(max_drift, 2.0 * (1.0 - std::abs(direction.slope)));
  double least = worthwhile * direction.steps;
  std::optional<Repetition> best;
  for (int steps = 1; 2 * steps <= direction.steps; ++steps) {
    const double exactly = steps * direction.slope;
    const int across = static_cast<int>(std::lround(exactly));
    const int count = static_cast<int>(std::ceil(direction.steps / steps)) - 1;
    const Repetition each{direction, steps, across, count, exactly - across};
    // Where a piece stays in its row, all of it may lie between two lines with a kink of a tent.
    if (each.lines() > 1 && (across == 0 || std::abs(count * each.drift) > farthest)) continue;
    if (each.cost() < least) least = each.cost(), best = each;
  }
  return best;
}

double Repetition::cost() const {
  // What bringing a piece to memory and back takes, and adding up each.
  constexpr double of_piece = 8.0, of_sum = 2.0;
  return lines() * (of_piece + steps + of_sum * (count + 1));
}

bool Repetition::pays(Size image) const {
  const Halo reach = reach_of_pieces();
  const double pieces = (image.width + 2.0 * reach.x) * (image.height + 2.0 * reach.y);
  return cost() * pieces < direction.steps * image.pixels();
}

Halo Repetition::reach_of_pieces() const {
  const int pieces = count - middle();
  const int along_line = pieces * steps, across_line = pieces * std::abs(across);
  return direction.is_steep ? Halo{across_line, along_line} : Halo{along_line, across_line};
}

Halo Repetition::reach_of_piece() const {
  return direction.reach(begin(), begin() + steps, count * drift);
}

std::vector<double> Repetition::beside() const {
  if (lines() == 1) return {0.0};
  return {-middle() * drift, (count - middle()) * drift};
}

Segment Repetition::segment(double from, double to) const {
  return {direction, beside(), begin() + from, begin() + to};
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
