// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/algorithms/rank/rank_kernels.hpp"
#include "gpu/core/cancellation.hpp"
#include "gpu/core/pixel.hpp"

/// Ranks of bytes in windows that slide over an image, by histograms.
///
/// The windows of a few neighboring rows slide together. What all of them hold is counted in one
/// histogram, which a step changes by two pixels a row; the rest of a window, an arc above and one
/// below for each row between, is looked through for the byte of the wanted rank.
namespace cuda_filters::cpu {

/// Keys of all channels, interleaved, of an area of the padded image. A pixel may take more lanes
/// than it has channels.
template <class Key>
class Keys {
 public:
  Keys(Rect area, int lanes)
      : area_{area},
        lanes_{lanes},
        pitch_{static_cast<std::size_t>(area.width) * lanes},
        keys_{new Key[size() + rank_slack / sizeof(Key)]} {}

  Rect area() const { return area_; }
  int lanes() const { return lanes_; }
  std::size_t pitch() const { return pitch_; }
  Key* at(int x, int y) { return keys_.get() + offset(x, y); }
  const Key* at(int x, int y) const { return keys_.get() + offset(x, y); }
  void fill(Key key) { std::fill_n(keys_.get(), size(), key); }

 private:
  std::size_t size() const { return pitch_ * area_.height; }
  std::size_t offset(int x, int y) const {
    return static_cast<std::size_t>(y - area_.y) * pitch_ +
           static_cast<std::size_t>(x - area_.x) * lanes_;
  }
  Rect area_;
  int lanes_;
  std::size_t pitch_;
  std::unique_ptr<Key[]> keys_;
};

/// How many lanes the bytes of a pixel take, which divide a register. One without channel is 255.
constexpr int lanes_of(int channels) { return channels == 3 ? 4 : channels; }

/// The windows of the rows that slide together, as places in the image beside the first one's
/// middle.
class WindowGroup {
 public:
  /// Offsets in bytes.
  struct Exchange {
    std::ptrdiff_t fresh, old;  ///< of a row, when the windows move by one column
  };
  struct Piece {
    std::ptrdiff_t from;
    int to;
  };
  static constexpr int piece_bytes = 16;
  static constexpr int max_rows = 4;
  /// Below its own window, a row may look at so many more.
  static constexpr int more_rows = max_rows - 1;

  WindowGroup(const rank::Window& window, int lanes, std::size_t pitch) : window_{window} {
    const int r = window.radius;
    // Beside small windows, arcs are long; and those of columns of one pixel would meet.
    const bool thin = std::ranges::find(window.reach, 0) != window.reach.end();
    rows_ = r < 12 ? 1 : thin ? 2 : max_rows;
    const auto bytes = [&](int x, int y) {
      return static_cast<std::ptrdiff_t>(y) * static_cast<std::ptrdiff_t>(pitch) + x * lanes;
    };
    for (int y = first_common_row(); y <= r; ++y) {
      const int reach = common_reach(y);
      if (reach < 0) continue;
      right_.push_back({bytes(reach + 1, y), bytes(-reach, y)});
      left_.push_back({bytes(-reach - 1, y), bytes(reach, y)});
    }
    int to = 0;
    const auto add = [&](int x, int end, int y) {
      for (const int step = piece_bytes / lanes; x < end; x += step) {
        pieces_.push_back({bytes(x, y), to});
        to += std::min(end - x, step) * lanes;
      }
    };
    const auto add_arc = [&](int row, int neighbor) {
      const int start = to;
      for (int y = row - r; y <= row + r; ++y) {
        const int reach = reach_of(y - row), shared = std::min(reach, reach_of(y - neighbor));
        if (shared < 0) add(-reach, reach + 1, y);
        if (shared < 0 || shared == reach) continue;
        add(-reach, -shared, y);
        add(shared + 1, reach + 1, y);
      }
      arc_bytes_ = to - start;
    };
    for (int row = 0; row + 1 < rows_; ++row) add_arc(row, row + 1);
    for (int row = 1; row < rows_; ++row) add_arc(row, row - 1);
  }

  int rows() const { return rows_; }
  /// One for each row of what the windows share, for a step to the right or to the left.
  const std::vector<Exchange>& exchanges(int step) const { return step > 0 ? right_ : left_; }
  /// Where the arcs are, that the windows do not share: those above, from the first row's on, and
  /// those below, up to the last row's. The window of row k has those from number k on, one less
  /// than there are rows. A piece may reach over the end of its row and of the arc.
  const std::vector<Piece>& pieces() const { return pieces_; }
  int arc_bytes() const { return arc_bytes_; }
  int first_arc(int row) const { return row * arc_bytes_; }
  int arcs_of_window() const { return (rows_ - 1) * arc_bytes_; }
  int all_arcs() const { return 2 * arcs_of_window(); }

  /// What the windows share, row by row and column by column: how far it reaches to both sides, or
  /// less than nothing, and its rows.
  int first_common_row() const { return rows_ - 1 - window_.radius; }
  int common_reach(int y) const { return std::min(reach_of(y), reach_of(y - rows_ + 1)); }
  IndexRange common_rows(int x) const {
    const int reach = reach_of(x);
    return {rows_ - 1 - reach, std::max(rows_ - 1 - reach, reach + 1)};
  }

 private:
  int reach_of(int y) const {
    const bool inside = y >= -window_.radius && y <= window_.radius;
    return inside ? window_.reach[static_cast<std::size_t>(y + window_.radius)] : -1;
  }

  const rank::Window& window_;
  int rows_, arc_bytes_ = 0;
  std::vector<Exchange> right_, left_;
  std::vector<Piece> pieces_;
};

/// The histograms of windows over `bytes`, which hold 255 where there is no sample; these may count
/// too, because a window's rank is that among the samples that there are.
template <int channels>
class SlidingHistograms {
 public:
  /// `bytes` are those of all windows, and of WindowGroup::more_rows below; `have` has samples.
  SlidingHistograms(const Keys<std::uint8_t>& bytes, Rect have, const rank::Window& window,
                    const WindowGroup& group, rank::Percentiles percentiles, bool has_alpha)
      : bytes_{bytes}, have_{have}, window_{window}, group_{group} {
    for (int c = 0; c < channels; ++c)
      percentiles_[c] = has_alpha && c == channels - 1 ? percentiles.alpha : percentiles.color;
    ranks_ = ranks_among(window.count);
    const std::size_t size = group.exchanges(1).size() * 2 * lanes;
    exchanged_.assign((size + rank_slack - 1) / rank_slack * rank_slack, 255);
    arcs_.resize(static_cast<std::size_t>(group.all_arcs()) + WindowGroup::piece_bytes +
                 rank_slack);
  }

  /// The byte of the wanted rank, and what is left of the rank among the samples with that byte.
  struct Found {
    std::uint8_t byte;
    int residual;
  };

  /// Calls found(x, y, Found of each channel) for every pixel of `out`.
  template <class F>
  void slide(Rect out, F found) {
    place(out.x, out.y);
    for (int step = 1;; step = -step) {
      for (int i = 0; i < out.width; ++i) {
        if (i % 256 == 0) cancellation_point();
        const int rows = std::min(group_.rows(), out.bottom() - y_);
        fetch_arcs();
        for (int k = 0; k < rows; ++k) {
          const int row = i % 2 == 0 ? k : rows - 1 - k;  // neighbors have neighboring bytes
          found(x_, y_ + row, find(row));
        }
        if (i + 1 < out.width) move_x(step);
      }
      if (y_ + group_.rows() >= out.bottom()) return;
      move_down();
    }
  }

 private:
  static constexpr int lanes = lanes_of(channels);

  void place(int x, int y) {
    x_ = x, y_ = y;
    histograms_ = {}, search_ = {};
    std::fill(search_.found + channels, search_.found + lanes, 255);
    for (int dy = group_.first_common_row(); dy <= window_.radius; ++dy) {
      const int reach = group_.common_reach(dy);
      for (int dx = -reach; dx <= reach; ++dx) count(x + dx, y + dy, 1);
    }
  }

  void move_x(int step) {
    const std::uint8_t* const middle = bytes_.at(x_, y_);
    std::uint8_t* to = exchanged_.data();
    const auto exchange = [&](const WindowGroup::Exchange& row, Histograms& histograms) {
      std::uint32_t fresh = 0, old = 0;
      std::memcpy(&fresh, middle + row.fresh, lanes);
      std::memcpy(&old, middle + row.old, lanes);
#pragma GCC unroll 4
      for (int c = 0; c < channels; ++c) {
        ++histograms[c][1 + (fresh >> 8 * c & 255)];
        --histograms[c][1 + (old >> 8 * c & 255)];
      }
      const std::uint64_t both = fresh | std::uint64_t{old} << 8 * lanes;
      std::memcpy(to, &both, 2 * lanes);
      to += 2 * lanes;
    };
    const auto& rows = group_.exchanges(step);
    const std::size_t even = rows.size() / 2 * 2;
    for (std::size_t i = 0; i < even; i += 2) {
      exchange(rows[i], histograms_[0]);
      exchange(rows[i + 1], histograms_[1]);
    }
    if (even < rows.size()) exchange(rows[even], histograms_[0]);
    count_below();
    x_ += step;
  }

  void move_down() {
    const int r = window_.radius, step = group_.rows();
    for (int dx = -r; dx <= r; ++dx) {
      const auto [begin, end] = group_.common_rows(dx);
      const int size = end - begin, moved = std::min(size, step);
      for (int i = 0; i < moved; ++i) {
        count(x_ + dx, y_ + begin + i, -1);
        count(x_ + dx, y_ + end + step - 1 - i, 1);
      }
    }
    y_ += step;
  }

  /// Adds a pixel to what is counted, or takes it away.
  void count(int x, int y, int times) {
    const std::uint8_t* pixel = bytes_.at(x, y);
    for (int c = 0; c < channels; ++c) histograms_[0][c][1 + pixel[c]] += times;
    for (int k = 0; k < 4; ++k) search_.below[k] += pixel[k % lanes] < search_.found[k] ? times : 0;
  }

  /// The part of the search in a step along x.
  void count_below() {
    std::uint8_t limits[8];
    int below[8];
    for (int k = 0; k < 8; ++k) limits[k] = static_cast<std::uint8_t>(search_.found[k % lanes]);
    rank_kernels().count_below(exchanged_.data(), static_cast<int>(exchanged_.size()), limits,
                               below);
    std::array<int, lanes> gained{};
    for (int k = 0; k < 8; ++k) gained[k % lanes] += k / lanes % 2 == 0 ? below[k] : -below[k];
    for (int k = 0; k < 4; ++k) search_.below[k] += gained[k % lanes];
  }

  void fetch_arcs() {
    const std::uint8_t* const middle = bytes_.at(x_, y_);
    std::uint8_t* const to = arcs_.data();
    for (const auto& piece : group_.pieces())
      std::memcpy(to + piece.to, middle + piece.from, WindowGroup::piece_bytes);
  }

  std::array<Found, channels> find(int row) {
    const auto ranks = ranks_at(x_, y_ + row);
    std::ranges::copy(ranks, search_.rank);
    if (group_.rows() == 1)
      search_alone();
    else
      rank_kernels().search(histograms_, arcs_.data() + group_.first_arc(row),
                            group_.arcs_of_window(), lanes, search_);
    std::array<Found, channels> found;
    for (int c = 0; c < channels; ++c)
      found[c] = {static_cast<std::uint8_t>(search_.found[c]), search_.residual[c]};
    return found;
  }

  /// Searches the histograms of windows that are all in them.
  void search_alone() {
    for (int c = 0; c < channels; ++c) {
      const int *a = &histograms_[0][c][1], *b = &histograms_[1][c][1], rank = search_.rank[c];
      int byte = search_.found[c], below = search_.below[c];
      while (below > rank) --byte, below -= a[byte] + b[byte];
      for (int more; below + (more = a[byte] + b[byte]) <= rank; ++byte) below += more;
      search_.found[c] = byte, search_.below[c] = below, search_.residual[c] = rank - below;
    }
    for (int k = channels; k < 4; ++k)
      search_.found[k] = search_.found[k % lanes], search_.below[k] = search_.below[k % lanes];
  }

  using Ranks = std::array<int, 4>;
  /// The ranks in a window of so many samples. A lane without channel is 255 everywhere.
  Ranks ranks_among(int count) const {
    Ranks ranks{};
    for (int k = 0; k < 4; ++k)
      if (k % lanes < channels) ranks[k] = rank::rank_of(count, percentiles_[k % lanes]);
    return ranks;
  }
  Ranks ranks_at(int x, int y) const {
    const int r = window_.radius;
    if (x - r >= have_.x && x + r < have_.right() && y - r >= have_.y && y + r < have_.bottom())
      return ranks_;
    int count = 0;
    for (int dy = std::max(-r, have_.y - y); dy <= std::min(r, have_.bottom() - 1 - y); ++dy) {
      const int reach = window_.reach[dy + r];
      count += std::max(0, std::min(x + reach + 1, have_.right()) - std::max(x - reach, have_.x));
    }
    return ranks_among(count);
  }

  const Keys<std::uint8_t>& bytes_;
  Rect have_;
  const rank::Window& window_;
  const WindowGroup& group_;
  std::array<double, channels> percentiles_;
  Ranks ranks_;  // in a whole window
  int x_ = 0, y_ = 0;
  /// To be added up. Neighboring rows, whose bytes are often the same, would wait for each other's
  /// counter.
  HistogramPair histograms_;
  RankSearch search_;
  std::vector<std::uint8_t> exchanged_;  // pairs of pixels: one that entered, one that left
  std::vector<std::uint8_t> arcs_;
};

}  // namespace cuda_filters::cpu
