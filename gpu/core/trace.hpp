// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
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
/// A picture that a filter asks for and then has for a while.
class Requested {
 public:
  inline Requested(Exec& exec, int level, int channels);
  inline ~Requested();
  Requested(const Requested&) = delete;
  Requested& operator=(const Requested&) = delete;
  int picture() const { return picture_; }

 private:
  Exec& exec_;
  int picture_;
};
class Temporary : public Requested {
 public:
  Temporary(Exec& exec, int level) : Requested{exec, level, 4} {}
  operator Input() const { return {picture()}; }
  operator Output() const { return {picture()}; }
};
class Channel : public Requested {
 public:
  Channel(Exec& exec, int level) : Requested{exec, level, 1} {}
};

class Exec {
 public:
  using Input = trace::Input;
  using Output = trace::Output;
  using Channel = trace::Channel;

  Input input() const { return {source}; }
  Input aux() const { return {second}; }
  Output output() const { return {result}; }
  Temporary temporary(int level = 0) { return {*this, level}; }
  Channel temporary_channel(int level = 0) { return {*this, level}; }

  template <class In, class Out, class F>
  void map(const In& in, const Out& out, const F&) {
    note(in, out, footprint::map);
  }
  template <class... Pictures, class Out, class F>
  void map(const std::tuple<Pictures&...>& pictures, const Out& out, const F&) {
    note(numbers_of(pictures), out, of_function<F>(footprint::map));
  }
  template <class State, class Make>
  void map_with_statistics(Input in, Output out, const State&, const Make&) {
    note(in, out, footprint::map);
  }
  template <class F>
  void stencil3(Input in, Output out, const F&) {
    note(in, out, of_function<F>(footprint::stencil3));
  }
  template <class F>
  void neighborhood(Input in, Output out, Halo reach, double cost, const F&) {
    note(in, out, of_function<F>(footprint::neighborhood(reach, cost)));
  }
  template <class... Pictures, class F>
  void neighborhood(const std::tuple<Pictures&...>& pictures, Output out, Halo reach, double cost,
                    const F&) {
    note(numbers_of(pictures), out, of_function<F>(footprint::neighborhood(reach, cost)));
  }

  // What analyses call.
  template <class State>
  void fetch(State&) {}
  template <class T, class F>
  void reduce(Input in, Rect, T&, const F&) {
    note_analysis(in, footprint::reduce);
  }
  template <class... Pictures, class T, class F>
  void reduce(const std::tuple<Pictures&...>& pictures, Rect, T&, const F&) {
    note(numbers_of(pictures), output(), footprint::reduce);
  }
  template <class T>
  std::span<const T> upload(const std::vector<T>& values) {
    return values;
  }

  /// Notes that a primitive of that footprint reads a picture, and writes one `down` levels below
  /// it in a pyramid; the footprint counts pixels of the picture that is read, and costs those of
  /// the larger one. Throws Error if the pictures are not of these levels.
  template <class In, class Out>
  void note(const In& read, const Out& written, const footprint::Footprint& footprint,
            int down = 0) {
    note(std::vector{number_of(read)}, written, footprint, down);
  }
  /// The same of a primitive that reads several.
  template <class Out>
  void note(const std::vector<int>& reads, const Out& written, footprint::Footprint footprint,
            int down = 0) {
    const TemporaryPlan to = plan_of(number_of(written));
    int level = to.level;
    bool channels = to.channels != 4;
    for (const int each : reads) {
      const TemporaryPlan from = plan_of(each);
      if (from.level + down != to.level)
        throw Error{tr(N_("Internal error: a primitive's pictures have different sizes."))};
      level = std::min(level, from.level);
      channels = channels || from.channels != 4;
      by_channel_ = by_channel_ && each != second;  // which may have other channels
    }
    steps_.push_back({reads, number_of(written), footprint.halo, down});
    if (footprint.costly && number_of(written) >= first_temporary)
      temporaries_[number_of(written) - first_temporary].costly = true;
    cost_ += footprint.cost * to.channels / 4.0 / static_cast<double>(std::int64_t{1} << 2 * level);
    by_channel_ = by_channel_ && footprint.by_channel && !channels;
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
        halo = {std::max(halo.x, step->read_beyond(beyond.x) + step->halo.x),
                std::max(halo.y, step->read_beyond(beyond.y) + step->halo.y)};
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
  friend class Requested;

  struct Step {
    std::vector<int> reads;
    int writes;
    Halo halo;
    int down;

    /// How far beyond what surrounds the band in its own level a picture reaches, as far as the
    /// written one reaches beyond the same in its level.
    int read_beyond(int written) const {
      return down > 0 ? 2 * written + 1 : down < 0 ? (written + 1) / 2 : written;
    }
  };

  static int number_of(const Input& picture) { return picture.picture; }
  static int number_of(const Output& picture) { return picture.picture; }
  static int number_of(const Requested& picture) { return picture.picture(); }
  template <class... Pictures>
  static std::vector<int> numbers_of(const std::tuple<Pictures&...>& pictures) {
    return std::apply([](const auto&... each) { return std::vector{number_of(each)...}; },
                      pictures);
  }
  TemporaryPlan plan_of(int picture) const {
    return picture < first_temporary ? TemporaryPlan{} : temporaries_[picture - first_temporary];
  }

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

Requested::Requested(Exec& exec, int level, int channels)
    : exec_{exec}, picture_{Exec::first_temporary + static_cast<int>(exec.temporaries_.size())} {
  const int next = static_cast<int>(exec.steps_.size());
  exec.temporaries_.push_back({{}, next, next, level, channels});
}

Requested::~Requested() {
  exec_.temporaries_[picture_ - Exec::first_temporary].last =
      static_cast<int>(exec_.steps_.size()) - 1;
}

}  // namespace cuda_filters::trace
