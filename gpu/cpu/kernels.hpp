// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/cpu/levels.hpp"

namespace cuda_filters::cpu {

/// How stored samples become working pixels and back; the tables are those of Curve, or null.
struct Codec {
  Format format;
  Alpha alpha;
  const float* values[3];
  const float* thresholds[3];
  const std::uint16_t* buckets[3];
  TransferTerms decoding, encoding;  ///< of floats, if they have a transfer
  bool transfers;
};
Codec make_codec(const Encoding& encoding, Alpha alpha);

/// Floats in the widest vector that any level uses; buffers of the kernels have this much slack.
inline constexpr int lanes = 16;

/// The inner loops, compiled once for each level (see levels.hpp): those of every filter here,
/// those of algorithms in their folders. Rows of pixels are rows of floats here, four a pixel;
/// every loop may touch up to `lanes` floats more than it was asked for.
struct Kernels {
  /// `count` stored pixels to working pixels, premultiplied under Alpha::premultiplied.
  void (*decode)(const Codec& codec, const std::byte* codes, int count, float* pixels);
  /// Encodes working pixels. `original` are the codes of the same pixels before the filter: the
  /// alpha of Alpha::passthrough, and the color where Alpha::premultiplied leaves no alpha, come
  /// from there.
  void (*encode)(const Codec& codec, const float* pixels, const std::byte* original, int count,
                 std::byte* codes);
  /// Samples of an integer format through the table of their channel: codes[i] = tables[c][in[i]].
  void (*look_up)(const Format& format, const void* const* tables, const std::byte* in, int count,
                  std::byte* codes);
  /// Samples of three rows, of 1, 2 or 4 bytes, as `count` pixels of three; and the way back.
  void (*interleave)(const std::byte* const* rows, std::size_t sample_bytes, int count,
                     std::byte* pixels);
  void (*deinterleave)(const std::byte* pixels, std::size_t sample_bytes, int count,
                       std::byte* const* rows);
  /// Converts the colors of `count` pixels to another light.
  void (*transfer)(const TransferTerms& terms, int count, float* pixels);
};

}  // namespace cuda_filters::cpu
