// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/algorithms/rank/rank.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loops of the medians of one window, for keys of one size. They may touch `rank_slack`
/// bytes more than they were asked for.
template <class Key>
struct MedianKernel {
  /// Sorts keys[i], keys[i + step], … of a row, 2 · radius + 1 of them, as rank::SmallWindow has
  /// them: number j of sample i < count goes to sorted[j · stride + i].
  void (*sort_row)(const Key* keys, int step, int count, Key* sorted, std::size_t stride);
  /// The medians of four rows from 2 · radius + 4 sorted rows, from top to bottom; those of row k
  /// go to medians + k · stride.
  void (*four_rows)(const Key* const* sorted, std::size_t stride, int count, Key* medians);
};

/// Those of squares and of circles, [radius - 1]; the smallest circle is a square.
template <class Key>
struct MedianKernels {
  MedianKernel<Key> squares[rank::network_radius];
  MedianKernel<Key> circles[rank::network_radius];
};
inline constexpr int rank_slack = 64;

/// [channel][1 + byte]: how many there are. Nothing is before the first one and after the last one.
using Histograms = std::array<std::array<int, 1 + 256 + 1>, 4>;
/// To be added up, both of them, whose counts may be negative.
using HistogramPair = std::array<Histograms, 2>;

/// The state of a search for bytes of given ranks, in four lanes, of which the channels are the
/// first ones; the others repeat them.
struct RankSearch {
  int rank[4];      ///< wanted, among all
  int found[4];     ///< the byte of that rank, and before the search any byte
  int below[4];     ///< how many in the histograms are below it
  int residual[4];  ///< its rank among those that are equal
};

/// Compiled once for each level of the instruction set.
struct RankKernels {
  MedianKernels<std::uint8_t> bytes;
  MedianKernels<std::uint16_t> words;
  MedianKernels<std::uint32_t> double_words;
  /// below[k] = how many of every eighth byte from k on are below limits[k], for k < 8. `size` is a
  /// multiple of rank_slack.
  void (*count_below)(const std::uint8_t* bytes, int size, const std::uint8_t* limits, int* below);
  /// Searches the histograms and `size` more bytes of pixels of 1, 2 or 4 lanes, a multiple of
  /// that, which are together more than any rank. It may touch rank_slack bytes more.
  void (*search)(const HistogramPair& histograms, const std::uint8_t* more, int size, int lanes,
                 RankSearch& search);
};

}  // namespace cuda_filters::cpu
