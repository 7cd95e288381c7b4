// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <any>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/band.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/run_cache.hpp"
#include "gpu/core/selection.hpp"
#include "gpu/cpu/kernels.hpp"
#include "gpu/cpu/parallel.hpp"

namespace cuda_filters::cpu {

/// A row of pixels with the slack that the kernels need.
class RowBuffer {
 public:
  RowBuffer() = default;
  explicit RowBuffer(std::size_t pixels) { resize(pixels); }
  void resize(std::size_t pixels) { floats_.resize(4 * pixels + lanes); }
  Pixel* pixels() { return reinterpret_cast<Pixel*>(floats_.data()); }
  float* floats() { return floats_.data(); }
  const Pixel* pixels() const { return reinterpret_cast<const Pixel*>(floats_.data()); }
  const float* floats() const { return floats_.data(); }

 private:
  std::vector<float> floats_;
};

/// Gives out rows of working pixels.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Copies the `count` pixels from (x, y) on.
  virtual void load(int x, int y, int count, float* pixels) const = 0;
};

/// Takes rows of working pixels.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void store(int x, int y, int count, const float* pixels) const = 0;
};

/// The image before the filter: any pixel of the padded image, decoded when it is asked for.
class Input final : public RowReader {
 public:
  Input(const RowStore& store, const Lookup& lookup, const Codec& codec);

  /// Says how much each pixel of `area` is selected, rows without gaps; null: all of it.
  void set_mask(const std::uint8_t* mask, Rect area) { mask_ = mask, mask_area_ = area; }
  /// How much the pixels from (x, y) on are selected, from 128 on at least half; null: wholly.
  const std::uint8_t* selected(int x, int y) const {
    if (mask_ == nullptr) return nullptr;
    return mask_ + std::size_t(y - mask_area_.y) * mask_area_.width + (x - mask_area_.x);
  }

  const Codec& codec() const { return codec_; }
  /// The area that can be read, in coordinates of the padded image.
  Rect area() const { return lookup_.area; }
  /// The area of the image without padding.
  Rect image() const { return {0, 0, lookup_.image.width, lookup_.image.height}; }
  bool is_temporary() const { return is_temporary_; }
  void load(int x, int y, int count, float* pixels) const override;
  /// Copies `count` pixels from (x, y) on as they are stored; 0 where there is none.
  void load_codes(int x, int y, int count, std::byte* codes) const;
  /// The stored pixels from (x, y) on, which must lie inside of the image.
  const std::byte* codes(int x, int y) const;

 private:
  /// Throws Error unless the filter's plan promised those pixels.
  void require(int x, int y, int count) const;

  RowStore store_;
  const Lookup& lookup_;
  Codec codec_;
  StraightRun inner_;  // the columns that need no padding
  friend class Temporary;
  bool is_temporary_ = false;
  const std::uint8_t* mask_ = nullptr;
  Rect mask_area_{};
};

/// The image after the filter, encoded as it is stored. Where its size differs from the input's,
/// there is no pixel before the filter: what has no alpha is black.
class Output final : public RowWriter {
 public:
  Output(const Input& original, const Codec& codec, Size image, Rect area, std::byte* codes)
      : original_{&original}, codec_{codec}, image_{image}, area_{area}, codes_{codes} {}
  /// A temporary picture, of which there is nothing before the filter.
  Output(const Codec& codec, Size image, Rect area, std::byte* codes)
      : codec_{codec}, image_{image}, area_{area}, codes_{codes} {}

  Rect area() const { return area_; }
  bool is_temporary() const { return original_ == nullptr; }
  /// The area of the whole result.
  Rect image() const { return {0, 0, image_.width, image_.height}; }
  const Codec& codec() const { return codec_; }
  /// The pixels from (x, y) on as they are stored: after the filter, and before it.
  std::byte* codes(int x, int y) const;
  const std::byte* original(int x, int y) const { return original_->codes(x, y); }
  void store(int x, int y, int count, const float* pixels) const override;

 private:
  const Input* original_ = nullptr;
  Codec codec_;
  Size image_;
  Rect area_;
  std::byte* codes_;
};

/// The memory of the temporary pictures of a run, which its bands use in turn.
class TemporaryMemory {
 public:
  /// Memory of at least so many bytes, with anything in it: of what is free, the smallest that
  /// suffices.
  std::shared_ptr<std::byte[]> take(std::size_t bytes);

 private:
  struct Block {
    std::size_t bytes;
    std::shared_ptr<std::byte[]> memory;
  };
  std::vector<Block> blocks_;
};

/// A picture of working pixels that lives as long as a band is computed, in which primitives may
/// write and from which they may read.
class Temporary {
 public:
  /// `area`: of the image, or beyond it. `like`: the band's input.
  Temporary(TemporaryMemory& memory, Rect area, const Input& like);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  operator const Input&() const { return input_; }
  operator const Output&() const { return output_; }

 private:
  Lookup lookup_;
  std::shared_ptr<std::byte[]> memory_;
  Input input_;
  Output output_;
};

/// One of the pictures of a map().
struct Picture {
  const Input* in;
  Picture(const Input& input) : in{&input} {}
  Picture(const Temporary& temporary) : Picture{static_cast<const Input&>(temporary)} {}
};

/// The primitives, on all cores of the processor.
class Exec {
 public:
  using Input = cpu::Input;
  using Output = cpu::Output;

  /// For the pixels of `area`, with temporary pictures that are larger by `temporaries`.
  Exec(Alpha alpha, const Input& in, Rect area, std::span<const TemporaryPlan> temporaries,
       RunCache& cache, TemporaryMemory& memory)
      : alpha_{alpha},
        in_{in},
        area_{area},
        temporaries_{temporaries},
        cache_{cache},
        memory_{memory} {}

  /// A picture of working pixels, with anything in it.
  Temporary temporary() { return temporary(temporaries_[next_temporary_++].halo); }
  /// One that is larger by `halo` than what is computed.
  Temporary temporary(Halo halo) { return {memory_, area_.grown(halo), in_}; }

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

  /// out = f(a, b, …), pixel by pixel, of pictures {a, b, …}.
  template <std::size_t count, class F>
  void map(const Picture (&pictures)[count], const Output& out, F f) {
    const Rect area = out.area();
    parallel_for(area.height, [&](int row) {
      thread_local std::array<RowBuffer, count> rows;
      std::array<const Pixel*, count> pixels;
      for (std::size_t k = 0; k < count; ++k) {
        rows[k].resize(area.width);
        pictures[k].in->load(area.x, area.y + row, area.width, rows[k].floats());
        pixels[k] = rows[k].pixels();
      }
      Pixel* const results = rows[0].pixels();
      const auto apply = [&]<std::size_t... k>(std::index_sequence<k...>) {
        for (int i = 0; i < area.width; ++i) results[i] = f(pixels[k][i]...);
      };
      apply(std::make_index_sequence<count>{});
      out.store(area.x, area.y + row, area.width, rows[0].floats());
    });
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
    std::vector<T> rows(area.height);
    parallel_for(area.height, [&](int row) {
      thread_local RowBuffer buffer;
      buffer.resize(area.width);
      in.load(area.x, area.y + row, area.width, buffer.floats());
      const std::uint8_t* const selected = in.selected(area.x, area.y + row);
      const Pixel* const pixels = buffer.pixels();
      for (int i = 0; i < area.width; ++i)
        if (is_counted(pixels[i].a > 0.0f, selected, i)) f(rows[row], pixels[i]);
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

  // What algorithms need beyond primitives.

  Alpha alpha() const { return alpha_; }
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
  Alpha alpha_;
  const Input& in_;
  Rect area_;
  std::span<const TemporaryPlan> temporaries_;
  RunCache& cache_;
  TemporaryMemory& memory_;
  std::size_t next_temporary_ = 0, calls_ = 0;
};

}  // namespace cuda_filters::cpu
