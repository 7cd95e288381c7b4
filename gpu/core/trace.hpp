// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "gpu/core/align.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/footprint.hpp"
#include "gpu/core/quantiles.hpp"
#include "gpu/core/resample.hpp"
#include "gpu/core/sharpen.hpp"
#include "gpu/core/statistics.hpp"

/// An executor that computes nothing: it notes which primitives a filter calls on which pictures,
/// and tells how far the result looks into the input, how large the temporary pictures must be, and
/// about how long it all takes.
namespace cuda_filters::trace {

/// A picture is known by its number.
struct Input {
  int picture;
};
struct Output {
  int picture;
};
class Exec;
class Temporary {
 public:
  inline explicit Temporary(Exec& exec);
  inline ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  operator Input() const { return {picture_}; }
  operator Output() const { return {picture_}; }

 private:
  Exec& exec_;
  int picture_;
};

class Exec {
 public:
  using Input = trace::Input;
  using Output = trace::Output;

  Input input() const { return {source}; }
  Input aux() const { return {second}; }
  Output output() const { return {result}; }
  Temporary temporary() { return Temporary{*this}; }

  template <class F>
  void map(Input in, Output out, const F&) {
    note({in}, out, footprint::map);
  }
  template <std::size_t count, class F>
  void map(const Input (&pictures)[count], Output out, const F&) {
    note(pictures, out, of_function<F>(footprint::map));
  }
  template <class State, class Make>
  void map_with_statistics(Input in, Output out, const State&, const Make&) {
    note({in}, out, footprint::map);
  }
  template <class F>
  void stencil3(Input in, Output out, const F&) {
    note({in}, out, of_function<F>(footprint::stencil3));
  }
  void gaussian(Input in, Output out, double sigma_x, double sigma_y, Border) {
    note({in}, out, footprint::gaussian(sigma_x, sigma_y));
  }
  void unsharp(Input in, Output out, double sigma, const Sharpen&, Border) {
    note({in}, out, footprint::unsharp(sigma));
  }
  void box(Input in, Output out, int radius_x, int radius_y, Border) {
    note({in}, out, footprint::box(radius_x, radius_y));
  }
  void convolve(Input in, Output out, const Matrix& weights, float) {
    note({in}, out, footprint::convolve(weights));
  }
  void rank(Input in, Output out, const rank::Window& window, const rank::Percentiles& percentiles,
            Border border) {
    note({in}, out, footprint::rank(window, percentiles, border));
  }
  void diffusion(Input in, Output out, const diffusion::DiffusionSettings& settings) {
    note({in}, out, footprint::diffusion(settings));
  }
  void resample(Input in, Output out, const resample::ResampleSettings&) {
    note({in}, out, footprint::resample);
  }
  void canny(Input in, Output out, const canny::CannySettings& settings, const canny::BandLinks&) {
    note({in}, out, footprint::canny(settings));
  }
  void combine_plates(const align::Scan&, align::Order, Output out) {
    note({}, out, footprint::map);
  }

  // What analyses call.
  template <class... Options>
  void statistics(Input in, Rect, StatisticsState&, Options...) {
    note({in}, output(), footprint::statistics);
  }
  void quantiles(Input in, Rect, QuantileState&, const Wanted&) {
    note({in}, output(), footprint::quantiles);
  }
  template <class State>
  void fetch(State&) {}
  void histogram(Input in, Rect, Histograms&) { note({in}, output(), footprint::histogram); }
  template <class T, class F>
  void reduce(Input in, Rect, T&, const F&) {
    note({in}, output(), footprint::reduce);
  }
  void analyze_edges(Input in, Rect, const canny::CannySettings& settings, canny::BandLinks&) {
    note({in}, output(), {.halo = footprint::canny(settings).halo, .cost = 0.0});
  }
  void analyze_plates(Input in, Rect, const align::AlignSettings&, align::Scan&) {
    note({in}, output(), footprint::plates);
  }
  template <class T>
  std::span<const T> upload(const std::vector<T>& values) {
    return values;
  }

  /// By how much each picture must be larger than the result.
  struct Halos {
    Halo input{}, aux{};
    std::vector<TemporaryPlan> temporaries{};
  };
  Halos halos() const {
    std::vector<Halo> needed(first_temporary + temporaries_.size());
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      for (const int picture : step->reads) {
        const Halo beyond = needed[step->writes];
        Halo& halo = needed[picture];
        halo = {std::max(halo.x, beyond.x + step->halo.x),
                std::max(halo.y, beyond.y + step->halo.y)};
      }
    Halos halos{needed[source], needed[second], temporaries_};
    for (std::size_t i = 0; i < temporaries_.size(); ++i)
      halos.temporaries[i].halo = needed[first_temporary + i];
    return halos;
  }
  double cost() const { return cost_; }
  /// Whether a primitive was called, and each of them takes every channel alike.
  bool by_channel() const { return !steps_.empty() && by_channel_; }

 private:
  static constexpr int result = 0, source = 1, second = 2, first_temporary = 3;
  friend class Temporary;

  struct Step {
    std::vector<int> reads;
    int writes;
    Halo halo;
  };

  /// A function of pixels says itself whether it takes each channel alike.
  template <class F>
  static footprint::Footprint of_function(footprint::Footprint footprint) {
    if constexpr (requires { F::by_channel; }) footprint.by_channel = F::by_channel;
    return footprint;
  }

  void note(std::span<const Input> reads, Output writes, const footprint::Footprint& footprint) {
    Step step{{}, writes.picture, footprint.halo};
    for (const Input& each : reads) {
      step.reads.push_back(each.picture);
      by_channel_ = by_channel_ && each.picture != second;  // which may have other channels
    }
    steps_.push_back(std::move(step));
    cost_ += footprint.cost;
    by_channel_ = by_channel_ && footprint.by_channel;
  }
  void note(std::initializer_list<Input> reads, Output writes,
            const footprint::Footprint& footprint) {
    note(std::span<const Input>{reads.begin(), reads.size()}, writes, footprint);
  }

  std::vector<Step> steps_;
  std::vector<TemporaryPlan> temporaries_;
  double cost_ = 0.0;
  bool by_channel_ = true;
};

Temporary::Temporary(Exec& exec)
    : exec_{exec}, picture_{Exec::first_temporary + static_cast<int>(exec.temporaries_.size())} {
  const int next = static_cast<int>(exec.steps_.size());
  exec.temporaries_.push_back({{}, next, next});
}

Temporary::~Temporary() {
  exec_.temporaries_[picture_ - Exec::first_temporary].last =
      static_cast<int>(exec_.steps_.size()) - 1;
}

}  // namespace cuda_filters::trace
