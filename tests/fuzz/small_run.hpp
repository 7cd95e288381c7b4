// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <limits>

#include "gpu/core/run_on.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/support/color.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters::fuzz {

/// Runs a job on 5 × 3 pixels of floats, among them infinity and NaN, and on as many bytes.
inline void run_small(const Job& job) {
  cpu::set_thread_count(1);
  for (const SampleType type : {SampleType::f32, SampleType::u8}) {
    MemoryImage in = test::random_image(5, 3, {type, true, true}, type == SampleType::u8, 1);
    if (type == SampleType::f32) {
      test::store_sample(in, 0, std::numeric_limits<double>::quiet_NaN());
      test::store_sample(in, 9, std::numeric_limits<double>::infinity());
      test::store_sample(in, 18, -3e38);
    }
    MemoryImage out = in;
    Observer observer;
    run_on(make_cpu_backend(), nullptr, job, in, out, {0, 0, 5, 3}, observer);
  }
}

}  // namespace cuda_filters::fuzz
