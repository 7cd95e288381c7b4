// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/heal/levels.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/cancellation.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::heal {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::size_t pixels_of(Size size) { return static_cast<std::size_t>(size.width) * size.height; }

/// Whether a pixel for which `is` says so lies within `x` columns and `y` rows of each one.
template <class Is>
Bytes dilated(Size size, int x, int y, Is is) {
  x = std::min(x, size.width), y = std::min(y, size.height);
  const auto row = [&](int index) { return static_cast<std::size_t>(index) * size.width; };
  Bytes across(pixels_of(size)), result(pixels_of(size));
  for (int j = 0; j < size.height; ++j) {
    cancellation_point();
    int count = 0;
    for (int i = 0; i < x; ++i) count += is(row(j) + i) ? 1 : 0;
    for (int i = 0; i < size.width; ++i) {
      if (i + x < size.width) count += is(row(j) + i + x) ? 1 : 0;
      if (i - x - 1 >= 0) count -= is(row(j) + i - x - 1) ? 1 : 0;
      across[row(j) + i] = count > 0 ? 1 : 0;
    }
  }
  std::vector<int> counts(size.width);
  const auto add = [&](int j, int sign) {
    for (int i = 0; i < size.width; ++i) counts[i] += sign * across[row(j) + i];
  };
  for (int j = 0; j < y; ++j) add(j, 1);
  for (int j = 0; j < size.height; ++j) {
    if (j + y < size.height) add(j + y, 1);
    if (j - y - 1 >= 0) add(j - y - 1, -1);
    for (int i = 0; i < size.width; ++i) result[row(j) + i] = counts[i] > 0 ? 1 : 0;
  }
  return result;
}

/// The rectangle around all pixels of a picture that are not 0; empty if there are none.
Rect bounds_of(Size size, const Bytes& pixels) {
  int left = size.width, right = -1, top = size.height, bottom = -1;
  for (int y = 0; y < size.height; ++y) {
    const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(y) * size.width;
    const auto end = begin + size.width;
    const auto first = std::find_if(begin, end, [](std::uint8_t p) { return p != 0; });
    if (first == end) continue;
    top = std::min(top, y), bottom = y;
    left = std::min(left, static_cast<int>(first - begin));
    int last = size.width - 1;
    while (begin[last] == 0) --last;
    right = std::max(right, last);
  }
  return bottom < 0 ? Rect{} : Rect{left, top, right + 1 - left, bottom + 1 - top};
}

/// Fills in how deep the pixels of the hole lie, by a pass to the right and down and one back.
void find_depths(Level& level) {
  const Rect box = level.box;
  constexpr int deepest = 0xffff;
  level.depth.resize(static_cast<std::size_t>(box.width) * box.height);
  const auto depth = [&](int x, int y) -> std::uint16_t& {
    return level.depth[static_cast<std::size_t>(y) * box.width + x];
  };
  for (int y = 0; y < box.height; ++y)
    for (int x = 0; x < box.width; ++x) {
      const std::size_t pixel = static_cast<std::size_t>(box.y + y) * level.size.width + box.x + x;
      depth(x, y) = level.role[pixel] == hole ? deepest : 0;
    }
  const auto visit = [&](int x, int y, int back) {
    int least = depth(x, y);
    if (least == 0) return;
    const auto look = [&](int other_x, int other_y) {
      if (other_x < 0 || other_y < 0 || other_x >= box.width || other_y >= box.height) return;
      least = std::min(least, depth(other_x, other_y) + 1);
    };
    look(x - back, y);
    for (int dx = -1; dx <= 1; ++dx) look(x + dx, y - back);
    depth(x, y) = static_cast<std::uint16_t>(least);
  };
  for (int y = 0; y < box.height; ++y) {
    cancellation_point();
    for (int x = 0; x < box.width; ++x) visit(x, y, 1);
  }
  for (int y = box.height - 1; y >= 0; --y) {
    cancellation_point();
    for (int x = box.width - 1; x >= 0; --x) {
      visit(x, y, -1);
      level.thickness = std::max<int>(level.thickness, depth(x, y));
    }
  }
}

/// At most some thousand of all sources, as far apart as they can be in their order.
std::vector<int> samples_of(const Bytes& source) {
  constexpr std::ptrdiff_t max_samples = 4096;
  const std::ptrdiff_t all = std::count(source.begin(), source.end(), 1);
  std::vector<int> samples;
  const std::ptrdiff_t every = std::max<std::ptrdiff_t>((all + max_samples - 1) / max_samples, 1);
  std::ptrdiff_t seen = 0;
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] != 0 && seen++ % every == 0) samples.push_back(static_cast<int>(i));
  return samples;
}

/// Finds what follows from the roles of a level, `scale` times as coarse as the picture.
void find_pixels(Level& level, const HealSettings& settings, int scale) {
  const Size size = level.size;
  const int radius = settings.radius();
  const auto is_hole = [&](std::size_t i) { return level.role[i] == hole; };
  const Bytes target = dilated(size, radius, radius, is_hole);
  level.box = bounds_of(size, target);
  find_depths(level);
  cancellation_point();
  for (int y = level.box.y; y < level.box.bottom(); ++y)
    for (int x = level.box.x; x < level.box.right(); ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * size.width + x;
      if (target[i] != 0) level.targets.push_back(static_cast<int>(i));
      if (is_hole(i)) level.holes.push_back(static_cast<int>(i));
    }
  const Bytes unfit =
      dilated(size, radius, radius, [&](std::size_t i) { return level.role[i] != takeable; });
  // The middle of a patch lies further away than its edge.
  const int distance = settings.distance_at(scale) + radius;
  const bool everywhere = settings.search == SearchArea::everywhere;
  const Bytes near =
      everywhere
          ? Bytes{}
          : dilated(size, distance, settings.search == SearchArea::sides ? 0 : distance, is_hole);
  level.source.assign(pixels_of(size), 0);
  for (int y = radius; y < size.height - radius; ++y)
    for (int x = radius; x < size.width - radius; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * size.width + x;
      level.source[i] = unfit[i] == 0 && (everywhere || near[i] != 0) ? 1 : 0;
    }
  level.samples = samples_of(level.source);
}

/// The next coarser level: the hole has all pixels that part of it falls on.
Level halved(const Level& fine) {
  Level coarse;
  coarse.size = {(fine.size.width + 1) / 2, (fine.size.height + 1) / 2};
  coarse.role.resize(pixels_of(coarse.size));
  for (int y = 0; y < coarse.size.height; ++y)
    for (int x = 0; x < coarse.size.width; ++x) {
      int any = 0, all = takeable;
      for (int k = 0; k < 4; ++k) {
        const int column = std::min(2 * x + k % 2, fine.size.width - 1);
        const int row = std::min(2 * y + k / 2, fine.size.height - 1);
        const int role = fine.role[static_cast<std::size_t>(row) * fine.size.width + column];
        any |= role & hole, all &= role;
      }
      coarse.role[static_cast<std::size_t>(y) * coarse.size.width + x] =
          static_cast<std::uint8_t>(any != 0 ? any : all);
    }
  return coarse;
}

/// As few places to take from as make sense.
constexpr std::size_t least_sources = 64;

[[noreturn]] void refuse(const Level& level, const HealSettings& settings) {
  const int side = 2 * settings.radius() + 1;
  throw ArgumentError{format_text(
      tr(N_("Patches can be taken from only %d places of %d × %d pixels, and at least %d are "
            "needed. Select less, choose a larger distance or smaller patches, or make more of the "
            "layer white that says where they may be taken from.")),
      static_cast<int>(level.samples.size()), side, side, static_cast<int>(least_sources))};
}

}  // namespace

std::vector<std::vector<int>> Level::layers() const {
  std::vector<std::vector<int>> layers(thickness);
  for (const int pixel : holes) {
    const int x = pixel % size.width - box.x, y = pixel / size.width - box.y;
    layers[depth[static_cast<std::size_t>(y) * box.width + x] - 1].push_back(pixel);
  }
  return layers;
}

void check_size(Size size) {
  constexpr double max_pixels = 0x1p31 - 0x1p20;  // an int counts them, and some more
  if (size.pixels() < max_pixels) return;
  throw ArgumentError{
      tr(N_("The selection and what is around it are too large together. Choose a smaller "
            "distance, or select less at a time."))};
}

std::vector<Level> levels_of(Size size, std::vector<std::uint8_t> roles,
                             const HealSettings& settings) {
  std::vector<Level> levels(1);
  levels[0].size = size;
  levels[0].role = std::move(roles);
  find_pixels(levels[0], settings, 1);
  if (levels[0].holes.empty())
    throw ArgumentError{
        tr(N_("Nothing is selected. Select what is to be replaced, with a little around it."))};
  if (levels[0].samples.size() < least_sources) refuse(levels[0], settings);
  for (int scale = 2; levels.back().thickness > settings.radius() && scale < (1 << 16);
       scale *= 2) {
    Level next = halved(levels.back());
    find_pixels(next, settings, scale);
    if (next.samples.size() < least_sources) break;
    levels.push_back(std::move(next));
  }
  return levels;
}

}  // namespace cuda_filters::heal
