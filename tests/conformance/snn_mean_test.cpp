// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Means of symmetric nearest neighbors on a GPU and on a processor: the same bits, whatever part of
// a square a GPU has room for.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <random>

#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

/// Noise of linear light, in which, if `wild`, one sample of a hundred is far from all others,
/// infinite, or NaN.
MemoryImage noise(bool wild) {
  MemoryImage image{311, 173, Format{SampleType::f32, true, true}};
  std::mt19937 random{9};
  std::uniform_real_distribution<double> values{0.0, 1.0};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double far[]{40.0, -40.0, infinity, -infinity,
                         std::numeric_limits<double>::quiet_NaN()};
  const std::size_t count = image.codes().size() / sizeof(float);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_far = wild && random() % 100 == 0;
    const double value = values(random);
    test::store_sample(image, i, is_far ? far[random() % std::size(far)] : value);
  }
  return image;
}

MemoryImage filtered(const Job& job, MemoryImage in, const char* device) {
  MemoryImage out = in;
  Observer observer;
  run_on(test::make_backend(device), nullptr, job, in, out, {0, 0, in.width(), in.height()},
         observer);
  return out;
}

TEST(SymmetricNeighbors, GiveTheSameBitsOnEveryDevice) {
  SKIP_WITHOUT("cuda");
  for (const bool wild : {false, true}) {
    const MemoryImage in = noise(wild);
    for (const int radius : {2, 22, 23, 60, 77, 100})
      for (const int pairs : {1, 2}) {
        const Job job = make_job(*find_filter("snn-mean"), Values{double(radius), double(pairs)});
        const MemoryImage on_gpu = filtered(job, in, "cuda"), on_cpu = filtered(job, in, "cpu");
        long different = 0;
        for (std::size_t i = 0; i < in.codes().size() / sizeof(float); ++i) {
          const double got = test::load_sample(on_gpu, i), wanted = test::load_sample(on_cpu, i);
          different += got != wanted && !(std::isnan(got) && std::isnan(wanted));
        }
        EXPECT_EQ(different, 0) << radius << ", " << pairs << (wild ? ", wild" : "");
      }
  }
}

}  // namespace
}  // namespace cuda_filters
