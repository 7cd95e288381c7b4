// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// The tables of the four tiles around pixels, of one list: left above, right above, left below and
/// right below. One number behind each table is read, too.
struct FourTables {
  const std::uint16_t* of[4];
  const float* together;  ///< [code][table], or null
  float share;            ///< of the lower ones
};

/// The inner loops of equalize_tiles(), with the bits of clahe.hpp; compiled for each level as
/// Kernels are.
struct ClaheKernels {
  /// together[4 · code + table] = of[table][code] for `bins` codes, a multiple of 16.
  void (*interleave)(const std::uint16_t* const* of, int bins, float* together);
  /// What `count` codes, each the first of so many channels, become between the tables, by the
  /// shares of the right ones; in and out may be the same.
  void (*equalize_bytes)(const FourTables& tables, const float* shares, int count, int channels,
                         const std::uint8_t* from, std::uint8_t* to);
  void (*equalize_words)(const FourTables& tables, const float* shares, int count, int channels,
                         const std::uint16_t* from, std::uint16_t* to);
  /// What `count` working pixels become: of one of three lists a color by itself, of a single one
  /// the colors by their luminance, or, unless it has `color`, a gray value.
  void (*equalize_pixels)(const FourTables& tables, const float* shares, int count, int lists,
                          int list, bool color, float top, float* pixels);
  /// clahe::counted_code() of `count` working pixels; `bins` are top + 1.
  void (*count_words)(const float* pixels, int count, int lists, int list, float top,
                      std::uint16_t* codes);
  void (*count_double_words)(const float* pixels, int count, int lists, int list, float top,
                             std::uint32_t* codes);
};

}  // namespace cuda_filters::cpu
