// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/algorithms/rank/rank_kernels.hpp"
#include "gpu/algorithms/rank/sliding.hpp"
#include "gpu/core/cancellation.hpp"
#include "gpu/cpu/exec.hpp"

// Rank filters: the three ways that rank.hpp tells of.

namespace cuda_filters::cpu {
namespace {

using rank::Percentiles;
using rank::Window;

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

/// The codes of `have`, in the lanes that windows slide over, and 255 in the rest of `area`.
Keys<std::uint8_t> bytes_of(const Input& in, Rect have, Rect area) {
  const int channels = in.codec().format.channels(), lanes = lanes_of(channels);
  Keys<std::uint8_t> keys{area, lanes};
  parallel_for(area.height, [&](int row) {
    const int y = area.y + row;
    std::uint8_t *to = keys.at(area.x, y), *const end = to + keys.pitch();
    if (y < have.y || y >= have.bottom()) return std::fill(to, end, 255);
    std::fill(to, keys.at(have.x, y), 255);
    std::fill(keys.at(have.right(), y), end, 255);
    to = keys.at(have.x, y);
    in.load_codes(have.x, y, have.width, reinterpret_cast<std::byte*>(to));
    if (lanes == channels) return;
    for (int x = have.width - 1; x >= 0; --x) {  // to the right, in place
      const std::uint8_t pixel[4] = {to[3 * x], to[3 * x + 1], to[3 * x + 2], 255};
      std::memcpy(to + 4 * x, pixel, 4);
    }
  });
  return keys;
}

template <class Key>
Key code_of(Key key, Key infinity) {
  return infinity != 0 ? rank::float_of_key(key) : key;
}

/// Medians of small squares and circles by sorting networks, in blocks that stay in the cache.
template <class Key>
class SmallMedian {
 public:
  SmallMedian(const MedianKernel<Key>& kernel, const Keys<Key>& keys, int radius)
      : kernel_{kernel}, keys_{keys}, radius_{radius} {}

  /// write(x, y, count, keys) takes `count` keys of a row; x counts samples, from the left of
  /// `out`.
  template <class Write>
  void run(Rect out, Write write) const {
    constexpr int width = 2048 / sizeof(Key), height = 64;
    const int samples = out.width * keys_.lanes();
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
    const int ring = 2 * radius_ + 4;
    const std::size_t stride = count + rank_slack / sizeof(Key),
                      row_size = stride * (2 * radius_ + 1);
    thread_local std::vector<Key> memory, medians;
    memory.resize(row_size * ring);
    medians.resize(4 * stride);
    const auto sorted_row = [&](int row) {
      return memory.data() + row_size * ((row % ring + ring) % ring);
    };
    int next = y - radius_;
    for (; y < end; y += 4) {
      const int last = std::min(y + radius_ + 3, keys_.area().bottom() - 1);
      for (; next <= last; ++next)
        kernel_.sort_row(keys_.at(left - radius_, next) + x, keys_.lanes(), count, sorted_row(next),
                         stride);
      const Key* sorted[2 * rank::network_radius + 4];
      for (int k = 0; k < ring; ++k) sorted[k] = sorted_row(y - radius_ + k);
      kernel_.four_rows(sorted, stride, count, medians.data());
      for (int k = 0; k < std::min(4, end - y); ++k)
        write(x, y + k, count, medians.data() + k * stride);
    }
  }

  const MedianKernel<Key>& kernel_;
  const Keys<Key>& keys_;
  int radius_;
};

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
    cancellation_point();
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
    const int lanes = lanes_of(channels), r = window_.radius;
    const Rect wide = out_.grown(r, r),
               surroundings{wide.x, wide.y, wide.width, wide.height + WindowGroup::more_rows};
    Keys<std::uint8_t> bytes{surroundings, lanes};
    bytes.fill(255);
    for (int c = 0; c < channels; ++c)
      for (int i = 0; i < count_; ++i) {
        const Entry<Key>& entry = entries_[c][i];
        bytes.at(area_.x + entry.x, area_.y + entry.y)[c] =
            static_cast<std::uint8_t>(rank::class_of(i, count_));
      }
    const WindowGroup group{window_, lanes, bytes.pitch()};
    SlidingHistograms<channels> histograms{bytes, area_, window_, group, percentiles, has_alpha};
    histograms.slide(out_, [&](int x, int y, const auto& found) {
      Key keys[channels];
      for (int c = 0; c < channels; ++c) keys[c] = resolve(c, found[c], x, y);
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
const MedianKernel<Key>& median_kernel(const Window& window) {
  const auto kernel_of = [&](const MedianKernels<Key>& kernels) -> const MedianKernel<Key>& {
    return (window.is_square() ? kernels.squares : kernels.circles)[window.radius - 1];
  };
  if constexpr (sizeof(Key) == 1)
    return kernel_of(rank_kernels().bytes);
  else if constexpr (sizeof(Key) == 2)
    return kernel_of(rank_kernels().words);
  else
    return kernel_of(rank_kernels().double_words);
}

}  // namespace

void rank_filter(Exec& exec, const Input& in, const Output& out, const Window& window,
                 const Percentiles& percentiles, Border border) {
  if (in.is_temporary() != out.is_temporary())
    return exec.through_temporary(in, out, footprint::rank_filter(window, percentiles, border).halo,
                                  [&](const Input& from, const Output& to) {
                                    rank_filter(exec, from, to, window, percentiles, border);
                                  });
  const Format format = in.codec().format;
  const Rect area = out.area();
  const Percentiles counting{percentiles.color,
                             format.alpha ? percentiles.alpha : percentiles.color};
  rank::with_key(format.type, [&]<class Key>(Key, Key infinity) {
    const auto codes = [&](int x, int y) { return reinterpret_cast<Key*>(out.codes(x, y)); };
    // Each tile looks at a whole window first: of narrow ones there are fewer and longer ones.
    const auto along = [&](int least, int across) {
      return std::max(least, 4 * (2 * window.radius + 1) / across);
    };
    const Rect have = existing(in, border);
    if (rank::is_small_median(window.shape, window.radius, counting) && have == in.area()) {
      const Keys<Key> keys = keys_of(in, have, infinity);
      SmallMedian<Key>{median_kernel<Key>(window), keys, window.radius}.run(
          area, [&](int sample, int y, int count, const Key* found) {
            Key* to = codes(area.x, y) + sample;
            for (int i = 0; i < count; ++i) to[i] = code_of(found[i], infinity);
          });
      return;
    }
    with_channels(format.channels(), [&](auto number) {
      constexpr int channels = decltype(number)::value;
      if constexpr (sizeof(Key) == 1) {
        const Rect all = in.area();
        const Keys<Key> keys =
            bytes_of(in, have, {all.x, all.y, all.width, all.height + WindowGroup::more_rows});
        const WindowGroup group{window, keys.lanes(), keys.pitch()};
        for_tiles(area, area.width, along(32, in.image().width), [&](Rect rows) {
          SlidingHistograms<channels>{keys, have, window, group, percentiles, format.alpha}.slide(
              rows, [&](int x, int y, const auto& found) {
                Key* to = codes(x, y);
                for (int c = 0; c < channels; ++c) to[c] = found[c].byte;
              });
        });
      } else {
        const Keys<Key> keys = keys_of(in, have, infinity);
        const int size = std::clamp(2 * window.radius, 32, 256);
        for_tiles(area, along(size, in.image().height), along(size, in.image().width),
                  [&](Rect tile) {
                    SortedTile<Key, channels>{keys, tile, window}.run(
                        percentiles, format.alpha, [&](int x, int y, const Key* found) {
                          Key* to = codes(x, y);
                          for (int c = 0; c < channels; ++c) to[c] = code_of(found[c], infinity);
                        });
                  });
      }
    });
  });
}

}  // namespace cuda_filters::cpu
