// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// Of 32-bit floats, as GEGL computes it: of colors that are about as far, it says which is nearer.
float squared_distance(const Color& p, const Color& q) {
  float sum = 0.0f;
  for (int c = 0; c < 3; ++c) {
    const float d = static_cast<float>(p[c]) - static_cast<float>(q[c]);
    const float squared = d * d;
    sum += squared;
  }
  return sum;
}

Picture apply(const Picture& in, const Values& values) {
  const int radius = static_cast<int>(number(values[0]));
  const bool one_pair = number(values[1]) == 1.0;
  if (radius == 0) return in;
  const Picture before = recoded(in, Coding::linear);
  Picture out = before;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const Color& own = before.at(x, y);
      Color sum{};
      int count = 0;
      // Half of the square if each pair counts, else a quarter of it; the pixel itself is the last.
      for (int v = -radius; v <= 0; ++v)
        for (int u = -radius; u <= (one_pair && v < 0 ? radius : 0); ++u) {
          Color nearest = own;
          float least = 1000.0f;
          if (u != 0 && v != 0)
            for (const auto& [dx, dy] : {std::pair{u, v}, {-u, -v}, {-u, v}, {u, -v}}) {
              if (one_pair && dx * dy != u * v) continue;
              const Color color = sample(before, x + dx, y + dy, Border::transparent);
              const float distance = squared_distance(color, own);
              if (distance < least) least = distance, nearest = color;
            }
          for (int c = 0; c < 4; ++c) sum[c] += nearest[c];
          ++count;
        }
      for (int c = 0; c < 4; ++c) out.at(x, y)[c] = sum[c] / count;
    }
  return recoded(out, in.coding);
}

}  // namespace

// Of two colors that are as far but for rounding either may count; with these values there are
// none.
extern const Reference reference_snn_mean{
    "snn-mean", apply, {{1.0, 2.0}, {7.0, 1.0}, {5.0, 2.0}, {2.0, 1.0}}, [](const Values&) {
      return 1e-5;
    }};

}  // namespace cuda_filters::reference
