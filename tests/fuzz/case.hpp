// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/memory_image.hpp"

namespace cuda_filters::fuzz {

/// How the samples of a picture are chosen.
enum class Pixels {
  plain,    ///< of a usual picture
  flat,     ///< all alike
  zero,     ///< all 0, alpha too
  special,  ///< of a usual picture, but some are infinite, NaN, huge, tiny or negative
  bits,     ///< any bits
};

/// What a run goes through, beside the processor with one thread.
enum class Device {
  cpu,      ///< the processor with more threads
  cramped,  ///< the same, in bands as low as they can be
  remote,   ///< the same, which behaves as a GPU does
};

/// A picture of a case.
struct PictureCase {
  Size size{};
  Format format{};
  bool srgb = false;
};

/// A run, as a line of text says it: `31x17 rgba-u8 region=0,0,31,17 threads=3 : gaussian-blur`.
struct Case {
  PictureCase in{};
  Rect region{};
  unsigned seed = 1, mask = 0;  ///< a mask of 0: all is selected
  Pixels pixels = Pixels::plain;
  Device device = Device::cpu;
  int threads = 2;
  int cancel = 0;  ///< at which question of a run the observer cancels it, or 0
  bool in_view = false, out_view = false;
  std::optional<PictureCase> aux{};
  int aux_x = 0, aux_y = 0;
  std::string steps{};
};

/// Reads a case, or nothing if the text is none, or of more than two million pixels.
std::optional<Case> parse_case(std::string_view text);
std::string text_of(const Case& from);

/// Draws a case that takes a processor about a few milliseconds.
Case random_case(std::mt19937& random);

/// The pictures of a case.
MemoryImage make_picture(const PictureCase& from, Pixels pixels, unsigned seed);
std::vector<std::uint8_t> make_mask(const Case& from);

/// The job that the steps name, a chain if there are several. Throws as make_job().
ResolvedJob make_case_job(const Case& from);

/// About how many seconds one core takes for it.
double seconds_of(const Case& from, const ResolvedJob& job);

}  // namespace cuda_filters::fuzz
