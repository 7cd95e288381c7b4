// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What stays true of a deconvolution however many iterations there are, of which no reference
// tells.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr int width = 83, height = 61;

/// Dark sky with noise in half of it, and some stars, of linear light.
MemoryImage night_sky() {
  MemoryImage image{width, height, Format{SampleType::f32, true, false}};
  std::mt19937 random{5};
  std::uniform_real_distribution<double> noise{0.0, 0.2};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool is_star = random() % 97 == 0;
      for (std::size_t c = 0; c < 3; ++c)
        test::store_sample(image, 3 * (std::size_t{width} * y + x) + c,
                           is_star         ? 5.0
                           : x < width / 2 ? 0.0
                                           : noise(random));
    }
  return image;
}

class Deconvolution : public testing::TestWithParam<const char*> {
 protected:
  // Threads would wait for each other, in so many steps of a small picture, where others run.
  void SetUp() override {
    SKIP_WITHOUT(GetParam());
    cpu::set_thread_count(1);
  }
  void TearDown() override { cpu::set_thread_count(0); }

  static Values values_of(double psf, double size, double damping, Border border) {
    return {500.0, psf, size, 25.0, "0,1,0;2,4,1;0,0,1", damping, static_cast<double>(border)};
  }
  static MemoryImage filtered(const Values& values, MemoryImage in) {
    MemoryImage out = in;
    Observer silent;
    run_on(test::make_backend(GetParam()), nullptr,
           make_job(*find_filter("richardson-lucy"), values), in, out, {0, 0, width, height},
           silent);
    return out;
  }
};

TEST_P(Deconvolution, IsFiniteAndLosesNoLightInFiveHundredIterations) {
  const MemoryImage in = night_sky();
  for (const auto& [psf, size] :
       {std::pair{0.0, 1.5}, {0.0, 12.0}, {1.0, 1.0}, {1.0, 5.0}, {2.0, 9.0}, {3.0, 1.0}}) {
    const MemoryImage out = filtered(values_of(psf, size, 0.0, Border::wrap), in);
    // Only the last iteration's sums count: they are rounded, and a pyramid is a Gaussian to 2e-4.
    const double bound = psf == 0.0 && size >= 9.0 ? 1e-4 : 1e-6;
    for (std::size_t c = 0; c < 3; ++c) {
      double before = 0.0, after = 0.0;
      for (std::size_t i = c; i < std::size_t{3} * width * height; i += 3) {
        const double light = test::load_sample(out, i);
        ASSERT_TRUE(std::isfinite(light) && light >= 0.0) << psf << ", " << size << ": " << light;
        before += test::load_sample(in, i), after += light;
      }
      EXPECT_NEAR(after, before, bound * before) << psf << ", " << size;
    }
  }
}

TEST_P(Deconvolution, IsFiniteWhateverTheBorderAndTheDamping) {
  const MemoryImage in = night_sky();
  for (double border = 0.0; border <= 4.0; ++border)
    for (const double damping : {0.0, 0.1}) {
      const MemoryImage out =
          filtered(values_of(1.0, 2.5, damping, static_cast<Border>(border)), in);
      for (std::size_t i = 0; i < std::size_t{3} * width * height; ++i) {
        const double light = test::load_sample(out, i);
        ASSERT_TRUE(std::isfinite(light) && light >= 0.0) << border << ", " << damping;
      }
    }
}

/// Apertures of many openings, in which few weights of 1 lie side by side: what is even stays so.
TEST_P(Deconvolution, KeepsEvenLightWhateverTheAperture) {
  constexpr double light = 0.95;
  MemoryImage in{width, height, Format{SampleType::f32, true, false}};
  for (std::size_t i = 0; i < std::size_t{3} * width * height; ++i)
    test::store_sample(in, i, light);
  for (const auto& [columns, rows, opening] :
       {std::tuple{127, 65, 1}, {127, 127, 8}, {63, 63, 8}}) {
    std::string matrix;
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        const bool is_corner = x == 0 && y == 0;  // by which it is no product of two factors
        matrix += x % (opening + 1) == opening || is_corner ? "0" : "1";
        matrix += x < columns - 1 ? "," : y < rows - 1 ? ";" : "";
      }
    const Values values{1.0, 3.0, 1.0, 0.0, matrix, 0.0, static_cast<double>(Border::clamp)};
    const MemoryImage out = filtered(values, in);
    for (std::size_t i = 0; i < std::size_t{3} * width * height; ++i)
      ASSERT_NEAR(test::load_sample(out, i), light, 1e-5) << columns << ", " << rows << ", " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Deconvolution, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
