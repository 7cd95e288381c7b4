// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Images that no int can count: a pattern that repeats every 64 pixels, made row by row and checked
// row by row, so that no memory holds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <iostream>
#include <map>
#include <string_view>

#include "gpu/core/chain.hpp"
#include "gpu/core/engine.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/memory.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr int period = 64;
constexpr Format format{SampleType::u8, true, true};

/// The pattern, as large as one likes.
class Pattern final : public Source {
 public:
  Pattern(int width, int height) : width_{width}, height_{height} {}
  int width() const override { return width_; }
  int height() const override { return height_; }
  Encoding encoding(Trc trc) override { return tile_.encoding(trc); }
  std::optional<Transfer> transfer(Trc trc) override { return tile_.transfer(trc); }
  /// Whole periods, which have the statistics of one.
  Rect analyzed_area(Rect) override {
    return {0, 0, width_ - width_ % period, height_ - height_ % period};
  }
  void read(Rect area, const Encoding&, std::byte* to, std::size_t stride) override {
    for (int y = 0; y < area.height; ++y) {
      const std::byte* row = tile_.codes().data() + (area.y + y) % period * tile_.row_bytes();
      for (int x = 0; x < area.width;) {
        const int column = (area.x + x) % period, count = std::min(period - column, area.width - x);
        std::memcpy(to + y * stride + x * 4ul, row + column * 4ul, count * 4ul);
        x += count;
      }
    }
  }

 private:
  int width_, height_;
  MemoryImage tile_ = test::random_image(period, period, format, true, 77);
};

/// Counts the pixels, away from the ends, that differ from a small result.
class Checker final : public Sink {
 public:
  Checker(const MemoryImage& small, int margin, int width, int height)
      : small_{small}, margin_{margin}, width_{width}, height_{height} {}
  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override {
    rows += area.height;
    for (int y = std::max(area.y, margin_); y < std::min(area.bottom(), height_ - margin_); ++y)
      for (int x = margin_; x + period <= width_ - margin_; x += period) {
        const std::size_t small_row = margin_ + y % period;
        const std::byte* wanted =
            small_.codes().data() + small_row * small_.row_bytes() + margin_ * 4ul;
        wrong += std::memcmp(from + (y - area.y) * stride + x * 4ul, wanted, period * 4ul) != 0;
      }
  }
  void begin(Size size, const Encoding&) override { told = size; }
  long rows = 0, wrong = 0;
  Size told{};

 private:
  const MemoryImage& small_;
  int margin_, width_, height_;
};

struct Case {
  const FilterEntry* filter;
  std::string backend;
};

class Huge : public testing::TestWithParam<Case> {
 protected:
  /// Statistics of neighborhoods are those of a small picture if both go on as themselves.
  static bool needs_whole_periods(const Plan& plan) {
    return plan.analysis == AnalysisScope::region && plan.halo_y > 0;
  }

  Job example() const {
    const FilterEntry& filter = *GetParam().filter;
    const auto& examples = reference::find(filter.info.name)->examples;
    Job job = make_job(filter, examples[std::min<std::size_t>(1, examples.size() - 1)]);
    if (needs_whole_periods(job.plan))
      for (const Values& values : examples) {
        job = make_job(filter, values);
        if (job.plan.border == Border::wrap) break;
      }
    return job;
  }

  void check(int width, int height) { check(example(), width, height); }

  /// Runs the job on so many of the last rows, or on all where that cannot be.
  void check(const Job& job, int width, int height, int last_rows = INT_MAX) {
    const FilterEntry& filter = *job.filter;
    // A picture that is resized by half keeps its pattern if it ends with one.
    const bool resizes = filter.changes_size();
    // Nor does that of a histogram of all pixels change then.
    const bool of_all = job.plan.analysis == AnalysisScope::image;
    if (resizes || of_all || needs_whole_periods(job.plan))
      width -= width % period, height -= height % period;
    const int halo = std::max({job.plan.halo_x, job.plan.halo_y, 1});
    const int margin = (halo + period - 1) / period * period;
    Observer observer;

    const int small_size = (2 * margin + period) * (resizes ? 2 : 1);
    Pattern small_source{small_size, small_size};
    const Size small_result = resolved(job, {small_size, small_size}).output;
    MemoryImage small = test::empty_image(small_result.width, small_result.height, format, true);
    run_on(test::make_backend(GetParam().backend), nullptr, job, small_source, small,
           {0, 0, small.width(), small.height()}, observer);

    Pattern source{width, height};
    const Size result = resolved(job, {width, height}).output;
    Checker checker{small, margin, result.width, result.height};
    const bool is_whole = resizes || filter.creates_image();
    const int rows = is_whole ? result.height : std::min(last_rows, result.height);
    run_on(test::make_backend(GetParam().backend), nullptr, job, source, checker,
           {0, result.height - rows, result.width, rows}, observer);
    // Of a new image the sink is told the size.
    const int expected = filter.creates_image() ? checker.told.height : rows;
    EXPECT_GT(expected, 0);
    EXPECT_EQ(checker.rows, expected);
    if (!depends_on_size(filter)) {
      EXPECT_EQ(checker.wrong, 0);
    }
  }

  /// A pyramid down to a single pixel has more levels of a larger picture.
  static bool depends_on_size(const FilterEntry& filter) {
    return std::string_view{filter.info.name} == "local-contrast";
  }
};

TEST_P(Huge, MoreThanTwoToThe31Bytes) {
  SKIP_WITHOUT(GetParam().backend);
  constexpr int side = 23200;
  const Job job = example();
  const double cost = job.plan.cost * job.plan.passes;
  const bool reads_all =
      job.plan.analysis != AnalysisScope::none || depends_on_size(*GetParam().filter);
  if (GetParam().backend == "cpu" && reads_all && cost > 90.0)
    GTEST_SKIP() << "so many pixels take minutes without a GPU";
  // A processor computes so many of the last rows, which end beyond 2³¹ bytes, that it takes
  // seconds.
  constexpr double nanoseconds = 5e9;
  const double rows = nanoseconds / (cost * side);
  check(job, side, side,
        GetParam().backend == "cpu" && rows < side ? static_cast<int>(rows) : side);
}

TEST_P(Huge, WiderThan65535) {
  SKIP_WITHOUT(GetParam().backend);
  check(131199, 300);
}

TEST_P(Huge, HigherThan65535) {
  SKIP_WITHOUT(GetParam().backend);
  check(300, 131199);
}

/// Of the filters whose bands know of each other, or look far. It takes minutes without a GPU:
/// --gtest_also_run_disabled_tests.
TEST_P(Huge, DISABLED_TwoGigapixels) {
  SKIP_WITHOUT(GetParam().backend);
  const std::map<std::string, std::vector<std::string>> values{
      {"gaussian-blur", {"std-dev-x=20", "std-dev-y=20"}},
      {"median-blur", {"neighborhood=square", "radius=5"}},
      {"canny", {}},
      {"autocontrast", {}}};
  const FilterEntry& filter = *GetParam().filter;
  const auto found = values.find(filter.info.name);
  if (found == values.end()) GTEST_SKIP() << "nothing new at this size";
  test::peak_host_memory();
  const double before = test::peak_host_memory();
  const auto start = std::chrono::steady_clock::now();
  check(make_job(filter, parse_values(filter, found->second)), 65536, 32768);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double engine = test::peak_host_memory() - before;
  std::cout << filter.info.name << ": " << time.count() << " s, " << engine / (1 << 20) << " MiB\n";
  EXPECT_LT(engine, double{1 << 30});
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FilterEntry& filter : filters())
    if (!filter.needs_selection())  // heal_test.cpp has these
      for (const char* backend : {"cpu", "cuda"}) all.push_back({&filter, backend});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Huge, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = std::string{info.param.filter->info.name} + "_" + info.param.backend;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace cuda_filters
