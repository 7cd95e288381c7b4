// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The inner loops of windows' extremes, for keys of one size. What is written overlaps nothing
/// that is read, unless it is said.
template <class Key>
struct ExtremumKernel {
  /// extremum::key_of() and code_of(), of rows; in and out may be the same.
  void (*to_keys)(const Key* codes, std::size_t count, Key infinity, bool least, Key* keys);
  void (*to_codes)(const Key* keys, std::size_t count, Key infinity, bool least, Key* codes);
  /// to = the larger ones of two rows.
  void (*larger)(const Key* a, const Key* b, std::size_t count, Key* to);
  /// to = the largest ones of two rows and of what `to` has.
  void (*raise)(const Key* a, const Key* b, std::size_t count, Key* to);
  /// The same for two rows of them.
  void (*raise_two)(const Key* a, const Key* b, std::size_t count, Key* to, Key* other);
};

/// Compiled for each level as Kernels are.
struct ExtremumKernels {
  ExtremumKernel<std::uint8_t> bytes;
  ExtremumKernel<std::uint16_t> words;
  ExtremumKernel<std::uint32_t> double_words;
};

}  // namespace cuda_filters::cpu
