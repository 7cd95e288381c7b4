// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

using Table = std::vector<double>;

/// Sums of a histogram that is clipped, as codes.
Table equalizing(const Table& histogram, double clip_limit) {
  const int bins = static_cast<int>(histogram.size());
  double counted = 0.0;
  for (const double count : histogram) counted += count;
  Table table(bins);
  if (counted == 0.0) {
    for (int i = 0; i < bins; ++i) table[i] = i;
    return table;
  }
  Table clipped = histogram;
  if (clip_limit > 0.0) {
    const double limit = std::max(std::floor(clip_limit * counted / bins), 1.0);
    double above = 0.0;
    for (double& count : clipped) {
      above += std::max(count - limit, 0.0);
      count = std::min(count, limit);
    }
    const double each = std::floor(above / bins);
    int rest = static_cast<int>(above - each * bins);
    for (double& count : clipped) count += each;
    const int step = rest > 0 ? std::max(bins / rest, 1) : 1;
    for (int i = 0; i < bins && rest > 0; i += step, --rest) ++clipped[i];
  }
  // In 32-bit floats, which decide where two codes are as near.
  const float scale = static_cast<float>(bins - 1) / static_cast<float>(counted);
  double sum = 0.0;
  for (int i = 0; i < bins; ++i) {
    sum += clipped[i];
    table[i] = std::min(std::rint(static_cast<float>(sum) * scale), static_cast<float>(bins - 1));
  }
  return table;
}

/// Where an index lies between the middles of tiles, in 32-bit floats.
struct Place {
  int before, after;
  float share;
  Place(int index, int tile, int tiles) {
    const float inverse = 1.0f / static_cast<float>(tile);
    const float place = static_cast<float>(index) * inverse - 0.5f;
    const int whole = static_cast<int>(std::floor(place));
    before = std::max(whole, 0), after = std::min(whole + 1, tiles - 1);
    share = place - static_cast<float>(whole);
  }
};

/// What becomes of the codes of a picture.
std::vector<double> equalized(const Picture& in, const std::vector<int>& codes, int bins,
                              int tiles_x, int tiles_y, double clip_limit) {
  const bool divides = in.width % tiles_x == 0 && in.height % tiles_y == 0;
  const int tile_width = in.width / tiles_x + (divides ? 0 : 1);
  const int tile_height = in.height / tiles_y + (divides ? 0 : 1);
  const auto index = [&](int x, int y) { return static_cast<std::size_t>(y) * in.width + x; };
  std::vector<double> result(codes.size());
  std::vector<Table> tables(static_cast<std::size_t>(tiles_x) * tiles_y);
  const auto table_of = [&](int tile_x, int tile_y) -> const Table& {
    Table& table = tables[static_cast<std::size_t>(tile_y) * tiles_x + tile_x];
    if (!table.empty()) return table;
    Table histogram(bins);
    for (int i = 0; i < tile_height; ++i)
      for (int j = 0; j < tile_width; ++j) {
        const std::size_t at =
            index(border_index(tile_x * tile_width + j, in.width, Border::reflect),
                  border_index(tile_y * tile_height + i, in.height, Border::reflect));
        if (in.pixels[at][3] > 0.0) ++histogram[codes[at]];
      }
    table = equalizing(histogram, clip_limit);
    return table;
  };
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const int code = codes[index(x, y)];
      const Place across{x, tile_width, tiles_x}, down{y, tile_height, tiles_y};
      const auto value = [&](int tile_x, int tile_y) {
        return static_cast<float>(table_of(tile_x, tile_y)[code]);
      };
      const auto mean = [&](int tile_y) {
        return value(across.before, tile_y) * (1.0f - across.share) +
               value(across.after, tile_y) * across.share;
      };
      result[index(x, y)] =
          std::rint(mean(down.before) * (1.0f - down.share) + mean(down.after) * down.share);
    }
  return result;
}

Picture apply(const Picture& in, const Values& values) {
  const int tiles_x = static_cast<int>(number(values[0]));
  const int tiles_y = static_cast<int>(number(values[1]));
  const double clip_limit = number(values[2]);
  const bool by_luminance = number(values[3]) == 0.0;
  const int bins = in.bytes ? 256 : 65536;
  const auto top = static_cast<float>(bins - 1);
  Picture out = recoded(in, Coding::srgb);
  for (int list = 0; list < (by_luminance ? 1 : 3); ++list) {
    // Codes go by 32-bit floats, too.
    const auto value_of = [&](const Color& color) {
      float inside[3];
      for (int c = 0; c < 3; ++c) inside[c] = static_cast<float>(std::clamp(color[c], 0.0, 1.0));
      if (!by_luminance) return inside[list];
      return inside[1] + (0.2126f * (inside[0] - inside[1]) + 0.0722f * (inside[2] - inside[1]));
    };
    std::vector<int> codes;
    for (const Color& color : out.pixels)
      codes.push_back(static_cast<int>(value_of(color) * top + 0.5f));
    const std::vector<double> wanted = equalized(out, codes, bins, tiles_x, tiles_y, clip_limit);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      Color& color = out.pixels[i];
      const double luminance = value_of(color);
      for (int c = 0; c < 3; ++c) {
        const double inside = std::clamp(color[c], 0.0, 1.0), beyond = color[c] - inside;
        if (by_luminance && codes[i] > 0)
          color[c] = inside * (wanted[i] / top / luminance) + beyond;
        else if (by_luminance)
          color[c] = inside + (wanted[i] / top - luminance) + beyond;
        else if (c == list)
          color[c] = wanted[i] / top + beyond;
      }
    }
  }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_clahe{
    "clahe",
    apply,
    {{8.0, 8.0, 2.0, 0.0}, {1.0, 1.0, 0.0, 0.0}, {3.0, 5.0, 0.0, 0.0}, {2.0, 1.0, 40.0, 1.0}},
    [](const Values&) { return 1e-5; },
    nullptr,
    nullptr,
    nullptr,
    true};

}  // namespace cuda_filters::reference
