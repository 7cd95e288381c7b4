// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

#include <cmath>

#include "tests/support/color.hpp"

namespace cuda_filters::reference {
namespace {

/// The position in a row of `size` samples by going back and forth, or round and round; -1: none.
int inside(int i, int size, Border border) {
  // What goes back and forth or round and round is at the same place again after two lengths.
  if (border == Border::mirror || border == Border::wrap) i %= 2 * size;
  if (border == Border::reflect && size > 1) i %= 2 * (size - 1);
  while (i < 0 || i >= size) {
    switch (border) {
      case Border::clamp:
        return i < 0 ? 0 : size - 1;
      case Border::mirror:
        i = i < 0 ? -1 - i : 2 * size - 1 - i;
        break;
      case Border::reflect:
        if (size == 1) return 0;
        i = i < 0 ? -i : 2 * size - 2 - i;
        break;
      case Border::wrap:
        i = i < 0 ? i + size : i - size;
        break;
      case Border::transparent:
        return -1;
    }
  }
  return i;
}

Picture colors_changed(const Picture& picture, double (*change)(double)) {
  Picture changed = picture;
  for (Color& color : changed.pixels)
    for (int c = 0; c < 3; ++c) color[c] = change(color[c]);
  return changed;
}

}  // namespace

Color sample(const Picture& picture, int x, int y, Border border) {
  const int column = inside(x, picture.width, border), row = inside(y, picture.height, border);
  return column < 0 || row < 0 ? Color{} : picture.at(column, row);
}

Picture premultiplied(const Picture& picture) {
  Picture result = picture;
  for (Color& color : result.pixels)
    for (int c = 0; c < 3; ++c) color[c] *= color[3];
  return result;
}

Picture unpremultiplied(const Picture& picture, const Picture& before) {
  Picture result = picture;
  for (std::size_t i = 0; i < result.pixels.size(); ++i) {
    Color& color = result.pixels[i];
    const bool none = color[3] < least_alpha;
    for (int c = 0; c < 3; ++c) color[c] = none ? before.pixels[i][c] : color[c] / color[3];
  }
  return result;
}

Picture recoded(const Picture& picture, Coding coding) {
  if (picture.coding == Coding::same || picture.coding == coding) return picture;
  Picture changed = colors_changed(
      picture, coding == Coding::linear ? test::srgb_to_linear : test::linear_to_srgb);
  changed.coding = coding;
  return changed;
}

}  // namespace cuda_filters::reference
