// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "tests/reference/reference.hpp"

/// The smoothing of the wavelet transform à trous, for the references of filters made of it.
namespace cuda_filters::reference {

inline constexpr double spline[] = {1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0};

/// Three values at each of the pixels of a rectangle around a picture of that size.
struct Field {
  int width, height, margin;
  std::vector<Color> values =
      std::vector<Color>(static_cast<std::size_t>(width + 2 * margin) * (height + 2 * margin));

  Color& at(int x, int y) {
    return values[static_cast<std::size_t>(y + margin) * (width + 2 * margin) + x + margin];
  }
};

/// The field smoothed along both axes, of samples that far apart: its margin is smaller by two of
/// them.
inline Field smoothed(Field& in, int apart) {
  Field rows{in.width, in.height, in.margin};
  Field out{in.width, in.height, in.margin - 2 * apart};
  const int margin = out.margin;
  for (int y = -in.margin; y < in.height + in.margin; ++y)
    for (int x = -margin; x < in.width + margin; ++x)
      for (int k = -2; k <= 2; ++k)
        for (int c = 0; c < 3; ++c) rows.at(x, y)[c] += spline[k + 2] * in.at(x + k * apart, y)[c];
  for (int y = -margin; y < in.height + margin; ++y)
    for (int x = -margin; x < in.width + margin; ++x)
      for (int k = -2; k <= 2; ++k)
        for (int c = 0; c < 3; ++c) out.at(x, y)[c] += spline[k + 2] * rows.at(x, y + k * apart)[c];
  return out;
}

}  // namespace cuda_filters::reference
