// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Noise reduction across tiles, with so many iterations that a GPU's threads share them.
#include "gpu/algorithms/noise_reduction/noise_reduction.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "gpu/core/run_on.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr Size size{1150, 330};

MemoryImage result(const char* device, MemoryImage& in, double iterations) {
  MemoryImage out = in;
  Observer silent;
  run_on(test::make_backend(device), nullptr,
         make_job(*find_filter("noise-reduction"), Values{iterations}), in, out,
         {0, 0, size.width, size.height}, silent);
  return out;
}

TEST(NoiseReduction, OnAGpuHasTheBitsOfTheProcessor) {
  SKIP_WITHOUT("cuda");
  std::mt19937 random{3};
  std::uniform_real_distribution<double> value{0.0, 1.0};
  for (const bool alpha : {false, true}) {
    MemoryImage in{size.width, size.height, {SampleType::f32, alpha, alpha}};
    const std::size_t samples = in.codes().size() / sizeof(float);
    for (std::size_t i = 0; i < samples; ++i) test::store_sample(in, i, value(random));
    for (const double iterations : {1.0, 3.0, 5.0, 8.0, 16.0, 17.0, 32.0}) {
      const MemoryImage wanted = result("cpu", in, iterations);
      const MemoryImage found = result("cuda", in, iterations);
      ASSERT_TRUE(wanted.codes() != in.codes());
      std::size_t differ = 0;
      for (std::size_t i = 0; i < samples; ++i)
        differ += test::load_sample(found, i) != test::load_sample(wanted, i);
      EXPECT_EQ(differ, 0u) << iterations << " iterations, " << (alpha ? "RGBA" : "gray");
    }
  }
}

}  // namespace
}  // namespace cuda_filters
