// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

Picture apply(const Picture& in, const Values&) {
  Picture out = in;
  for (Color& color : out.pixels) color[3] = 1.0 - color[3];
  return out;
}

}  // namespace

extern const Reference reference_matte_invert{
    "matte-invert", apply, {{}}, [](const Values&) { return 1e-6; }};

}  // namespace cuda_filters::reference
