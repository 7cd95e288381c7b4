// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/footprint.hpp"

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
    note(in, out, footprint::map);
  }
  template <std::size_t count, class F>
  void map(const Input (&pictures)[count], Output out, const F&) {
    note(pictures, out, of_function<F>(footprint::map));
  }
  template <class State, class Make>
  void map_with_statistics(Input in, Output out, const State&, const Make&) {
    note(in, out, footprint::map);
  }
  template <class F>
  void stencil3(Input in, Output out, const F&) {
    note(in, out, of_function<F>(footprint::stencil3));
  }

  // What analyses call.
  template <class State>
  void fetch(State&) {}
  template <class T, class F>
  void reduce(Input in, Rect, T&, const F&) {
    note_analysis(in, footprint::reduce);
  }
  template <class T>
  std::span<const T> upload(const std::vector<T>& values) {
    return values;
  }

  /// Notes that a primitive of that footprint reads pictures, and writes one.
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
  void note(Input read, Output writes, const footprint::Footprint& footprint) {
    note(std::span{&read, 1}, writes, footprint);
  }
  /// Notes that a primitive of that footprint reads a picture, and writes none.
  void note_analysis(Input read, const footprint::Footprint& footprint) {
    note(read, output(), footprint);
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
