// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Formulas: what compiles is computed for a few pixels, with a second picture and without.
#include "gpu/algorithms/pixel_math/program.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/small_run.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  const std::string text{fuzz::text_of(data, size)};
  if (!fuzz::accepted(text, [&] { pixel_math::compile(text); })) return 0;
  const FilterEntry& filter = *find_filter("pixel-math");
  Values values = initial_values(filter);
  values[0] = text;
  fuzz::run_small(make_job(filter, values));
  return 0;
}
