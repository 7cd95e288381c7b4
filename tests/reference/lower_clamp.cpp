// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool perceptual = number(values[4]) == 1.0;
  Picture out = recoded(in, perceptual ? Coding::srgb : Coding::linear);
  for (Color& color : out.pixels)
    for (int c = 0; c < 4; ++c) color[c] = std::max(color[c], number(values[c]));
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_lower_clamp{
    "lower-clamp",
    apply,
    {{0.0, 0.0, 0.0, 0.0, 0.0}, {0.1, 0.5, 0.3, 0.7, 0.0}, {-0.2, 0.25, 0.9, 0.0, 1.0}},
    [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
