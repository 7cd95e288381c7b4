// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/white_balance/white_balance.hpp"

#include <algorithm>
#include <cmath>

namespace cuda_filters::white_balance {
namespace {

constexpr double codes_of_255 = 65535.0 / 255.0;

/// The channel that a picture of these mean colors, in /255, has too much of; -1: none.
int find_cast(double r, double g, double b) {
  if (b + 3.0 >= g && b > r) return 2;
  if (g + 3.0 > r && r > b) return 1;
  return r > g && g > b ? 0 : -1;
}

/// Histogram equalization. The code of a level is
///     65535 · (pixels up to the level - those of the first) / (all pixels - those of the first);
/// a channel that has only one level stays as it is.
std::vector<std::uint16_t> equalize(const Histograms& histograms) {
  std::vector<std::uint16_t> codes;
  const std::uint64_t top = histograms.levels() - 1;
  for (const auto& counts : histograms.counts) {
    const auto first = std::ranges::find_if(counts, [](std::uint64_t n) { return n > 0; });
    std::uint64_t all = 0, up_to = 0;
    for (auto n = first; n != counts.end(); ++n) all += *n;
    if (first != counts.end()) all -= *first;
    for (std::uint64_t level = 0; level <= top; ++level) {
      if (counts.begin() + static_cast<std::ptrdiff_t>(level) > first) up_to += counts[level];
      const std::uint64_t of = all > 0 ? all : top, part = all > 0 ? up_to : level;
      codes.push_back(static_cast<std::uint16_t>((65535 * part + of / 2) / of));
    }
  }
  return codes;
}

Box candidates_box(const WhiteBalanceSettings& settings) {
  const double chroma = settings.chroma * codes_of_255;
  const int y = static_cast<int>(std::ceil(settings.luma * codes_of_255 * 1000.0));
  const int cr = static_cast<int>(chroma * 1402.0), cb = static_cast<int>(chroma * 1772.0);
  return {{y, -cr, -cb}, {std::numeric_limits<int>::max(), cr, cb}};
}

/// From the brightest candidate to the average one.
Box white_box(const Candidates& candidates) {
  Box box{};
  const auto limit = [&](int Tone::*part, std::int64_t sum) {
    const double one = candidates.brightest.*part;
    const double other = static_cast<double>(sum) / static_cast<double>(candidates.count);
    box.low.*part = static_cast<int>(std::ceil(std::min(one, other)));
    box.high.*part = static_cast<int>(std::floor(std::max(one, other)));
  };
  limit(&Tone::y, candidates.y);
  limit(&Tone::cr, candidates.cr);
  limit(&Tone::cb, candidates.cb);
  return box;
}

double luma(const ColorSum& color) {
  return 0.299 * color.mean(0) + 0.587 * color.mean(1) + 0.114 * color.mean(2);
}

/// What makes `color` gray; 1 where there is nothing to multiply.
float gain(const ColorSum& color, int c) {
  return color.mean(c) > 0.0 ? static_cast<float>(luma(color) / color.mean(c)) : 1.0f;
}

}  // namespace

bool WhiteAnalysis::next(const WhiteBalanceSettings& settings) {
  switch (pass++) {
    case 0:
      if (all.count > 0)
        cast = find_cast(255.0 * all.mean(0), 255.0 * all.mean(1), 255.0 * all.mean(2));
      if (settings.equalize) equalized = equalize(histograms);
      box = candidates_box(settings);
      return cast >= 0;
    case 1:
      if (candidates.count == 0) return false;
      box = white_box(candidates);
      return true;
    default:
      for (int c = 0; c < 3; ++c) gains[c] = gain(c == cast ? all : white, c);
      return false;
  }
}

}  // namespace cuda_filters::white_balance
