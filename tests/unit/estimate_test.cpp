// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gpu/algorithms/statistics/measuring.hpp"
#include "gpu/core/device_choice.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/temporary_path.hpp"

namespace cuda_filters {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Folder {
 public:
  Folder() { fs::create_directory(path()); }
  const fs::path& path() const { return place_.path(); }

 private:
  test::TemporaryPath place_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

Job costly(double cost) { return {find_filter("invert"), nullptr, Plan{.cost = cost}}; }

/// A run of ten million pixels at 100 ns on one core, which should take a second, took `seconds`.
Observation cpu_run(double seconds, const char* filter = "invert") {
  return {.filter = filter,
          .cost = 100.0,
          .pixels = 1e7,
          .device = "CPU",
          .times = {.compute = seconds}};
}
Observation gpu_run(bool started, double context, double copy, double compute) {
  return {.filter = "invert",
          .cost = 100.0,
          .pixels = 1e7,
          .gpu = 0,
          .started = started,
          .device = "GPU",
          .times = {.context = context, .upload = copy, .compute = compute, .download = copy}};
}

TEST(LearnedNumber, GoesFromWhatWasAssumedToWhatWasSeen) {
  LearnedNumber number{1.0};
  EXPECT_EQ(number.value(), 1.0);
  number.learn(4.0);
  EXPECT_DOUBLE_EQ(number.value(), 2.0);  // in the middle, as factors go
  number.learn(4.0);
  EXPECT_EQ(number.value(), 4.0);
}

TEST(LearnedNumber, IsNotLedAstrayByOneRun) {
  LearnedNumber number{1.0};
  for (const double seen : {2.0, 2.1, 500.0, 1.9, 2.0}) number.learn(seen);
  EXPECT_NEAR(number.value(), 2.0, 0.06);
}

TEST(LearnedNumber, ForgetsAndStaysNearWhatWasAssumed) {
  LearnedNumber number{1.0};
  for (int i = 0; i < 20; ++i) number.learn(1e9);
  EXPECT_EQ(number.value(), LearnedNumber::max_factor);
  for (int i = 0; i < 20; ++i) number.learn(3.0);
  EXPECT_EQ(number.value(), 3.0);
  EXPECT_EQ(number.seen().size(), LearnedNumber::max_seen);
}

TEST(LearnedNumber, IgnoresWhatSaysNothing) {
  LearnedNumber number{1.0};
  for (const double nonsense : {0.0, -1.0, HUGE_VAL, std::nan("")}) number.learn(nonsense);
  EXPECT_TRUE(number.seen().empty());
  for (std::size_t i = 0; i < LearnedNumber::max_seen; ++i) number.learn(2.0);
  EXPECT_FALSE(number.would_learn(2.2));
  EXPECT_TRUE(number.would_learn(3.0));
}

TEST(Estimate, IsTheAssumedOneBeforeAnyRun) {
  const Estimate estimate{costly(100.0), 1e7, 4, {}};
  EXPECT_DOUBLE_EQ(estimate.cpu_seconds(), 0.25);
  EXPECT_DOUBLE_EQ(estimate.gpu_seconds(true), 0.005 + 0.005 + 1.0 / 200);
  EXPECT_DOUBLE_EQ(estimate.gpu_seconds(false) - estimate.gpu_seconds(true), 0.3);
  EXPECT_FALSE(estimate.outlasts_start());
  EXPECT_TRUE((Estimate{costly(100.0), 2e9, 4, {}}.outlasts_start()));
}

TEST(Estimate, FollowsTheRunsOfAProcessor) {
  Speeds speeds;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(learn(speeds, cpu_run(3.0)));
  EXPECT_DOUBLE_EQ((Estimate{costly(100.0), 1e7, 4, speeds}.cpu_seconds()), 0.75);
  EXPECT_DOUBLE_EQ((Estimate{costly(100.0), 1e7, 4, speeds}.gpu_seconds(true)), 0.015);
}

TEST(Estimate, KnowsFiltersThatTakeLongerThanOthers) {
  Speeds speeds;
  for (int i = 0; i < 5; ++i) learn(speeds, cpu_run(8.0, "diffusion"));
  learn(speeds, cpu_run(0.5));
  // One run may have been disturbed.
  EXPECT_DOUBLE_EQ((Estimate{costly(100.0), 1e7, 4, speeds}.cpu_seconds()), 8.0 / 4);
  learn(speeds, cpu_run(0.5));
  EXPECT_DOUBLE_EQ((Estimate{costly(100.0), 1e7, 4, speeds}.cpu_seconds()), 0.5 / 4);
}

TEST(Estimate, IsMadeOfAnAnalysisThatIsNoFilter) {
  Speeds speeds;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(learn(speeds, cpu_run(3.0)));
  const Job job = make_job(measure_entry(), {});
  const double planned = 1e-9 * job.plan.cost * 1e7;
  EXPECT_DOUBLE_EQ((Estimate{job, 1e7, 1, speeds}.cpu_seconds()), 3.0 * planned);
}

TEST(Estimate, FollowsTheRunsOfAGpu) {
  Speeds speeds;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(learn(speeds, gpu_run(false, 1.0, 0.02, 0.05)));
  const Estimate estimate{costly(100.0), 1e7, 4, speeds};
  EXPECT_DOUBLE_EQ(estimate.cpu_seconds(), 0.25);
  EXPECT_DOUBLE_EQ(estimate.gpu_seconds(true), 0.005 + 0.04 + 0.05);
  EXPECT_DOUBLE_EQ(estimate.gpu_seconds(false) - estimate.gpu_seconds(true), 1.0);
  EXPECT_TRUE((Estimate{costly(100.0), 5e8, 4, speeds}.outlasts_start()));
}

TEST(Estimate, LearnsOnlyWhatARunShows) {
  Speeds speeds;
  Observation small = cpu_run(3.0);
  small.pixels = 1e4;
  EXPECT_FALSE(learn(speeds, small));
  EXPECT_FALSE(learn(speeds, cpu_run(0.001)));
  EXPECT_TRUE(speeds.cpu_factor.seen().empty());
  EXPECT_TRUE(learn(speeds, gpu_run(true, 1e-4, 0.0, 0.05)));  // neither started nor copied
  EXPECT_TRUE(speeds.gpus.at(0).start.seen().empty());
  EXPECT_TRUE(speeds.gpus.at(0).pixel.seen().empty());
  EXPECT_EQ(speeds.gpus.at(0).gain.seen().size(), 1u);
}

TEST(Estimate, BeginsAnewWithAnotherGpu) {
  Speeds speeds;
  learn(speeds, gpu_run(false, 1.0, 0.02, 0.05));
  Observation other = gpu_run(false, 0.5, 0.02, 0.05);
  other.device = "another GPU";
  learn(speeds, other);
  EXPECT_EQ(speeds.gpus.at(0).start.seen(), std::vector{0.5});
}

TEST(KnownSpeeds, AreKeptFromProcessToProcess) {
  const Folder folder;
  const fs::path file = folder.path() / "not there yet" / "speeds";
  KnownSpeeds first{file, "CPU"};
  for (int i = 0; i < 3; ++i) first.learn(cpu_run(3.0));
  first.learn(gpu_run(false, 1.0, 0.02, 0.05));
  const KnownSpeeds second{file, "CPU"};
  EXPECT_EQ(second.speeds().cpu_factor.seen(), first.speeds().cpu_factor.seen());
  EXPECT_EQ(second.speeds().cpu_factor_of("invert"), 3.0);
  EXPECT_EQ(second.speeds().filter_factors.size(), 1u);
  EXPECT_EQ(second.speeds().first_gpu().name, "GPU");
  EXPECT_EQ(second.speeds().first_gpu().start.seen(), std::vector{1.0});
  EXPECT_EQ(std::distance(fs::directory_iterator{file.parent_path()}, {}), 1);
  EXPECT_TRUE((KnownSpeeds{file, "another CPU"}.speeds().cpu_factor.seen().empty()));
}

TEST(KnownSpeeds, LearnFromOtherProcessesToo) {
  const Folder folder;
  const fs::path file = folder.path() / "speeds";
  KnownSpeeds first{file, "CPU"}, second{file, "CPU"};
  first.learn(cpu_run(2.0));
  second.learn(cpu_run(3.0));
  EXPECT_EQ(second.speeds().cpu_factor.seen(), (std::vector{2.0, 3.0}));
}

TEST(KnownSpeeds, AreNeverHalfWritten) {
  const Folder folder;
  const fs::path file = folder.path() / "speeds";
  KnownSpeeds{file, "CPU"}.learn(cpu_run(3.0));
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      KnownSpeeds known{file, "CPU"};
      for (int run = 0; run < 50; ++run) known.learn(cpu_run(run % 2 == 0 ? 3.0 : 30.0));
    });
  for (int i = 0; i < 200; ++i)
    ASSERT_FALSE((KnownSpeeds{file, "CPU"}.speeds().cpu_factor.seen().empty()));
}

TEST(KnownSpeeds, AreUnknownIfTheFileIsBroken) {
  const Folder folder;
  const fs::path file = folder.path() / "speeds";
  KnownSpeeds good{file, "CPU"};
  good.learn(cpu_run(3.0));
  good.learn(gpu_run(false, 1.0, 0.02, 0.05));
  const std::string whole = text_of(file);
  std::vector<std::string> broken;
  for (std::size_t size = 0; size + 1 < whole.size(); size += 5)
    broken.push_back(whole.substr(0, size));
  for (const char* number : {"nan", "inf", "-1", "0", "1e999", "3 3 3 3 3 3 3 3 3 3"}) {
    broken.push_back(whole);
    broken.back().replace(whole.find("factor 3"), 8, std::string{"factor "} + number);
    broken.push_back(whole);
    broken.back().replace(whole.find("invert 3"), 8, std::string{"invert "} + number);
  }
  broken.push_back(whole);
  broken.back().replace(whole.find("speeds 2"), 8, "speeds 3");
  for (const std::string& text : broken) {
    std::ofstream{file} << text;
    const KnownSpeeds known{file, "CPU"};
    EXPECT_TRUE(known.speeds().cpu_factor.seen().empty()) << text;
    EXPECT_TRUE(known.speeds().filter_factors.empty()) << text;
    EXPECT_TRUE(known.speeds().gpus.empty()) << text;
  }
  KnownSpeeds{file, "CPU"}.learn(cpu_run(3.0));
  EXPECT_EQ((KnownSpeeds{file, "CPU"}.speeds().cpu_factor.seen().size()), 1u);
}

TEST(KnownSpeeds, LastAsLongAsTheProcessWhereNothingCanBeKept) {
  const test::TemporaryPath no_folder;
  std::ofstream{no_folder.path()} << "a file";
  for (const fs::path& file : {fs::path{}, no_folder.path() / "gimp-cuda-filters" / "speeds"}) {
    KnownSpeeds known{file, "CPU"};
    known.learn(cpu_run(2.0));
    known.learn(cpu_run(3.0));
    EXPECT_EQ(known.speeds().cpu_factor.seen(), (std::vector{2.0, 3.0})) << file;
  }
}

TEST(KnownSpeeds, AreOfTheUsersCacheFolder) {
#ifdef _WIN32
  {
    const test::Variable cache{"LOCALAPPDATA", "C:\\Users\\user\\AppData\\Local"};
    EXPECT_EQ(speeds_file("CPU").parent_path(),
              "C:\\Users\\user\\AppData\\Local\\gimp-cuda-filters");
  }
  const test::Variable nowhere{"LOCALAPPDATA", nullptr};
#else
  const test::Variable home{"HOME", "/home/user"};
  {
    const test::Variable cache{"XDG_CACHE_HOME", "/cache"};
    EXPECT_EQ(speeds_file("CPU").parent_path(), "/cache/gimp-cuda-filters");
    EXPECT_NE(speeds_file("CPU"), speeds_file("another CPU"));
  }
  const test::Variable cache{"XDG_CACHE_HOME", ""};
  EXPECT_EQ(speeds_file("CPU").parent_path(), "/home/user/.cache/gimp-cuda-filters");
  const test::Variable nowhere{"HOME", ""};
#endif
  EXPECT_EQ(speeds_file("CPU"), fs::path{});
}

TEST(KnownSpeeds, OfThisMachineCorrectWhatAJobTakes) {
  const Job job = costly(100.0);
  const double assumed = expected_seconds(job, 1e7, {});
  const Folder folder;
  const test::Variable cache{test::cache_variable, folder.path().string().c_str()};
  EXPECT_EQ(expected_seconds(job, 1e7, {}), assumed);
  const auto lines = describe_estimate();
  for (int i = 0; i < 3; ++i) learn_from(cpu_run(3.0));
  EXPECT_DOUBLE_EQ(expected_seconds(job, 1e7, {}), 3.0 * assumed);
  EXPECT_NE(describe_estimate().front().value, lines.front().value);
}

}  // namespace
}  // namespace cuda_filters
