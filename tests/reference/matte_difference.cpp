// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  const int key = 2 - static_cast<int>(number(values[0]));
  const double threshold = number(values[1]);
  const bool despill = number(values[2]) == 1.0;
  Picture out = recoded(in, Coding::linear);
  for (Color& color : out.pixels) {
    const double k = color[key], m = std::max(color[(key + 1) % 3], color[(key + 2) % 3]);
    color[3] *= k > threshold ? 1.0 - std::max(0.0, k - m) : 1.0;
    if (despill) color[key] = std::min(k, m);
  }
  return recoded(out, in.coding);
}

}  // namespace

// At the threshold the result jumps, so thresholds that are no code's value.
extern const Reference reference_matte_difference{
    "matte-difference",
    apply,
    {{0.0, 0.0, 1.0}, {1.0, 0.1003, 0.0}, {2.0, 0.3001, 1.0}, {0.0, 1.0, 0.0}},
    [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
