// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values& values) {
  Picture out = recoded(in, Coding::srgb);
  const Coding coding = out.coding;
  out.coding = Coding::same;
  const Picture blurred = find("gaussian-blur")->apply(out, {values[0], values[0], values[2]});
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    if (out.pixels[i][3] < least_alpha) continue;
    for (int c = 0; c < 3; ++c)
      out.pixels[i][c] = 0.5 + number(values[1]) * (out.pixels[i][c] - blurred.pixels[i][c]) / 2.0;
  }
  out.coding = coding;
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_high_pass{
    "high-pass",
    apply,
    {{4.0, 1.0, 0.0}, {0.7, 3.0, 1.0}, {12.0, 1.5, 2.0}, {5.0, 0.4, 4.0}, {1.5, 2.0, 3.0}},
    [](const Values& values) { return number(values[0]) <= 10.0 ? 5e-6 : 1e-4; },
    [](const Values& values) { return 1.0 + number(values[1]); }};

}  // namespace cuda_filters::reference
