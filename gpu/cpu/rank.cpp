// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/rank.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/cpu/exec.hpp"
#include "gpu/cpu/rank_kernels.hpp"

// Rank filters: the three ways that core/rank.hpp tells of.

namespace cuda_filters::cpu {
namespace {

using rank::Percentiles;
using rank::Window;

/// Keys of all channels, interleaved, of an area of the padded image.
template <class Key>
class Keys {
 public:
  Keys(Rect area, int channels)
      : area_{area},
        channels_{channels},
        pitch_{static_cast<std::size_t>(area.width) * channels},
        keys_{new Key[pitch_ * area.height + rank_slack / sizeof(Key)]} {}

  Rect area() const { return area_; }
  int channels() const { return channels_; }
  std::size_t pitch() const { return pitch_; }
  Key* at(int x, int y) { return keys_.get() + offset(x, y); }
  const Key* at(int x, int y) const { return keys_.get() + offset(x, y); }

 private:
  std::size_t offset(int x, int y) const {
    return static_cast<std::size_t>(y - area_.y) * pitch_ +
           static_cast<std::size_t>(x - area_.x) * channels_;
  }
  Rect area_;
  int channels_;
  std::size_t pitch_;
  std::unique_ptr<Key[]> keys_;
};

/// The part of the padded image that has samples: all of it, or the image.
Rect existing(const Input& in, Border border) {
  if (border != Border::transparent) return in.area();
  const Rect area = in.area(), image = in.image();
  const int x = std::max(area.x, image.x), y = std::max(area.y, image.y);
  return {x, y, std::min(area.right(), image.right()) - x,
          std::min(area.bottom(), image.bottom()) - y};
}

template <class Key>
Keys<Key> keys_of(const Input& in, Rect area, Key infinity) {
  Keys<Key> keys{area, in.codec().format.channels()};
  parallel_for(area.height, [&](int row) {
    Key* to = keys.at(area.x, area.y + row);
    in.load_codes(area.x, area.y + row, area.width, reinterpret_cast<std::byte*>(to));
    if (infinity != 0)
      for (std::size_t i = 0; i < keys.pitch(); ++i) to[i] = rank::key_of_float(to[i], infinity);
  });
  return keys;
}

template <class Key>
Key code_of(Key key, Key infinity) {
  return infinity != 0 ? rank::float_of_key(key) : key;
}

/// Medians of small squares by sorting networks, in blocks that stay in the cache.
template <class Key>
class SmallMedian {
 public:
  SmallMedian(const MedianKernels<Key>& kernels, const Keys<Key>& keys, int radius)
      : kernels_{kernels}, keys_{keys}, radius_{radius} {}

  /// write(x, y, count, keys) takes `count` keys of a row; x counts samples, from the left of
  /// `out`.
  template <class Write>
  void run(Rect out, Write write) const {
    constexpr int width = 1024 / sizeof(Key), height = 64;
    const int samples = out.width * keys_.channels();
    const int across = (samples + width - 1) / width, down = (out.height + height - 1) / height;
    parallel_for(across * down, [&](int i) {
      const int x = i % across * width, y = out.y + i / across * height;
      run_block(out.x, x, std::min(width, samples - x), y, std::min(y + height, out.bottom()),
                write);
    });
  }

 private:
  template <class Write>
  void run_block(int left, int x, int count, int y, int end, Write& write) const {
    const int d = 2 * radius_ + 1, ring = d + 1;
    const std::size_t stride = count + rank_slack / sizeof(Key);
    thread_local std::vector<Key> sorted, results;
    sorted.resize(stride * d * ring);
    results.resize(2 * stride);
    const auto runs_of = [&](int row) {
      return sorted.data() + stride * d * ((row % ring + ring) % ring);
    };
    int next = y - radius_;
    for (; y < end; y += 2) {
      const int last = std::min(y + radius_ + 1, keys_.area().bottom() - 1);
      for (; next <= last; ++next)
        kernels_.sort_runs[radius_ - 1](keys_.at(left - radius_, next) + x, keys_.channels(), count,
                                        runs_of(next), stride);
      const Key* runs[2 * rank::network_radius + 2];
      for (int k = 0; k < ring; ++k) runs[k] = runs_of(y - radius_ + k);
      kernels_.two_rows[radius_ - 1](runs, stride, count, results.data(), results.data() + stride);
      write(x, y, count, results.data());
      if (y + 1 < end) write(x, y + 1, count, results.data() + stride);
    }
  }

  const MedianKernels<Key>& kernels_;
  const Keys<Key>& keys_;
  int radius_;
};

/// The bytes of a pixel in a register.
template <int channels>
class Bytes {
 public:
  explicit Bytes(const std::uint8_t* from) {
    // Of 3 bytes the compiler makes two stores, for which the next load waits; keys have slack.
    std::memcpy(&word_, from, channels == 3 ? 4 : channels);
    if (channels == 3) word_ &= 0xffffff;
  }
  /// With 4 channels, or 3 and a gap, this is one store.
  friend void store_both(const Bytes& first, const Bytes& second, std::uint8_t* to) {
    constexpr int lanes = channels == 3 ? 4 : channels;
    const std::uint64_t both = first.word_ | std::uint64_t{second.word_} << 8 * lanes;
    std::memcpy(to, &both, 2 * lanes);
  }
  unsigned operator[](int c) const { return word_ >> 8 * c & 255; }

 private:
  std::uint32_t word_ = 0;
};

/// A window that slides over bytes, with a histogram of each channel.
template <int channels>
class SlidingHistograms {
 public:
  SlidingHistograms(const Keys<std::uint8_t>& bytes, const Window& window, Percentiles percentiles,
                    bool has_alpha)
      : bytes_{bytes}, have_{bytes.area()}, window_{window} {
    for (int c = 0; c < channels; ++c) {
      percentiles_[c] = has_alpha && c == channels - 1 ? percentiles.alpha : percentiles.color;
      ranks_[c] = rank::rank_of(window.count, percentiles_[c]);
    }
    const int bytes_used = (2 * window.radius + 1) * 2 * lanes_of_pixel;
    exchanged_.assign((bytes_used + rank_slack - 1) / rank_slack * rank_slack, 255);
  }

  void place(int x, int y) {
    x_ = x, y_ = y, count_ = 0;
    counts_ = {}, below_ = {}, found_ = {};
    const int r = window_.radius;
    for (int dy = -r; dy <= r; ++dy)
      for (int dx = -window_.reach[dy + r]; dx <= window_.reach[dy + r]; ++dx)
        if (has(x + dx, y + dy)) enter(bytes_.at(x + dx, y + dy)), ++count_;
  }

  /// One column to the right (1) or to the left (-1).
  void move_x(int step) {
    const int r = window_.radius;
    if (has(x_ - r - 1, y_ - r) && has(x_ + r + 1, y_ + r)) {
      exchange(step);
      count_below();
    } else {
      for (int i = 0; i <= 2 * r; ++i) {
        const int reach = window_.reach[i], y = y_ - r + i;
        replace(x_ - step * reach, y, x_ + step * (reach + 1), y);
      }
    }
    x_ += step;
  }

  /// One row down.
  void move_down() {
    const int r = window_.radius;
    for (int i = 0; i <= 2 * r; ++i) {
      const int reach = window_.reach[i], x = x_ - r + i;
      replace(x, y_ - reach, x, y_ + reach + 1);
    }
    ++y_;
  }

  int x() const { return x_; }

  /// The byte of the wanted rank, and what is left of the rank among the samples with that byte.
  struct Found {
    std::uint8_t byte;
    int residual;
  };
  Found find(int c) {
    const int rank = count_ == window_.count ? ranks_[c] : rank::rank_of(count_, percentiles_[c]);
    const auto count = [&](int byte) { return counts_[0][c][byte] + counts_[1][c][byte]; };
    int byte = found_[c], below = below_[c];
    while (below > rank) below -= count(--byte);
    for (int more; below + (more = count(byte)) <= rank; ++byte) below += more;
    found_[c] = byte, below_[c] = below;
    return {static_cast<std::uint8_t>(byte), rank - below};
  }

 private:
  static constexpr int lanes_of_pixel = channels == 3 ? 4 : channels;  // a divisor of 4

  bool has(int x, int y) const {
    return x >= have_.x && x < have_.right() && y >= have_.y && y < have_.bottom();
  }
  void enter(const std::uint8_t* pixel) {
    for (int c = 0; c < channels; ++c) ++counts_[0][c][pixel[c]], below_[c] += pixel[c] < found_[c];
  }
  void leave(const std::uint8_t* pixel) {
    for (int c = 0; c < channels; ++c) --counts_[0][c][pixel[c]], below_[c] -= pixel[c] < found_[c];
  }
  /// The histograms' share of a step along x, all of it inside.
  void exchange(int step) {
    const int *reach = window_.reach.data(), *const end = reach + window_.reach.size();
    const std::size_t pitch = bytes_.pitch();
    const std::uint8_t* row = bytes_.at(x_, y_ - window_.radius);
    std::uint8_t* exchanged = exchanged_.data();
    const auto row_exchanged = [&](Counts& counts) {
      const std::ptrdiff_t out = step * *reach++;
      const Bytes<channels> fresh{row + (out + step) * channels}, old{row - out * channels};
#pragma GCC unroll 4
      for (int c = 0; c < channels; ++c) ++counts[c][fresh[c]], --counts[c][old[c]];
      store_both(fresh, old, exchanged);
      exchanged += 2 * lanes_of_pixel;
      row += pitch;
    };
    row_exchanged(counts_[0]);  // there is an odd number of them
    while (reach != end) {
      row_exchanged(counts_[1]);
      row_exchanged(counts_[0]);
    }
  }

  void count_below() {
    std::uint8_t limits[8];
    int below[8];
    for (int k = 0; k < 8; ++k) limits[k] = static_cast<std::uint8_t>(found_[k % lanes_of_pixel]);
    rank_kernels().count_below(exchanged_.data(), static_cast<int>(exchanged_.size()), limits,
                               below);
    for (int k = 0; k < 8; ++k)
      below_[k % lanes_of_pixel] += k / lanes_of_pixel % 2 == 0 ? below[k] : -below[k];
  }
  void replace(int old_x, int old_y, int fresh_x, int fresh_y) {
    if (has(fresh_x, fresh_y)) enter(bytes_.at(fresh_x, fresh_y)), ++count_;
    if (has(old_x, old_y)) leave(bytes_.at(old_x, old_y)), --count_;
  }

  const Keys<std::uint8_t>& bytes_;
  Rect have_;
  const Window& window_;
  std::array<double, channels> percentiles_;
  std::array<int, channels> ranks_;  // in a whole window
  int x_ = 0, y_ = 0, count_ = 0;
  using Counts = std::array<std::array<int, rank::classes>, channels>;
  /// To be added up. Neighbouring rows, whose bytes are often the same, would wait for each other's
  /// counter.
  std::array<Counts, 2> counts_;
  std::array<int, lanes_of_pixel> below_, found_;  // how many samples are below the byte found last
  std::vector<std::uint8_t> exchanged_;  // pairs of pixels: one that entered, one that left
};

/// Calls found(x, y, histograms) for every pixel of `out`, row by row, to and fro.
template <int channels, class F>
void slide(SlidingHistograms<channels>& histograms, Rect out, F found) {
  histograms.place(out.x, out.y);
  for (int row = 0;; ++row) {
    const int step = row % 2 == 0 ? 1 : -1;
    for (int i = 0; i < out.width; ++i) {
      found(histograms.x(), out.y + row, histograms);
      if (i + 1 < out.width) histograms.move_x(step);
    }
    if (row + 1 == out.height) return;
    histograms.move_down();
  }
}

/// Calls f with the number of channels as a constant.
template <class F>
void with_channels(int channels, F&& f) {
  if (channels == 1) return f(std::integral_constant<int, 1>{});
  if (channels == 2) return f(std::integral_constant<int, 2>{});
  if (channels == 3) return f(std::integral_constant<int, 3>{});
  f(std::integral_constant<int, 4>{});
}

/// A sample of a tile and where it is.
template <class Key>
struct Entry {
  Key key;
  std::uint16_t x, y;
};

/// Sorts by key, stable, 11 bits at a time from the lowest on.
template <class Key>
void sort(std::vector<Entry<Key>>& entries, std::vector<Entry<Key>>& other) {
  constexpr int digit = 11, size = 1 << digit;
  other.resize(entries.size());
  for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += digit) {
    std::array<unsigned, size> ends{};
    const auto digit_of = [=](Key key) { return static_cast<unsigned>(key >> shift) % size; };
    for (const auto& entry : entries) ++ends[digit_of(entry.key)];
    unsigned sum = 0;
    for (unsigned& end : ends) sum += std::exchange(end, sum);
    for (const auto& entry : entries) other[ends[digit_of(entry.key)]++] = entry;
    entries.swap(other);
  }
}

/// A tile of samples of any size of key, and what its windows reach.
template <class Key, int channels>
class SortedTile {
 public:
  SortedTile(const Keys<Key>& keys, Rect out, const Window& window) : out_{out}, window_{window} {
    const Rect wide = out.grown(window.radius, window.radius), have = keys.area();
    const int x = std::max(wide.x, have.x), y = std::max(wide.y, have.y);
    area_ = {x, y, std::min(wide.right(), have.right()) - x,
             std::min(wide.bottom(), have.bottom()) - y};
    count_ = area_.width * area_.height;
    thread_local std::vector<Entry<Key>> spare;
    for (int c = 0; c < channels; ++c) {
      auto& entries = entries_[c];
      entries.clear();
      for (int row = 0; row < area_.height; ++row) {
        const Key* from = keys.at(area_.x, area_.y + row) + c;
        for (int column = 0; column < area_.width; ++column)
          entries.push_back({from[column * channels], static_cast<std::uint16_t>(column),
                             static_cast<std::uint16_t>(row)});
      }
      sort(entries, spare);
    }
  }

  template <class Write>
  void run(Percentiles percentiles, bool has_alpha, Write write) const {
    Keys<std::uint8_t> bytes{area_, channels};
    for (int c = 0; c < channels; ++c)
      for (int i = 0; i < count_; ++i) {
        const Entry<Key>& entry = entries_[c][i];
        bytes.at(area_.x + entry.x, area_.y + entry.y)[c] =
            static_cast<std::uint8_t>(rank::class_of(i, count_));
      }
    SlidingHistograms<channels> histograms{bytes, window_, percentiles, has_alpha};
    slide(histograms, out_, [&](int x, int y, auto& found_in) {
      Key keys[channels];
      for (int c = 0; c < channels; ++c) keys[c] = resolve(c, found_in.find(c), x, y);
      write(x, y, keys);
    });
  }

 private:
  /// The sample of rank `found.residual` among those of its class that lie in the window.
  template <class Found>
  Key resolve(int c, Found found, int x, int y) const {
    const int r = window_.radius, left = x - area_.x, top = y - area_.y;
    const Entry<Key>* entry = entries_[c].data() + rank::first_of(found.byte, count_);
    for (int residual = found.residual;; ++entry) {
      const int dy = entry->y - top, dx = entry->x - left;
      if (dy < -r || dy > r || std::abs(dx) > window_.reach[dy + r]) continue;
      if (residual-- == 0) return entry->key;
    }
  }

  Rect out_, area_;
  const Window& window_;
  int count_;
  inline static thread_local std::array<std::vector<Entry<Key>>, channels> entries_;
};

template <class Key>
const MedianKernels<Key>& median_kernels() {
  if constexpr (sizeof(Key) == 1)
    return rank_kernels().bytes;
  else if constexpr (sizeof(Key) == 2)
    return rank_kernels().words;
  else
    return rank_kernels().doubles;
}

}  // namespace

void Exec::rank(const Input& in, const Output& out, const Window& window,
                const Percentiles& percentiles, Border border) {
  const Format format = in.codec().format;
  const Rect area = out.area();
  const bool medians = percentiles.color == 50.0 && (!format.alpha || percentiles.alpha == 50.0);
  rank::with_key(format.type, [&]<class Key>(Key, Key infinity) {
    const auto codes = [&](int x, int y) { return reinterpret_cast<Key*>(out.codes(x, y)); };
    const Keys<Key> keys = keys_of(in, existing(in, border), infinity);
    if (medians && window.is_square() && window.radius <= rank::network_radius &&
        keys.area() == in.area()) {
      SmallMedian<Key>{median_kernels<Key>(), keys, window.radius}.run(
          area, [&](int sample, int y, int count, const Key* found) {
            Key* to = codes(area.x, y) + sample;
            for (int i = 0; i < count; ++i) to[i] = code_of(found[i], infinity);
          });
      return;
    }
    with_channels(format.channels(), [&](auto number) {
      constexpr int channels = decltype(number)::value;
      if constexpr (sizeof(Key) == 1) {
        for_tiles(area, area.width, 32, [&](Rect rows) {
          SlidingHistograms<channels> histograms{keys, window, percentiles, format.alpha};
          slide(histograms, rows, [&](int x, int y, auto& found_in) {
            Key* to = codes(x, y);
            for (int c = 0; c < channels; ++c) to[c] = found_in.find(c).byte;
          });
        });
      } else {
        const int size = std::clamp(2 * window.radius, 32, 256);
        for_tiles(area, size, size, [&](Rect tile) {
          SortedTile<Key, channels>{keys, tile, window}.run(percentiles, format.alpha,
                                                            [&](int x, int y, const Key* found) {
                                                              Key* to = codes(x, y);
                                                              for (int c = 0; c < channels; ++c)
                                                                to[c] = code_of(found[c], infinity);
                                                            });
        });
      }
    });
  });
}

}  // namespace cuda_filters::cpu
