// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/reference/completion.hpp"
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

struct Place {
  int x, y;
};

/// One level of the pyramid.
struct Level {
  Picture picture;
  std::vector<bool> hole;
  int radius;

  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * picture.width + x; }
  bool is_inside(int x, int y) const {
    return x >= 0 && y >= 0 && x < picture.width && y < picture.height;
  }
  /// Whether the patch there has a pixel of the hole.
  bool touches(int x, int y) const {
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx)
        if (is_inside(x + dx, y + dy) && hole[index(x + dx, y + dy)]) return true;
    return false;
  }
  /// Whether it lies wholly in the picture, and outside of the hole.
  bool is_source(int x, int y) const {
    return is_inside(x - radius, y - radius) && is_inside(x + radius, y + radius) && !touches(x, y);
  }
  double distance(Place target, Place source, double enough) const {
    double sum = 0.0;
    for (int dy = -radius; dy <= radius && sum < enough; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) {
        if (!is_inside(target.x + dx, target.y + dy)) continue;
        const Color& a = picture.at(target.x + dx, target.y + dy);
        const Color& b = picture.at(source.x + dx, source.y + dy);
        for (int c = 0; c < 4; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]) * 255.0 * 255.0;
      }
    return sum;
  }
  std::vector<Place> places(bool sources) const {
    std::vector<Place> all;
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x)
        if (sources ? is_source(x, y) : touches(x, y)) all.push_back({x, y});
    return all;
  }
};

/// Means of 2 × 2 pixels that are not in the hole, which has all pixels that part of it falls on.
Level halved(const Level& fine) {
  Level coarse;
  coarse.radius = fine.radius;
  Picture& picture = coarse.picture;
  picture = fine.picture;
  picture.width = (picture.width + 1) / 2, picture.height = (picture.height + 1) / 2;
  picture.pixels.assign(static_cast<std::size_t>(picture.width) * picture.height, Color{});
  coarse.hole.resize(picture.pixels.size());
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      Color sum{};
      int count = 0, holes = 0;
      for (int k = 0; k < 4; ++k) {
        const int column = 2 * x + k % 2, row = 2 * y + k / 2;
        if (!fine.is_inside(column, row)) continue;
        if (fine.hole[fine.index(column, row)]) {
          ++holes;
          continue;
        }
        ++count;
        for (int c = 0; c < 4; ++c) sum[c] += fine.picture.at(column, row)[c];
      }
      for (int c = 0; c < 4; ++c) picture.at(x, y)[c] = count > 0 ? sum[c] / count : 0.0;
      coarse.hole[coarse.index(x, y)] = holes > 0;
    }
  return coarse;
}

/// Laplace's equation in the hole, by relaxation.
void interpolate(Level& level) {
  Picture& picture = level.picture;
  for (int i = 0; i < 2000; ++i)
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x) {
        if (!level.hole[level.index(x, y)]) continue;
        Color sum{};
        int count = 0;
        for (const auto& [dx, dy] : {Place{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
          if (!level.is_inside(x + dx, y + dy)) continue;
          ++count;
          for (int c = 0; c < 4; ++c) sum[c] += picture.at(x + dx, y + dy)[c];
        }
        for (int c = 0; c < 4; ++c) picture.at(x, y)[c] = sum[c] / count;
      }
}

struct Match {
  Place source{-1, -1};
  double distance = std::numeric_limits<double>::infinity();
};

/// The matches of a level's targets, and how they are improved.
class Matches {
 public:
  Matches(const Level& level, std::mt19937& random)
      : level_{level},
        random_{random},
        targets_{level.places(false)},
        sources_{level.places(true)},
        matches_(level.picture.pixels.size()) {}

  const std::vector<Place>& targets() const { return targets_; }
  Match& at(Place place) { return matches_[level_.index(place.x, place.y)]; }

  /// Sources at random, or of the next coarser level where it has one.
  void begin(Matches* coarse) {
    for (const Place target : targets_) {
      Place source = sources_[random_() % sources_.size()];
      if (coarse != nullptr) {
        const Place match = coarse->at({target.x / 2, target.y / 2}).source;
        const Place finer{2 * match.x + target.x % 2, 2 * match.y + target.y % 2};
        if (match.x >= 0 && level_.is_inside(finer.x, finer.y) &&
            level_.is_source(finer.x, finer.y))
          source = finer;
      }
      at(target) = {source, 0.0};
    }
  }
  void measure_again() {
    for (const Place target : targets_)
      at(target).distance =
          level_.distance(target, at(target).source, std::numeric_limits<double>::infinity());
  }
  void improve_all(bool back) {
    const int step = back ? 1 : -1;
    const auto improve = [&](Place target) {
      for (const auto& [dx, dy] : {Place{step, 0}, {0, step}}) {
        if (!level_.is_inside(target.x + dx, target.y + dy)) continue;
        const Place other = at({target.x + dx, target.y + dy}).source;
        if (other.x >= 0) attempt(target, {other.x - dx, other.y - dy});
      }
      for (int far = std::max(level_.picture.width, level_.picture.height); far >= 1; far /= 2) {
        std::uniform_int_distribution<int> by{-far, far};
        const Place middle = at(target).source;
        const int dx = by(random_), dy = by(random_);
        attempt(target, {middle.x + dx, middle.y + dy});
      }
    };
    if (back)
      std::for_each(targets_.rbegin(), targets_.rend(), improve);
    else
      std::ranges::for_each(targets_, improve);
  }

 private:
  void attempt(Place target, Place source) {
    if (!level_.is_source(source.x, source.y)) return;
    Match& best = at(target);
    const double distance = level_.distance(target, source, best.distance);
    if (distance < best.distance) best = {source, distance};
  }

  const Level& level_;
  std::mt19937& random_;
  std::vector<Place> targets_, sources_;
  std::vector<Match> matches_;
};

/// Gives each pixel of the hole the mean of what the patches over it say.
void vote(Level& level, Matches& matches) {
  Picture& picture = level.picture;
  std::vector<Color> sums(picture.pixels.size(), Color{});
  std::vector<int> counts(picture.pixels.size());
  for (const Place target : matches.targets()) {
    const Place source = matches.at(target).source;
    for (int dy = -level.radius; dy <= level.radius; ++dy)
      for (int dx = -level.radius; dx <= level.radius; ++dx) {
        if (!level.is_inside(target.x + dx, target.y + dy)) continue;
        const std::size_t i = level.index(target.x + dx, target.y + dy);
        ++counts[i];
        for (int c = 0; c < 4; ++c) sums[i][c] += picture.at(source.x + dx, source.y + dy)[c];
      }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (level.hole[i])
      for (int c = 0; c < 4; ++c) picture.pixels[i][c] = sums[i][c] / counts[i];
}

Picture apply(const Picture& in, const Values&) { return in; }

}  // namespace

Picture completed(const Picture& picture, const std::vector<bool>& hole, int patch, int iterations,
                  unsigned seed) {
  const int radius = (patch - 1) / 2;
  std::vector<Level> levels{{picture, hole, radius}};
  for (;;) {
    Level next = halved(levels.back());
    if (next.places(true).size() < 64) break;
    levels.push_back(std::move(next));
  }
  std::mt19937 random{seed};
  interpolate(levels.back());
  std::vector<Matches> all;
  all.reserve(levels.size());
  for (std::size_t i = levels.size(); i-- > 0;) {
    all.emplace_back(levels[i], random);
    Matches& matches = all.back();
    matches.begin(all.size() > 1 ? &all[all.size() - 2] : nullptr);
    if (all.size() > 1) vote(levels[i], matches);
    for (int k = 0; k < iterations; ++k) {
      matches.measure_again();
      for (const bool back : {false, true}) matches.improve_all(back);
      vote(levels[i], matches);
    }
  }
  return levels.front().picture;
}

double energy(const Picture& picture, const std::vector<bool>& hole, int patch) {
  const Level level{picture, hole, (patch - 1) / 2};
  const std::vector<Place> targets = level.places(false), sources = level.places(true);
  double sum = 0.0;
  for (const Place target : targets) {
    double best = std::numeric_limits<double>::infinity();
    for (const Place source : sources) best = std::min(best, level.distance(target, source, best));
    sum += best;
  }
  return sum / static_cast<double>(targets.size()) / (patch * patch);
}

/// It has no examples: without a selection the filter does nothing, and heal_test.cpp has its own.
extern const Reference reference_heal_selection{
    "heal-selection", apply, {}, [](const Values&) { return 0.0; }};

}  // namespace cuda_filters::reference
