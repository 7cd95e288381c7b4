// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Files of color tables, .cube and PNG: what is read is applied to a few pixels.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/small_run.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  const fuzz::MemoryFile file{fuzz::text_of(data, size)};
  const FilterEntry& filter = *find_filter("color-lut");
  for (const double interpolation : {0.0, 1.0}) {
    const Values values{file.name(), interpolation, interpolation == 0.0 ? 1.0 : 0.5};
    std::optional<Job> job;
    if (!fuzz::accepted(file.name(), [&] { job = make_job(filter, values); })) return 0;
    fuzz::run_small(*job);
  }
  return 0;
}
