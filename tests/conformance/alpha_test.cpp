// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Every filter that weighs by alpha, on every device that is here, where there is hardly any: what
// is finite stays so, and a result without alpha keeps the colors that it had.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "gpu/core/engine.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

struct Case {
  const FilterEntry* filter;
  std::string backend;
};

/// How a picture's floats are stored: in sRGB, in linear light, or as every filter wants them.
enum class Stored { srgb, linear, plain };

constexpr double normal = reference::least_alpha;
/// Those below 0, which only floats can be, come last.
constexpr std::array alphas{0.0,  1e-45, 1e-40, normal / 2, normal, 2 * normal, 1e-30,  1e-10,
                            1e-3, 0.5,   1.0,   4.25,       -0.5,   -1e-4,      -1e-38, -1e-44};

/// Values from -2.5 to 4.4, some of them `scale` times as large, and the first `kinds` of such
/// alphas: in the left half each beside itself, in the right half in any order.
MemoryImage faint_image(Format format, Stored stored, std::size_t kinds, double scale,
                        unsigned seed) {
  constexpr int width = 61, height = 97;
  MemoryImage image = stored == Stored::plain
                          ? MemoryImage{width, height, format}
                          : test::empty_image(width, height, format, stored == Stored::srgb);
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> value{-2.5, 4.4};
  std::size_t index = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double here = random() % 16 == 0 ? scale : 1.0;
      for (int c = 0; c < format.colors(); ++c)
        test::store_sample(image, index++, here * value(random));
      const std::size_t kind = x < width / 2 ? static_cast<std::size_t>(y) / 8 : random();
      test::store_sample(image, index++, alphas[kind % kinds]);
    }
  return image;
}

MemoryImage filtered(const ResolvedJob& job, MemoryImage in, const std::string& backend) {
  MemoryImage out = job.output == in.size() ? in : in.like(job.output);
  Observer observer;
  run_on(test::make_backend(backend), nullptr, job, in, out, {0, 0, out.width(), out.height()},
         observer);
  return out;
}

/// The examples, and parameters with which little alpha gets through or much is made of it.
std::vector<Values> parameter_sets(const FilterEntry& filter) {
  static const std::map<std::string, std::vector<Values>> more{
      {"diffusion",
       {{1.0, 1.0, 0.1, 73.8, 1.0},
        {1.0, 1.0, 0.25, 20.0, 0.0},
        {1.0, 3.0, 0.25, 255.0, 0.0},
        {3.0, 2.0, 0.2, 255.0, 0.0},
        {2.0, 1.0, 0.01, 0.1, 0.0}}},
      {"gaussian-blur", {{0.08, 0.08, 4.0}, {0.1, 0.075, 0.0}, {15.0, 40.0, 4.0}}},
      {"unsharp-mask", {{0.08, 300.0, 0.0, 0.0}, {2.0, 300.0, 0.0, 4.0}, {0.5, 2.0, 1.0, 0.0}}},
      {"sharpen", {{10.0, 0.0}, {10.0, 4.0}}},
      {"convolution-matrix",
       {{"1e-20,1,-1e-25;-1,1e3,1e-12;1,1,-1", 1.0, 0.5, 0.0, 1.0, 4.0},
        {"1e-30,1e-20,1e-25", 1e6, 1.0, 0.0, 1.0, 0.0}}}};
  std::vector<Values> sets = reference::find(filter.info.name)->examples;
  sets.push_back(initial_values(filter));
  if (const auto found = more.find(filter.info.name); found != more.end())
    sets.insert(sets.end(), found->second.begin(), found->second.end());
  std::erase_if(sets, [&](const Values& values) {
    return make_job(filter, values).plan.alpha != Alpha::premultiplied;
  });
  return sets;
}

class FaintAlpha : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam().backend); }

  /// Calls f(format, stored, values, description) for all formats and parameters.
  template <class F>
  void for_all(F f) {
    const FilterEntry& filter = *GetParam().filter;
    for (const SampleType type : {SampleType::f16, SampleType::f32})
      for (const bool color : {true, false})
        for (const Stored stored : {Stored::plain, Stored::linear, Stored::srgb}) {
          int set = 0;
          for (const Values& values : parameter_sets(filter)) {
            const Format format{type, color, true};
            f(format, stored, values,
              format_text("set %d, %s, stored as %d", set++, test::name_of(format).c_str(),
                          static_cast<int>(stored)));
          }
        }
  }

  ResolvedJob job_for(const Values& values, const MemoryImage& in) const {
    return resolved(make_job(*GetParam().filter, values), in.size());
  }
};

TEST_P(FaintAlpha, WhatIsFiniteStaysFiniteAndColorsWithoutAlphaStay) {
  unsigned seed = 0;
  for_all([&](Format format, Stored stored, const Values& values, const std::string& description) {
    // A power of large numbers is larger.
    const double scale = format.type == SampleType::f16 ? 1e4 : stored == Stored::srgb ? 1e6 : 1e15;
    // A chain's steps may make numbers that halves cannot hold.
    const bool is_chain = GetParam().filter->is_composite();
    for (const double largest : {1.0, is_chain ? 1.0 : scale})
      for (const std::size_t kinds : {std::size_t{12}, alphas.size()}) {
        const MemoryImage in = faint_image(format, stored, kinds, largest, ++seed);
        const ResolvedJob job = job_for(values, in);
        const MemoryImage out = filtered(job, in, GetParam().backend);
        const std::size_t channels = format.channels();
        const std::size_t pixels = out.codes().size() / format.bytes_per_pixel();
        // Of less than half can hold, only the filter knows that it is some alpha.
        const bool shows_alpha =
            format.type == SampleType::f32 && out.size() == in.size() && job.steps.empty();
        int infinite = 0, changed = 0;
        for (std::size_t i = 0; i < pixels * channels; ++i) {
          const double alpha = test::load_sample(out, i / channels * channels + format.colors());
          const bool is_color = i % channels < channels - 1;
          infinite += !std::isfinite(test::load_sample(out, i));
          changed += shows_alpha && is_color && alpha < normal &&
                     test::load_sample(out, i) != test::load_sample(in, i);
        }
        EXPECT_EQ(infinite, 0) << description << ", values up to " << largest;
        EXPECT_EQ(changed, 0) << description << ", values up to " << largest;
      }
  });
}

class FaintAgreement : public FaintAlpha {};

TEST_P(FaintAgreement, GpuAndCpuGiveTheSamePicture) {
  const reference::Reference& reference = *reference::find(GetParam().filter->info.name);
  unsigned seed = 1000;
  for_all([&](Format format, Stored stored, const Values& values, const std::string& description) {
    const MemoryImage in = faint_image(format, stored, 12, 1.0, ++seed);
    const ResolvedJob job = job_for(values, in);
    const MemoryImage out = filtered(job, in, GetParam().backend);
    const MemoryImage on_cpu = filtered(job, in, "cpu");
    // In the light that the filter works in: near black, a step of sRGB is a 13th of one of light.
    const bool recoded = stored == Stored::srgb && job.plan.trc == Trc::linear;
    const auto worked = [&](double value) { return recoded ? test::srgb_to_linear(value) : value; };
    // The terms of a sum are colors times alphas of up to 4.25.
    const double allowed = 4.25 * reference.agreement(values);
    const std::size_t channels = format.channels();
    const std::size_t pixels = out.codes().size() / format.bytes_per_pixel();
    double worst = 0.0;
    int of_another_kind = 0;
    for (std::size_t i = 0; i < pixels * channels; ++i) {
      const std::size_t at = i / channels * channels + format.colors();
      const double stored_value = test::load_sample(on_cpu, i);
      const bool is_color = i != at;
      const double got = is_color ? worked(test::load_sample(out, i)) : test::load_sample(out, i);
      const double wanted = is_color ? worked(stored_value) : stored_value;
      const double alpha =
          i == at ? 1.0 : std::min(test::load_sample(out, at), test::load_sample(on_cpu, at));
      of_another_kind += std::isfinite(got) != std::isfinite(wanted);
      const double step = format.type == SampleType::f16 ? std::abs(stored_value) * 0x1p-10 : 0.0;
      const double rounding = is_color ? std::abs(worked(stored_value + step) - wanted) : step;
      if (alpha >= 1e-2)
        worst = std::max(worst, (std::abs(got - wanted) - rounding) * std::min(1.0, alpha) /
                                    std::max(1.0, std::abs(wanted)));
    }
    EXPECT_EQ(of_another_kind, 0) << description;
    EXPECT_LE(worst, allowed) << description;
  });
}

std::vector<Case> cases(std::vector<const char*> backends) {
  std::vector<Case> all;
  for (const FilterEntry& filter : filters())
    for (const char* backend : backends)
      if (!parameter_sets(filter).empty()) all.push_back({&filter, backend});
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string{info.param.filter->info.name} + "_" + info.param.backend;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, FaintAlpha, testing::ValuesIn(cases({"cpu", "cuda"})),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Registry, FaintAgreement, testing::ValuesIn(cases({"cuda"})), case_name);

}  // namespace
}  // namespace cuda_filters
