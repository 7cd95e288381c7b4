// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/core/rank.hpp"

namespace cuda_filters::cpu {

/// The inner loops of small square medians, for keys of one size; [radius - 1]. They may touch
/// `rank_slack` bytes more than they were asked for.
template <class Key>
struct MedianKernels {
  /// sorted[j · stride + i] = the j-th smallest of keys[i], keys[i + step], …, for i < count.
  void (*sort_runs[rank::network_radius])(const Key* keys, int step, int count, Key* sorted,
                                          std::size_t stride);
  /// The medians of two rows from 2 · radius + 2 rows of sorted runs, from top to bottom.
  void (*two_rows[rank::network_radius])(const Key* const* runs, std::size_t stride, int count,
                                         Key* first, Key* second);
};
inline constexpr int rank_slack = 64;

/// Compiled once for each level of the instruction set.
struct RankKernels {
  MedianKernels<std::uint8_t> bytes;
  MedianKernels<std::uint16_t> words;
  MedianKernels<std::uint32_t> doubles;
  /// below[k] = how many of every eighth byte from k on are below limits[k], for k < 8. `size` is a
  /// multiple of rank_slack.
  void (*count_below)(const std::uint8_t* bytes, int size, const std::uint8_t* limits, int* below);
};

/// The best level's.
const RankKernels& rank_kernels();

}  // namespace cuda_filters::cpu
