// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <bit>

#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// Arithmetic that takes all colors alike, on all of a pixel at once where a processor can.
namespace cuda_filters {

/// What a function of such arithmetic is of: the four channels of a pixel on a processor, and one
/// of them on a GPU, whose threads are lanes already. (Functions take wide ones by reference:
/// registers of their size are not in every processor's calling convention.)
#ifndef HAS_VECTORS
using Colors = float;
using WideColors = double;
#else
typedef float Colors __attribute__((vector_size(4 * sizeof(float))));
typedef double WideColors __attribute__((vector_size(4 * sizeof(double))));
#endif

namespace colors {

HOST_DEVICE static inline void widen(const Colors& from, WideColors& to) {
#ifndef HAS_VECTORS
  to = from;
#else
  to = __builtin_convertvector(from, WideColors);
#endif
}
HOST_DEVICE static inline Colors narrowed(const WideColors& from) {
#ifndef HAS_VECTORS
  return static_cast<Colors>(from);
#else
  return __builtin_convertvector(from, Colors);
#endif
}

}  // namespace colors

/// The pixel whose colors are f(the 3 × 3 values of that color), a function of Colors, and whose
/// alpha is that of the pixel in the middle.
template <class F>
HOST_DEVICE static inline Pixel by_color(const Pixel (&n)[3][3], F f) {
#ifndef HAS_VECTORS
  const auto of = [&](float Pixel::*color) {
    const Colors values[3][3] = {{n[0][0].*color, n[0][1].*color, n[0][2].*color},
                                 {n[1][0].*color, n[1][1].*color, n[1][2].*color},
                                 {n[2][0].*color, n[2][1].*color, n[2][2].*color}};
    return f(values);
  };
  return {of(&Pixel::r), of(&Pixel::g), of(&Pixel::b), n[1][1].a};
#else
  const auto of = [](Pixel p) { return std::bit_cast<Colors>(p); };
  const Colors values[3][3] = {{of(n[0][0]), of(n[0][1]), of(n[0][2])},
                               {of(n[1][0]), of(n[1][1]), of(n[1][2])},
                               {of(n[2][0]), of(n[2][1]), of(n[2][2])}};
  Pixel result = std::bit_cast<Pixel>(f(values));
  result.a = n[1][1].a;
  return result;
#endif
}

}  // namespace cuda_filters
