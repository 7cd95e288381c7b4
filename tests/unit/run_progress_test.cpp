// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/entry.hpp"

namespace cuda_filters {
namespace {

TEST(RunProgress, CountsSweepsAndRows) {
  std::vector<double> told;
  const Progress tell = [&](double fraction) { told.push_back(fraction); };
  RunProgress progress{tell, 2 * 50, 100};
  progress.analyzed(25);
  progress.ask();
  progress.analyzed(50);
  progress.end_pass(50);
  progress.analyzed(10);
  progress.end_analysis();  // one pass was enough
  progress.computed(60);
  progress.computed(100);
  EXPECT_EQ(told, (std::vector{0.125, 0.125, 0.25, 0.3, 0.8, 1.0}));
}

TEST(RunProgress, CountsWhatIsDoneOfABand) {
  std::vector<double> told;
  const Progress tell = [&](double fraction) { told.push_back(fraction); };
  RunProgress progress{tell, 50, 50};
  progress.ask_within_band(12.5);
  progress.analyzed(25);
  progress.ask_within_band(12.5);
  progress.ask();
  EXPECT_EQ(told, (std::vector{0.125, 0.25, 0.375, 0.25}));
}

/// A band of many steps; each waits until it has been told.
struct Steps {
  struct Params {};
  static constexpr FilterInfo info{"steps", "", "", "", "", Category::generic};
  static constexpr std::array<Param, 0> params{};
  static Plan plan(const Params&) { return {}; }
  static constexpr int count = 4;
  inline static std::atomic<double> last_told = 0.0;

  template <class Exec>
  static void apply(Exec&, const Params&, const typename Exec::Input&,
                    const typename Exec::Output&) {
    if constexpr (std::same_as<Exec, cpu::Exec>) {
      for (int step = 1; step < count; ++step) {
        set_band_progress(1.0 * step / count);
        while (last_told < 1.0 * step / count)
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    }
  }
};

TEST(RunProgress, HearsOfTheStepsOfABand) {
  struct Listening final : Observer {
    bool progress(double fraction) override {
      if (fraction != Steps::last_told) told.push_back(fraction);
      Steps::last_told = fraction;
      return true;
    }
    std::vector<double> told;
  } observer;
  const FilterEntry& steps = test::entry_of<Steps>();
  MemoryImage image{16, 16, {SampleType::u8, true, true}};
  run_on(make_cpu_backend(), nullptr, make_job(steps, {}), image, image, {0, 0, 16, 16}, observer);
  EXPECT_EQ(observer.told, (std::vector{0.25, 0.5, 0.75, 1.0}));
  set_band_progress(0.5);  // outside of a run nobody hears of it
}

/// The picture is one band, and is diffused for long enough to be asked often.
TEST(RunProgress, RisesWhileAPictureIsDiffused) {
  struct Listening final : Observer {
    bool progress(double fraction) override {
      if (fraction > 0.0 && (told.empty() || fraction != told.back())) told.push_back(fraction);
      return told.size() < 4;
    }
    std::vector<double> told;
  } observer;
  const FilterEntry& diffusion = *find_filter("diffusion");
  Values values = initial_values(diffusion);
  values[1] = 2000.0;
  MemoryImage image{2048, 2048, {SampleType::u8, true, true}};
  const Rect all{0, 0, image.width(), image.height()};
  EXPECT_THROW(
      run_on(make_cpu_backend(), nullptr, make_job(diffusion, values), image, image, all, observer),
      Cancelled);
  EXPECT_EQ(observer.told.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(observer.told));
  EXPECT_LT(observer.told.back(), 1.0);
}

TEST(RunProgress, LearnsHowLargeANewImageIs) {
  std::vector<double> told;
  const Progress tell = [&](double fraction) { told.push_back(fraction); };
  RunProgress progress{tell, 50, 50};
  progress.analyzed(50);
  progress.end_pass(50);
  progress.set_rows_to_compute(150);
  progress.computed(50);
  EXPECT_EQ(told, (std::vector{0.5, 0.5}));
}

}  // namespace
}  // namespace cuda_filters
