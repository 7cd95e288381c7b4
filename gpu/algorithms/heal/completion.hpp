// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/algorithms/heal/heal.hpp"
#include "gpu/algorithms/heal/levels.hpp"
#include "gpu/core/band_progress.hpp"

namespace cuda_filters::heal {

/// Completes a hole. A StepRunner has memory, `Array<T> array<T>(count)` and `Array<T> upload(const
/// std::vector<T>&)`, whose data() steps use; it takes steps: for_each(count, f) calls f(i) for
/// each i from 0 on, in any order, and count_if(count, f) says for how many i f(i) is true.
/// best_of(count, tries, f) calls `best = f.begin(i)`, f.attempt(best, i, k) for each k from 0 to
/// tries - 1, and f.end(best); attempts may be shared, each sharer beginning with what f.begin()
/// has found, if of the least distances the one counts that was found first.
template <class StepRunner>
class Completion {
  template <class T>
  using Array = typename StepRunner::template Array<T>;

 public:
  Completion(StepRunner& runner, const HealSettings& settings) : settings_{settings} {
    std::vector<float> nearness(LastVote::last_depth + 1);
    for (std::size_t depth = 0; depth < nearness.size(); ++depth)
      nearness[depth] = static_cast<float>(std::pow(1.3, -static_cast<double>(depth)));
    nearness_ = runner.upload(nearness);
  }

  /// `codes`: those of a picture, 0 in the hole, with room for codes_beyond more.
  void run(StepRunner& runner, const std::vector<Level>& levels, Array<Code> codes) {
    std::vector<Array<Code>> pyramid;
    pyramid.push_back(std::move(codes));
    for (std::size_t i = 1; i < levels.size(); ++i) {
      const Size size = levels[i].size;
      const int pixels = size.width * size.height;
      pyramid.push_back(runner.template array<Code>(pixels + codes_beyond));
      runner.for_each(
          pixels, Halve{levels[i - 1].size, pyramid[i - 1].data(), size.width, pyramid[i].data()});
    }
    set_work(levels);
    for (std::size_t i = levels.size(); i-- > 0;) {
      const bool coarsest = i + 1 == levels.size();
      Planes coarse = std::exchange(planes_, Planes{runner, levels[i], std::move(pyramid[i])});
      view_ = planes_.view(levels[i], settings_.radius());
      if (coarsest)
        fill_layers(runner, levels[i]);
      else
        refine(runner, levels[i], coarse.view(levels[i + 1], settings_.radius()));
      coarse = {};
      complete_level(runner, levels[i], static_cast<int>(i), coarsest);
    }
    planes_.keep_matches();
  }

  /// What gives a pixel of the hole its color.
  LastVote last_vote(const Pixel* pixels) const { return {view_, pixels, nearness_.data()}; }

 private:
  /// The memory of a level.
  struct Planes {
    Array<Code> codes{};
    Array<std::uint8_t> source{};
    Array<std::uint16_t> depth{};
    Array<int> match{}, found{}, targets{}, holes{}, samples{};
    Array<std::uint32_t> distance{};

    Planes() = default;
    Planes(StepRunner& runner, const Level& level, Array<Code> its_codes)
        : codes{std::move(its_codes)},
          source{runner.upload(level.source)},
          depth{runner.upload(level.depth)},
          match{runner.upload(std::vector<int>(level.depth.size(), -1))},
          found{runner.upload(std::vector<int>(level.depth.size(), -1))},
          targets{runner.upload(level.targets)},
          holes{runner.upload(level.holes)},
          samples{runner.upload(level.samples)},
          distance{runner.template array<std::uint32_t>(level.depth.size())} {}

    /// Frees what the last vote does not look at.
    void keep_matches() {
      source = {}, found = {}, targets = {}, holes = {}, samples = {}, distance = {};
    }
    LevelView view(const Level& level, int radius) const {
      return {level.size,    level.box,    radius,       codes.data(),
              source.data(), depth.data(), match.data(), distance.data()};
    }
  };

  /// Structure is found at coarse levels: twice as many as wanted at the coarsest one, then half as
  /// many from level to level.
  int iterations_of(std::size_t level, std::size_t levels) const {
    constexpr int enough = 6;
    const std::size_t finer = std::min<std::size_t>(levels - 1 - level, 20);
    return std::max(std::min(settings_.iterations, enough), 2 * settings_.iterations >> finer);
  }
  void set_work(const std::vector<Level>& levels) {
    levels_ = levels.size();
    all_ = 0.0;
    for (std::size_t i = 0; i < levels.size(); ++i)
      all_ += static_cast<double>(levels[i].targets.size()) * iterations_of(i, levels.size());
  }

  /// Fills the coarsest level from outside, a layer at a time: patches are compared where something
  /// is known already.
  void fill_layers(StepRunner& runner, const Level& level) {
    constexpr std::size_t all_tries = 4'000'000, least_tries = 64, max_tries = 1024;
    const std::size_t wanted = std::clamp(all_tries / level.holes.size(), least_tries, max_tries);
    const std::size_t tries = std::min(level.samples.size(), wanted);
    for (const std::vector<int>& pixels : level.layers()) {
      const Array<int> layer = runner.upload(pixels);
      const int count = static_cast<int>(pixels.size());
      runner.best_of(count, static_cast<int>(tries),
                     MatchLayer{view_, layer.data(), planes_.samples.data(),
                                static_cast<int>(level.samples.size()), static_cast<int>(tries),
                                settings_.seed});
      runner.for_each(count, CopyLayer{view_, layer.data()});
    }
  }

  void refine(StepRunner& runner, const Level& level, const LevelView& coarse) {
    runner.for_each(static_cast<int>(level.targets.size()),
                    RefineMatches{coarse, view_, planes_.targets.data()});
    runner.for_each(static_cast<int>(level.holes.size()),
                    RefineCodes{coarse, view_, planes_.holes.data()});
    vote(runner, level);
  }

  void complete_level(StepRunner& runner, const Level& level, int number, bool coarsest) {
    const int iterations = iterations_of(number, levels_);
    // A level has at most 2 · 100 · 4 + 2 steps.
    std::uint32_t pass = 1000u * static_cast<std::uint32_t>(number);
    const int scale = 1 << number;
    const bool everywhere = settings_.search == SearchArea::everywhere;
    const Reach reach{
        everywhere ? std::max(level.size.width, level.size.height) : settings_.distance_at(scale),
        everywhere};
    const auto search = [&](int jump, bool codes_changed, bool is_first = false) {
      runner.for_each(static_cast<int>(level.targets.size()),
                      SearchStep{view_, planes_.found.data(), planes_.targets.data(),
                                 planes_.samples.data(), static_cast<int>(level.samples.size()),
                                 reach, settings_.seed, ++pass, jump, codes_changed, is_first});
      std::swap(planes_.match, planes_.found);
      view_.match = planes_.match.data();
    };
    const double done = done_;
    for (int i = 0; i < iterations; ++i) {
      for (const int jump : {8, 4, 2, 1}) search(jump, jump == 8, jump == 8 && i == 0 && coarsest);
      const std::uint32_t changed = vote(runner, level);
      done_ += static_cast<double>(level.targets.size());
      set_band_progress(done_ / all_);
      // A level where less than one pixel in 200 changes has come to its end.
      if (i > 0 && std::size_t{changed} * 200 < level.holes.size()) break;
    }
    done_ = done + static_cast<double>(level.targets.size()) * iterations;
    if (number > 0) return;
    search(2, true);
    search(1, false);
  }

  std::uint32_t vote(StepRunner& runner, const Level& level) {
    return runner.count_if(static_cast<int>(level.holes.size()), Vote{view_, planes_.holes.data()});
  }

  HealSettings settings_;
  Array<float> nearness_;
  Planes planes_;
  LevelView view_{};
  std::size_t levels_ = 0;
  double all_ = 0.0, done_ = 0.0;  ///< targets times iterations
};

}  // namespace cuda_filters::heal
