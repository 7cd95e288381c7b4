// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Y, 1.402 Cr and 1.772 Cb, of codes up to 65535, times 1000: whole numbers.
using Tone = std::array<double, 3>;

double rounded_share(double value, double top) {
  return std::floor(std::clamp(value, 0.0, 1.0) * top + 0.5);
}

/// Replaces colors by 16-bit codes, equalised: 256 levels on 8-bit pictures, 2048 on others.
std::vector<Color> codes_of(const std::vector<Color>& colors, bool bytes, bool equalize) {
  const double top = bytes ? 255.0 : 2047.0;
  std::vector<Color> codes = colors;
  for (int c = 0; c < 3; ++c) {
    std::vector<double> levels;
    for (const Color& color : colors) levels.push_back(rounded_share(color[c], top));
    std::vector<double> sorted = levels;
    std::ranges::sort(sorted);
    const double lowest = std::ranges::count(levels, sorted.front());
    const double others = static_cast<double>(levels.size()) - lowest;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const double up_to = std::ranges::upper_bound(sorted, levels[i]) - sorted.begin() - lowest;
      const double share = others > 0.0 ? up_to / others : levels[i] / top;
      codes[i][c] = rounded_share(equalize ? share : colors[i][c], 65535.0);
    }
  }
  return codes;
}

double luma(const double* color) { return 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]; }

/// Makes `color`'s channel c its luma.
double gain(const double* color, int c) { return color[c] > 0.0 ? luma(color) / color[c] : 1.0; }

Picture apply(const Picture& in, const Values& values) {
  Picture out = recoded(in, Coding::srgb);
  std::vector<Color> colors;
  for (const Color& color : out.pixels)
    if (color[3] > 0.0) colors.push_back(color);
  if (colors.empty()) return in;

  double means[3] = {};
  for (const Color& color : colors)
    for (int c = 0; c < 3; ++c) means[c] += color[c] / static_cast<double>(colors.size());
  const double r = 255.0 * means[0], g = 255.0 * means[1], b = 255.0 * means[2];
  int cast = -1;
  if (b + 3.0 >= g && b > r)
    cast = 2;
  else if (g + 3.0 > r && r > b)
    cast = 1;
  else if (r > g && g > b)
    cast = 0;
  if (cast < 0) return in;

  std::vector<Tone> tones;
  for (const Color& code : codes_of(colors, in.bytes, number(values[2]) == 1.0)) {
    const double y = 299.0 * code[0] + 587.0 * code[1] + 114.0 * code[2];
    tones.push_back({y, 1000.0 * code[0] - y, 1000.0 * code[2] - y});
  }
  const double luma_limit = number(values[0]) * 257000.0, chroma_limit = number(values[1]) * 257.0;
  const auto near_gray = [](const Tone& t) {
    return std::max(std::abs(t[1]) * 1772.0, std::abs(t[2]) * 1402.0);
  };
  Tone brightest{-1.0, 0.0, 0.0}, average{};
  double candidates = 0.0;
  for (const Tone& t : tones) {
    if (t[0] < luma_limit || std::abs(t[1]) > chroma_limit * 1402.0 ||
        std::abs(t[2]) > chroma_limit * 1772.0)
      continue;
    ++candidates;
    for (int i = 0; i < 3; ++i) average[i] += t[i];
    if (std::tuple{t[0], -near_gray(t), t[1], t[2]} >
        std::tuple{brightest[0], -near_gray(brightest), brightest[1], brightest[2]})
      brightest = t;
  }
  if (candidates == 0.0) return in;
  for (double& part : average) part /= candidates;

  double white[3] = {}, within = 0.0;
  for (std::size_t i = 0; i < tones.size(); ++i) {
    bool inside = true;
    for (int k = 0; k < 3; ++k)
      inside = inside && tones[i][k] >= std::min(brightest[k], average[k]) &&
               tones[i][k] <= std::max(brightest[k], average[k]);
    if (!inside) continue;
    ++within;
    for (int c = 0; c < 3; ++c) white[c] += colors[i][c];
  }
  for (double& part : white) part /= within;
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c) color[c] *= gain(c == cast ? means : white, c);
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_white_balance{
    "white-balance",
    apply,
    {{210.0, 3.0, 1.0}, {150.0, 20.0, 1.0}, {120.0, 20.0, 0.0}, {60.0, 64.0, 0.0}},
    [](const Values&) { return 1e-5; }};

}  // namespace cuda_filters::reference
