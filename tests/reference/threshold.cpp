// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

double compared(const Color& c, int channel) {
  if (channel == 0) return c[1] + (0.2126 * (c[0] - c[1]) + 0.0722 * (c[2] - c[1]));
  if (channel == 5) return std::max({c[0], c[1], c[2]});
  return c[channel - 1];
}

Picture apply(const Picture& in, const Values& values) {
  Picture out = recoded(in, Coding::srgb);
  for (Color& color : out.pixels) {
    const double c = compared(color, static_cast<int>(number(values[2])));
    const double result = c >= number(values[0]) && c <= number(values[1]) ? 1.0 : 0.0;
    color = {result, result, result, color[3]};
  }
  return recoded(out, in.coding);
}

}  // namespace

// At a limit the result jumps, so limits that are no code's value.
extern const Reference reference_threshold{
    "threshold",
    apply,
    {{0.4999, 1.0, 0.0}, {0.2001, 0.7003, 1.0}, {0.1001, 0.6002, 4.0}, {0.3003, 0.9001, 5.0}},
    [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
