// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <any>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/core/cancellation.hpp"
#include "gpu/core/run_cache.hpp"
#include "gpu/core/selection.hpp"
#include "gpu/cpu/parallel.hpp"
#include "gpu/cpu/temporary.hpp"

namespace cuda_filters::cpu {

/// The primitives, on all cores of the processor.
class Exec {
 public:
  using Input = cpu::Input;
  using Output = cpu::Output;
  using Channel = cpu::Channel;

  /// For the pixels of `area`, with temporary pictures that are larger by `temporaries`.
  Exec(Alpha alpha, const Input& in, Rect area, std::span<const TemporaryPlan> temporaries,
       RunCache& cache, MemoryPool& memory, Rect analysis_area = {})
      : alpha_{alpha},
        in_{in},
        area_{area},
        analysis_area_{analysis_area},
        temporaries_{temporaries},
        cache_{cache},
        memory_{memory} {}

  /// A picture of working pixels, with anything in it, of a level of a pyramid.
  Temporary temporary(int level = 0) { return {memory_, next_area(level), in_, level}; }
  /// One that is larger by `halo` than what is computed.
  Temporary temporary(Halo halo) { return {memory_, area_.grown(halo), in_}; }
  /// As temporary(), of one float a pixel.
  Channel temporary_channel(int level = 0) { return {memory_, next_area(level)}; }
  /// One of that area.
  Channel channel(Rect area) { return {memory_, area}; }

  /// out = f(in), pixel by pixel.
  template <class F>
  void map(const Input& in, const Output& out, F f) {
    constexpr bool by_sample = requires { f.color(0.0f, 0); };
    map_rows(in, out, by_sample, [f](Pixel* pixels, int count) {
      for (int i = 0; i < count; ++i) pixels[i] = f(pixels[i]);
    });
  }

  /// out = in.
  void copy(const Input& in, const Output& out) {
    map(in, out, [](Pixel p) { return p; });
  }

  /// out = f(a, b, …), pixel by pixel, of pictures and channels std::tie(a, b, …).
  template <class... Pictures, class F>
  void map(const std::tuple<Pictures&...>& pictures, const Output& out, F f) {
    const Rect area = out.area();
    for_rows(pictures, area, [&](int y, const auto*... pixels) {
      thread_local RowBuffer buffer;
      if (out.is_temporary()) {
        auto* const to = reinterpret_cast<Pixel*>(out.codes(area.x, y));
        for (int i = 0; i < area.width; ++i) to[i] = f(pixels[i]...);
        return;
      }
      buffer.resize(area.width);
      for (int i = 0; i < area.width; ++i) buffer.pixels()[i] = f(pixels[i]...);
      out.store(area.x, y, area.width, buffer.floats());
    });
  }
  template <class... Pictures, class F>
  void map(const std::tuple<Pictures&...>& pictures, const Channel& out, F f) {
    const Rect area = out.area();
    for_rows(pictures, area, [&](int y, const auto*... pixels) {
      float* const to = out.at(area.x, y);
      for (int i = 0; i < area.width; ++i) to[i] = f(pixels[i]...);
    });
  }
  template <class F>
  void map(const Input& in, const Channel& out, F f) {
    map(std::tie(in), out, f);
  }
  template <class F>
  void map(const Channel& in, const Output& out, F f) {
    map(std::tie(in), out, f);
  }
  template <class F>
  void map(const Channel& in, const Channel& out, F f) {
    map(std::tie(in), out, f);
  }

  /// Maps one picture by a function of rows of pixels. If `by_sample`, it takes each
  /// channel by itself, and what it makes of each code is looked up.
  void map_rows(const Input& in, const Output& out, bool by_sample,
                const std::function<void(Pixel*, int)>& change);

  /// Brings what a state of the two found to the host: state.here.
  template <class State>
  void fetch(State&) {}

  /// Calls f(total, pixel) for the pixels of `area` that are selected and not transparent, each for
  /// a total of some of them that begins as T{}, and merges these: total.merge(other).
  template <class T, class F>
  void reduce(const Input& in, Rect area, T& total, F f) {
    reduce(std::tie(in), area, total, f);
  }
  /// The same with f(total, a, b, …) of pictures and channels std::tie(a, b, …): the first one,
  /// which is no channel, says which pixels are transparent.
  template <class... Pictures, class T, class F>
  void reduce(const std::tuple<Pictures&...>& pictures, Rect area, T& total, F f) {
    const Input& first = std::get<0>(pictures);
    std::vector<T> rows(area.height);
    for_rows(pictures, area, [&](int y, const Pixel* pixels, const auto*... others) {
      const std::uint8_t* const selected = first.selected(area.x, y);
      for (int i = 0; i < area.width; ++i)
        if (is_counted(pixels[i].a > 0.0f, selected, i))
          f(rows[y - area.y], pixels[i], others[i]...);
    });
    for (const T& row : rows) total.merge(row);
  }

  /// Where functions of pixels find these values: at .data().
  template <class T>
  std::span<const T> upload(const std::vector<T>& values) {
    return values;
  }

  /// out = f(in), pixel by pixel, where f = make(what was found): for a `make` of a few operations.
  /// `state`: of collect_statistics() or of collect_quantiles().
  template <class State, class Make>
  void map_with_statistics(const Input& in, const Output& out, const State& state, Make make) {
    map(in, out, make(state.here));
  }

  /// out = f(the 3 × 3 pixels around each), [row][column].
  template <class F>
  void stencil3(const Input& in, const Output& out, F f) {
    constexpr int strip = 32;
    for_tiles(out.area(), out.area().width, strip, [&](Rect area) {
      const int width = area.width + 2;
      thread_local RowBuffer rows[3], result;
      for (RowBuffer& row : rows) row.resize(width);
      result.resize(area.width);
      const auto fetch = [&](int y) {
        RowBuffer& row = rows[(y - area.y + 3) % 3];
        in.load(area.x - 1, y, width, row.floats());
        return row.pixels();
      };
      const Pixel *above = fetch(area.y - 1), *middle = fetch(area.y);
      for (int y = area.y; y < area.bottom(); ++y) {
        const Pixel* below = fetch(y + 1);
        Pixel* to = result.pixels();
        for (int x = 0; x < area.width; ++x) {
          const Pixel around[3][3] = {{above[x], above[x + 1], above[x + 2]},
                                      {middle[x], middle[x + 1], middle[x + 2]},
                                      {below[x], below[x + 1], below[x + 2]}};
          to[x] = f(around);
        }
        out.store(area.x, y, area.width, result.floats());
        above = middle, middle = below;
      }
    });
  }

  /// out = f(around), where around(dx, dy) is the pixel so far from each, up to `reach` along both
  /// axes. `cost`: of a pixel, as Plan::cost.
  template <class F>
  void neighborhood(const Input& in, const Output& out, Halo reach, double cost, F f) {
    neighborhood(std::tie(in), out, reach, cost, f);
  }
  /// The same with f(around_a, around_b, …) of pictures and channels std::tie(a, b, …).
  template <class... Pictures, class F>
  void neighborhood(const std::tuple<Pictures&...>& pictures, const Output& out, Halo reach, double,
                    F f) {
    // Wide tiles of small neighborhoods, whose rows stay in the cache all the same.
    constexpr int columns = 256, strip = 32;
    constexpr std::size_t count = sizeof...(Pictures);
    for_tiles(out.area(), columns, strip, [&](Rect area) {
      const Rect needed = area.grown(reach);
      thread_local std::array<std::vector<RowBuffer>, count> buffers;
      thread_local RowBuffer result;
      result.resize(area.width);
      const auto compute = [&]<std::size_t... k>(std::index_sequence<k...>) {
        const auto rows = std::tuple{rows_of(std::get<k>(pictures), needed, buffers[k])...};
        for (int y = 0; y < area.height; ++y) {
          cancellation_point();
          Pixel* const to = result.pixels();
          for (int x = 0; x < area.width; ++x)
            to[x] = f(Around{std::get<k>(rows).data() + y + reach.y, x + reach.x}...);
          out.store(area.x, area.y + y, area.width, result.floats());
        }
      };
      compute(std::make_index_sequence<count>{});
    });
  }

  // What algorithms need beyond primitives.

  Alpha alpha() const { return alpha_; }
  /// What all bands of an analysis go through, of which this is one.
  Rect analysis_area() const { return analysis_area_; }
  /// Calls compute(in, out), which looks as far as `halo`, with temporary pictures alone: of `in`
  /// and `out`, just one is temporary.
  template <class Compute>
  void through_temporary(const Input& in, const Output& out, Halo halo, Compute compute) {
    if (out.is_temporary()) {
      const Temporary pixels{memory_, out.area().grown(halo), in};
      copy(in, pixels);
      return compute(pixels, out);
    }
    const Temporary result{memory_, out.area(), in};
    compute(in, result);
    copy(result, out);
  }
  /// What the primitive that asks keeps for the next band.
  std::any& cache_slot() { return cache_.slot(calls_++); }

 private:
  /// The area of the next temporary picture that the filter asks for.
  Rect next_area(int level) {
    return area_.at_level(level).grown(temporaries_[next_temporary_++].halo);
  }

  static const Pixel* row_of(const Input& in, int x, int y, int count, RowBuffer& buffer) {
    return in.row(x, y, count, buffer);
  }
  static const float* row_of(const Channel& in, int x, int y, int count, RowBuffer&) {
    return in.row(x, y, count);
  }
  /// Finds what is around a place in rows of pixels or of floats.
  template <class T>
  struct Around {
    const T* const* row;
    std::ptrdiff_t x;
    const T& operator()(int dx, int dy) const { return row[dy][x + dx]; }
  };
  /// Where the rows of `area` begin, loaded into `buffers` unless they lie somewhere.
  template <class Picture>
  static auto rows_of(const Picture& in, Rect area, std::vector<RowBuffer>& buffers) {
    if (buffers.size() < static_cast<std::size_t>(area.height)) buffers.resize(area.height);
    std::vector<decltype(row_of(in, 0, 0, 0, buffers[0]))> rows(area.height);
    for (int y = 0; y < area.height; ++y)
      rows[y] = row_of(in, area.x, area.y + y, area.width, buffers[y]);
    return rows;
  }

  /// Calls f(y, a, b, …) with the pixels of each row of `area`.
  template <class... Pictures, class F>
  static void for_rows(const std::tuple<Pictures&...>& pictures, Rect area, F f) {
    parallel_for(area.height, [&](int row) {
      thread_local std::array<RowBuffer, sizeof...(Pictures)> buffers;
      const int y = area.y + row;
      const auto call = [&]<std::size_t... k>(std::index_sequence<k...>) {
        f(y, row_of(std::get<k>(pictures), area.x, y, area.width, buffers[k])...);
      };
      call(std::make_index_sequence<sizeof...(Pictures)>{});
    });
  }

  Alpha alpha_;
  const Input& in_;
  Rect area_, analysis_area_;
  std::span<const TemporaryPlan> temporaries_;
  RunCache& cache_;
  MemoryPool& memory_;
  std::size_t next_temporary_ = 0, calls_ = 0;
};

}  // namespace cuda_filters::cpu
