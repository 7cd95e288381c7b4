// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>

#include "gpu/core/param.hpp"

namespace cuda_filters {

/// How an image continues beyond its edges.
enum class Border { clamp, mirror, reflect, wrap, transparent };

inline constexpr std::array border_choices{
    Choice{"clamp", N_("Nearest edge pixel")},
    Choice{"mirror", N_("Mirror image")},
    Choice{"reflect", N_("Mirror image without the edge pixel")},
    Choice{"wrap", N_("Opposite side (seamless tile)")},
    Choice{"transparent", N_("Transparent")},
};

/// The row of the parameter table for a member `Border border`.
template <auto Member>
consteval Param border_param() {
  return param<Member>({.name = "border",
                        .label = N_("_Border"),
                        .blurb = N_("What lies outside of the layer"),
                        .choices = border_choices});
}

/// The index inside [0, size) whose sample stands at `index`, for any `index` and `size` >= 1; -1
/// where there is none (`Border::transparent` outside). With size 3, for -3 … 5: clamp 000012222,
/// mirror 210012210, reflect 121012101, wrap 012012012.
constexpr int border_index(std::int64_t index, int size, Border border) {
  if (index >= 0 && index < size) return static_cast<int>(index);
  const auto modulo = [](std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; };
  switch (border) {
    case Border::clamp:
      return index < 0 ? 0 : size - 1;
    case Border::mirror: {
      const std::int64_t i = modulo(index, 2 * std::int64_t{size});
      return static_cast<int>(i < size ? i : 2 * std::int64_t{size} - 1 - i);
    }
    case Border::reflect: {
      if (size == 1) return 0;
      const std::int64_t period = 2 * (std::int64_t{size} - 1);
      const std::int64_t i = modulo(index, period);
      return static_cast<int>(i < size ? i : period - i);
    }
    case Border::wrap:
      return static_cast<int>(modulo(index, size));
    case Border::transparent:
      break;
  }
  return -1;
}

}  // namespace cuda_filters
