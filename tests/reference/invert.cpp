// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const bool in_linear_light = number(values[0]) == 1.0;
  Picture out = recoded(in, in_linear_light ? Coding::linear : Coding::srgb);
  for (Color& color : out.pixels)
    for (int c = 0; c < 3; ++c) color[c] = 1.0 - color[c];
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_invert{
    "invert", apply, {{0.0}, {1.0}}, [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
