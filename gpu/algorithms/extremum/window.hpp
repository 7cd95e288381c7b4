// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <vector>

#include "gpu/core/border.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The extremes of windows of any shape, planned here once for every executor. A sample becomes one
/// of the samples around it, so that they work on the stored codes, each channel by itself.
namespace cuda_filters::extremum {

enum class Shape { square, disc, diamond, horizontal, vertical };

/// The pixels around one that take part. A disc has dx² + dy² <= (radius + ½)², in whole numbers
/// radius² + radius.
struct Window {
  Shape shape;
  int radius;

  constexpr Halo reach() const {
    return {shape == Shape::vertical ? 0 : radius, shape == Shape::horizontal ? 0 : radius};
  }
  /// Whether each row of it has the same pixels.
  constexpr bool is_rectangle() const { return shape != Shape::disc && shape != Shape::diamond; }
};

/// How far a window reaches to either side in each of its rows, [|dy|]: as far as that makes a
/// difference in an image of that size, in which nothing is farther away than it is large, and
/// beyond whose ends there is nothing, or the same once more. No row reaches farther than the one
/// before.
inline std::vector<int> half_widths(const Window& window, Size image) {
  const int radius = window.radius;
  std::vector<int> widths;
  int half = window.reach().x;
  for (int dy = 0; dy <= std::min(window.reach().y, image.height); ++dy) {
    if (window.shape == Shape::diamond) half = radius - dy;
    if (window.shape == Shape::disc)
      while (half * half + dy * dy > radius * radius + radius) --half;
    widths.push_back(std::min(half, image.width));
  }
  return widths;
}

/// The part of a padded image that windows cover. Borders that repeat the image as in a mirror, or
/// its last pixels, lead to pixels that are nearer than what they stand for, and therefore in the
/// window, as all shapes are symmetric and have no hollows along the axes: an extreme is the same
/// without them. Only Border::wrap shows others.
inline Rect covered(Rect padded, Rect image, Border border) {
  if (border == Border::wrap) return padded;
  const int x = std::max(padded.x, image.x), y = std::max(padded.y, image.y);
  return {x, y, std::max(0, std::min(padded.right(), image.right()) - x),
          std::max(0, std::min(padded.bottom(), image.bottom()) - y)};
}

/// Numbers of which the largest is wanted: codes, of floats their bits in the order of the floats,
/// and for minima the complements of these. 0 takes no part: no float has it but NaN.
/// `infinity`: the bits of it, 0 of integers.
template <class Key>
HOST_DEVICE static constexpr Key key_of(Key code, Key infinity, bool least) {
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  if (infinity != 0 && static_cast<Key>(code & static_cast<Key>(~sign)) > infinity) return 0;
  const Key order = infinity != 0 ? exact::ordered(code) : code;
  return least ? static_cast<Key>(~order) : order;
}
/// The code of a key; that of 0 is a NaN, of floats.
template <class Key>
HOST_DEVICE static constexpr Key code_of(Key key, Key infinity, bool least) {
  const Key order = least ? static_cast<Key>(~key) : key;
  return infinity != 0 ? exact::unordered(order) : order;
}

}  // namespace cuda_filters::extremum
