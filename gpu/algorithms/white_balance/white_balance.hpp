// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/algorithms/quantiles/quantiles.hpp"
#include "gpu/core/pixel.hpp"

// The white of a picture by Chikane and Fuh, "Automatic white balance for digital still cameras",
// Journal of Information Science and Engineering 22, 2006, section 4. What decides is computed in
// whole numbers, so that it is the same on every device.

namespace cuda_filters::white_balance {

struct WhiteBalanceSettings {
  double luma = 210.0, chroma = 3.0;  ///< of a candidate: the least Y, and the largest |Cr|, |Cb|
  bool equalize = true;
};

/// Y, Cr and Cb by ITU-R BT.601 of colors in 16-bit codes: 1000 Y, 1402 Cr, 1772 Cb.
struct Tone {
  int y, cr, cb;

  /// Orders by Y, then by how near Cr and Cb are to 0, then by anything.
  HOST_DEVICE bool brighter_than(const Tone& other) const {
    if (y != other.y) return y > other.y;
    if (distance() != other.distance()) return distance() < other.distance();
    return cr != other.cr ? cr > other.cr : cb > other.cb;
  }
  HOST_DEVICE std::int64_t distance() const {
    const std::int64_t a = std::int64_t{cr < 0 ? -cr : cr} * 1772;
    const std::int64_t b = std::int64_t{cb < 0 ? -cb : cb} * 1402;
    return a > b ? a : b;
  }
};

/// Finds the tone of a pixel, with the equalised codes of each color's levels or with its own.
struct ToneOf {
  const std::uint16_t* equalized;  ///< [color][level], or null
  KeyRules rules;

  HOST_DEVICE int code(float value, int c) const {
    // In double: a float times 65535 is exact there.
    if (equalized == nullptr) {
      const double code = double{value} * 65535.0 + 0.5;
      return static_cast<int>(code < 0.0 ? 0.0 : code > 65535.0 ? 65535.0 : code);
    }
    const int levels = static_cast<int>(rules.top) + 1;
    return equalized[c * levels + static_cast<int>(code_of(value, rules.top))];
  }
  /// False if a color is not finite.
  HOST_DEVICE bool operator()(const Pixel& p, Tone& tone) const {
    const float sum = p.r + p.g + p.b;
    if (!(sum - sum == 0.0f)) return false;
    const int r = code(p.r, 0), g = code(p.g, 1), b = code(p.b, 2);
    const int y = 299 * r + 587 * g + 114 * b;
    tone = {y, 1000 * r - y, 1000 * b - y};
    return true;
  }
};

/// A sum of colors.
struct ColorSum {
  std::uint64_t count = 0;
  double sums[3] = {0.0, 0.0, 0.0};

  HOST_DEVICE void add(const Pixel& p) {
    ++count;
    sums[0] += double{p.r}, sums[1] += double{p.g}, sums[2] += double{p.b};
  }
  HOST_DEVICE void merge(const ColorSum& other) {
    count += other.count;
    for (int c = 0; c < 3; ++c) sums[c] += other.sums[c];
  }
  double mean(int c) const { return sums[c] / static_cast<double>(count); }
};

/// All finite colors.
struct AddColor {
  HOST_DEVICE void operator()(ColorSum& total, const Pixel& p) const {
    const float sum = p.r + p.g + p.b;
    if (sum - sum == 0.0f) total.add(p);
  }
};

/// The least and the largest of each part of a tone.
struct Box {
  Tone low, high;
  HOST_DEVICE bool contains(const Tone& t) const {
    return t.y >= low.y && t.y <= high.y && t.cr >= low.cr && t.cr <= high.cr && t.cb >= low.cb &&
           t.cb <= high.cb;
  }
};

/// The pixels that may be white.
struct Candidates {
  std::uint64_t count = 0;
  std::int64_t y = 0, cr = 0, cb = 0;  ///< sums
  Tone brightest{-1, 0, 0};

  HOST_DEVICE void merge(const Candidates& other) {
    count += other.count;
    y += other.y, cr += other.cr, cb += other.cb;
    if (other.brightest.brighter_than(brightest)) brightest = other.brightest;
  }
};
struct AddCandidate {
  ToneOf tone_of;
  Box box;
  HOST_DEVICE void operator()(Candidates& total, const Pixel& p) const {
    Tone tone{};
    if (tone_of(p, tone) && box.contains(tone)) total.merge({1, tone.y, tone.cr, tone.cb, tone});
  }
};

/// The colors whose tones lie in a box.
struct AddWithin {
  ToneOf tone_of;
  Box box;
  HOST_DEVICE void operator()(ColorSum& total, const Pixel& p) const {
    Tone tone{};
    if (tone_of(p, tone) && box.contains(tone)) total.add(p);
  }
};

/// What is found of a picture, pass by pass: its histograms and its mean; the candidates; the
/// mean color of those between the brightest and the average one, which is the white.
struct WhiteAnalysis {
  int pass = 0;
  Histograms histograms;
  ColorSum all, white;
  Candidates candidates;
  std::vector<std::uint16_t> equalized;  ///< codes by color and level, or none
  Box box{};
  int cast = -1;                        ///< the channel that there is too much of, or none
  float gains[3] = {1.0f, 1.0f, 1.0f};  ///< what colors are to be multiplied with

  /// Ends a pass; true if there must be another.
  bool next(const WhiteBalanceSettings& settings);
};
inline constexpr int passes = 3;

/// Adds the pixels of `area` to an analysis.
template <class Exec>
void add(Exec& exec, const typename Exec::Input& in, Rect area,
         const WhiteBalanceSettings& settings, WhiteAnalysis& analysis) {
  if (analysis.pass == 0) {
    if (settings.equalize) collect_histograms(exec, in, area, analysis.histograms);
    return exec.reduce(in, area, analysis.all, AddColor{});
  }
  const auto equalized = exec.upload(analysis.equalized);
  const ToneOf tone_of{settings.equalize ? equalized.data() : nullptr, analysis.histograms.rules()};
  if (analysis.pass == 1)
    exec.reduce(in, area, analysis.candidates, AddCandidate{tone_of, analysis.box});
  else
    exec.reduce(in, area, analysis.white, AddWithin{tone_of, analysis.box});
}

}  // namespace cuda_filters::white_balance
