// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/algorithms/extremum/extremum_kernels.hpp"
#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/core/cancellation.hpp"
#include "gpu/cpu/exec.hpp"

// Extremes of windows of any shape, of the keys of window.hpp.

namespace cuda_filters::cpu {
namespace {

template <class Key>
const ExtremumKernel<Key>& kernel_of() {
  if constexpr (sizeof(Key) == 1)
    return extremum_kernels().bytes;
  else if constexpr (sizeof(Key) == 2)
    return extremum_kernels().words;
  else
    return extremum_kernels().double_words;
}

/// A row of keys in memory of the thread.
template <class Key>
Key* room_for(std::vector<Key>& memory, std::size_t count) {
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}

/// Samples of all channels, interleaved, from a picture to another one. Where one of these is
/// temporary, they are those of the other one: numbers become codes and codes become numbers in the
/// same order, so that it does not matter when they do.
template <class Key>
class WindowFilter {
 public:
  WindowFilter(const Input& in, Rect have, const Output& out, Rect area, Key infinity, bool least)
      : in_{in},
        have_{have},
        out_{out},
        area_{area},
        codec_{in.is_temporary() ? out.codec() : in.codec()},
        channels_{codec_.format.channels()},
        infinity_{infinity},
        least_{least},
        kernel_{kernel_of<Key>()} {}

  /// Rows first, then columns.
  void rectangle(int half_width, int half_height) const;
  /// Rows of any lengths.
  void runs(const std::vector<int>& half_widths) const;

 private:
  /// Rows of the same half-length, and where they are: both `dy` and -`dy`, from `first` on.
  struct Group {
    int half, first, last;
  };

  std::size_t samples(int pixels) const { return static_cast<std::size_t>(pixels) * channels_; }
  bool codes_are_keys() const { return infinity_ == 0 && !least_; }
  /// The keys from x to end - 1 of a row that there is; 0 where there are none.
  void load(int x, int end, int y, Key* keys) const;
  /// The keys of whole pixels.
  void store(int x, int y, int count, const Key* keys) const;
  void along_row(int y, int half, Key* to) const;
  /// For the columns from x to x + width - 1 and the rows from `top` to `end` - 1, from `rows`.
  template <class RowAt>
  void along_columns(int x, int width, int top, int end, int half, IndexRange rows,
                     RowAt row_at) const;
  /// The rows that there are of what windows of the rows from `top` to `end` - 1 cover.
  IndexRange rows_around(int top, int end, int half) const {
    return {std::max(top - half, have_.y), std::min(end + half, have_.bottom())};
  }
  void runs_of_tile(const std::vector<Group>& groups, Rect tile) const;

  const Input& in_;
  Rect have_;
  const Output& out_;
  Rect area_;
  const Codec& codec_;
  int channels_;
  Key infinity_;
  bool least_;
  const ExtremumKernel<Key>& kernel_;
};

template <class Key>
void WindowFilter<Key>::load(int x, int end, int y, Key* keys) const {
  const int begin = std::clamp(have_.x, x, end), stop = std::clamp(have_.right(), begin, end);
  std::fill(keys, keys + samples(begin - x), Key{0});
  Key* const here = keys + samples(begin - x);
  if (stop > begin && in_.is_temporary() && !out_.is_temporary()) {
    thread_local RowBuffer pixels;
    pixels.resize(stop - begin);
    in_.load(begin, y, stop - begin, pixels.floats());
    auto* const codes = reinterpret_cast<std::byte*>(here);
    kernels().encode(codec_, pixels.floats(), codes, stop - begin, codes);
  } else if (stop > begin) {
    in_.load_codes(begin, y, stop - begin, reinterpret_cast<std::byte*>(here));
  }
  if (!codes_are_keys()) kernel_.to_keys(here, samples(stop - begin), infinity_, least_, here);
  std::fill(keys + samples(stop - x), keys + samples(end - x), Key{0});
}

template <class Key>
void WindowFilter<Key>::store(int x, int y, int count, const Key* keys) const {
  if (!out_.is_temporary() || in_.is_temporary())
    return kernel_.to_codes(keys, samples(count), infinity_, least_,
                            reinterpret_cast<Key*>(out_.codes(x, y)));
  thread_local std::vector<Key> memory;
  thread_local RowBuffer pixels;
  Key* const codes = room_for(memory, samples(count));
  kernel_.to_codes(keys, samples(count), infinity_, least_, codes);
  pixels.resize(count);
  kernels().decode(codec_, reinterpret_cast<const std::byte*>(codes), count, pixels.floats());
  out_.store(x, y, count, pixels.floats());
}

/// Windows that double, until two of them cover a whole one.
template <class Key>
void WindowFilter<Key>::along_row(int y, int half, Key* to) const {
  if (half == 0) return load(area_.x, area_.right(), y, to);
  thread_local std::vector<Key> memory[2];
  const int window = 2 * half + 1, cover = extremum::half_cover(window);
  int known = area_.width + 2 * half;
  Key *here = room_for(memory[0], samples(known)), *next = room_for(memory[1], samples(known));
  load(area_.x - half, area_.right() + half, y, here);
  for (int length = 1; length < cover; length *= 2) {
    known -= length;
    kernel_.larger(here, here + samples(length), samples(known), next);
    std::swap(here, next);
  }
  kernel_.larger(here, here + samples(window - cover), samples(area_.width), to);
}

/// By van Herk and by Gil and Werman: as many windows one below the other as these are high all
/// begin in the first one and end in the last one.
template <class Key>
template <class RowAt>
void WindowFilter<Key>::along_columns(int x, int width, int top, int end, int half, IndexRange rows,
                                      RowAt row_at) const {
  thread_local std::vector<Key> memory;
  thread_local std::vector<const Key*> upper;
  const int window = 2 * half + 1, needed = std::min(window, end - top);
  const std::size_t first = samples(x - area_.x), count = samples(width);
  // Where there are fewer rows than a window has, `upper` may point into `spare` or `other` to the
  // end: sums have rows of their own.
  Key* const waiting = room_for(memory, count * (needed + 5));
  Key *spare = waiting + count * needed, *other = spare + count, *sum = other + count,
      *before = sum + count, *const result = before + count;
  upper.resize(needed);
  for (; top < end; top += window) {
    const int here = std::min(window, end - top);
    const auto exists = [&](int y) { return y >= rows.begin && y < rows.end; };
    // From each row down to the last one of the first window.
    const Key* extreme = nullptr;
    for (int i = window - 1; i >= 0; --i) {
      const int y = top - half + i;
      if (exists(y) && extreme == nullptr) {
        extreme = row_at(y) + first;
      } else if (exists(y)) {
        Key* const to = i < here ? waiting + count * i : spare;
        kernel_.larger(extreme, row_at(y) + first, count, to);
        extreme = to;
        if (to == spare) std::swap(spare, other);
      }
      if (i < here) upper[i] = extreme;
    }
    // And from there down to each row.
    extreme = nullptr;
    for (int i = 0; i < here; ++i) {
      const int y = top + half + i;
      if (i > 0 && exists(y)) {
        if (extreme == nullptr) {
          extreme = row_at(y) + first;
        } else {
          kernel_.larger(extreme, row_at(y) + first, count, sum);
          extreme = sum;
          std::swap(sum, before);
        }
      }
      const Key* found = extreme == nullptr ? upper[i] : extreme;
      if (extreme != nullptr && upper[i] != nullptr) {
        kernel_.larger(upper[i], extreme, count, result);
        found = result;
      }
      store(x, top + i, width, found);
    }
  }
}

template <class Key>
void WindowFilter<Key>::rectangle(int half_width, int half_height) const {
  const int columns = std::max(1, static_cast<int>(2048 / sizeof(Key)) / channels_);
  const int window = 2 * half_height + 1, height = (64 + window - 1) / window * window;
  const int across = (area_.width + columns - 1) / columns,
            down = (area_.height + height - 1) / height;
  const std::size_t pitch = samples(area_.width);
  const auto width_at = [&](int column) {
    return std::min(columns, area_.width - column * columns);
  };
  const auto end_of = [&](int strip) {
    return std::min(area_.y + (strip + 1) * height, area_.bottom());
  };
  // Few rows of a strip stay in the cache until its columns are done.
  constexpr std::size_t cached = std::size_t{1} << 20;
  if (half_height <= 16 && sizeof(Key) * pitch * (height + window) <= cached)
    return parallel_for(down, [&](int strip) {
      thread_local std::vector<Key> memory;
      const int top = area_.y + strip * height, end = end_of(strip);
      const IndexRange rows = rows_around(top, end, half_height);
      Key* const middle = room_for(memory, pitch * rows.size());
      const auto row_at = [&](int y) { return middle + pitch * (y - rows.begin); };
      cancellation_point();
      for (int y = rows.begin; y < rows.end; ++y) along_row(y, half_width, row_at(y));
      for (int column = 0; column < across; ++column)
        along_columns(area_.x + column * columns, width_at(column), top, end, half_height, rows,
                      row_at);
    });
  const IndexRange rows = rows_around(area_.y, area_.bottom(), half_height);
  const std::unique_ptr<Key[]> middle{new Key[pitch * rows.size()]};
  const auto row_at = [&](int y) { return middle.get() + pitch * (y - rows.begin); };
  parallel_for(rows.size(),
               [&](int row) { along_row(rows.begin + row, half_width, row_at(rows.begin + row)); });
  parallel_for(across * down, [&](int task) {
    cancellation_point();
    const int column = task % across, strip = task / across;
    along_columns(area_.x + column * columns, width_at(column), area_.y + strip * height,
                  end_of(strip), half_height, rows, row_at);
  });
}

/// Each row of the image goes to all rows of the tile of whose windows it is part.
template <class Key>
void WindowFilter<Key>::runs_of_tile(const std::vector<Group>& groups, Rect tile) const {
  thread_local std::vector<Key> memory[2], largest;
  const int widest = groups.back().half, reach = groups.front().last;
  const std::size_t count = samples(tile.width);
  Key* const found = room_for(largest, count * tile.height);
  std::fill_n(found, count * tile.height, Key{0});
  const int end = std::min(tile.bottom() + reach, have_.bottom());
  for (int y = std::max(tile.y - reach, have_.y); y < end; ++y) {
    cancellation_point();
    int known = tile.width + 2 * widest, length = 1;
    Key *here = room_for(memory[0], samples(known)), *next = room_for(memory[1], samples(known));
    load(tile.x - widest, tile.right() + widest, y, here);
    const auto row_of = [&](int to) {
      return to >= tile.y && to < tile.bottom() ? found + count * (to - tile.y) : nullptr;
    };
    for (const Group& group : groups) {
      for (; 2 * length <= 2 * group.half + 1; length *= 2) {
        known -= length;
        kernel_.larger(here, here + samples(length), samples(known), next);
        std::swap(here, next);
      }
      const Key* const left = here + samples(widest - group.half);
      const Key* const right = here + samples(widest + group.half + 1 - length);
      for (int dy = group.first; dy <= group.last; ++dy) {
        Key *const above = row_of(y - dy), *const below = dy > 0 ? row_of(y + dy) : nullptr;
        if (above != nullptr && below != nullptr)
          kernel_.raise_two(left, right, count, above, below);
        else if (above != nullptr || below != nullptr)
          kernel_.raise(left, right, count, above != nullptr ? above : below);
      }
    }
  }
  for (int y = tile.y; y < tile.bottom(); ++y)
    store(tile.x, y, tile.width, found + count * (y - tile.y));
}

template <class Key>
void WindowFilter<Key>::runs(const std::vector<int>& half_widths) const {
  std::vector<Group> groups;
  for (int dy = static_cast<int>(half_widths.size()) - 1; dy >= 0; --dy) {
    if (groups.empty() || groups.back().half != half_widths[dy])
      groups.push_back({half_widths[dy], dy, dy});
    groups.back().first = dy;
  }
  const int reach = static_cast<int>(half_widths.size()) - 1;
  const int columns = std::max(1, static_cast<int>(1024 / sizeof(Key)) / channels_),
            rows = std::clamp(2 * reach, 64, 512);
  for_tiles(area_, columns, rows, [&](Rect tile) { runs_of_tile(groups, tile); });
}

}  // namespace

void extremum_filter(Exec&, const Input& in, const Output& out, const extremum::Window& window,
                     Extremum kind, Border border) {
  const Rect have = extremum::covered(in.area(), in.image(), border),
             area = extremum::covered(out.area(), in.image(), border);
  const std::vector<int> half_widths = extremum::half_widths(window, in.image().size());
  const Codec& codec = in.is_temporary() ? out.codec() : in.codec();
  rank::with_key(codec.format.type, [&]<class Key>(Key, Key infinity) {
    const WindowFilter<Key> filter{in, have, out, area, infinity, kind == Extremum::minimum};
    if (half_widths.front() == half_widths.back())
      filter.rectangle(half_widths.front(), static_cast<int>(half_widths.size()) - 1);
    else
      filter.runs(half_widths);
  });
}

}  // namespace cuda_filters::cpu
