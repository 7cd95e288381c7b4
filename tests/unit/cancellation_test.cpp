// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Runs that end early: because the observer says so, in the middle of a band.
#include "gpu/core/cancellation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gpu/cpu/exec.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/entry.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

/// Pieces of work that take minutes, on however many threads, if nobody cancels them.
constexpr int pieces = 10'000'000;
std::atomic<int> done = 0;

void work_for_a_millisecond() {
  ++done;
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

/// A filter of many short pieces of work, or of a single one that has cancellation points.
template <bool many>
struct Endless {
  struct Params {};
  static constexpr FilterInfo info{"endless", "", "", "", "", Category::generic};
  static constexpr std::array<Param, 0> params{};
  static Plan plan(const Params&) { return {}; }
  template <class Exec>
  static void apply(Exec&, const Params&, const typename Exec::Input&,
                    const typename Exec::Output&) {
    if constexpr (std::same_as<Exec, cpu::Exec>) compute();
  }
  static void compute() {
    if (many) return cpu::parallel_for(pieces, [](int) { work_for_a_millisecond(); });
    cpu::parallel_for(2, [](int) {
      for (int i = 0; i < pieces / 2; ++i) {
        cancellation_point();
        work_for_a_millisecond();
      }
    });
  }
};

/// Cancels a run when it is asked for the third time.
class Impatient final : public Observer {
 public:
  bool progress(double) override { return ++asked < 3; }
  int asked = 0;
};

class Cancellation : public testing::Test {
 protected:
  void expect_early_end(const FilterEntry& filter, std::unique_ptr<Backend> backend) {
    done = 0;
    MemoryImage out = in;
    EXPECT_THROW(run_on(std::move(backend), nullptr, make_job(filter, initial_values(filter)), in,
                        out, all, impatient),
                 Cancelled);
    EXPECT_EQ(impatient.asked, 3);
    EXPECT_GT(done, 0);
    EXPECT_LT(done, pieces);
    EXPECT_EQ(out.codes(), in.codes());
  }

  MemoryImage in = test::random_image(64, 64, {SampleType::u8, true, true}, true, 1);
  const Rect all{0, 0, 64, 64};
  Impatient impatient;
};

TEST_F(Cancellation, EndsABandBetweenPiecesOfWork) {
  expect_early_end(test::entry_of<Endless<true>>(), make_cpu_backend());
}

TEST_F(Cancellation, EndsAPieceOfWorkThatHasCancellationPoints) {
  expect_early_end(test::entry_of<Endless<false>>(), make_cpu_backend());
}

TEST_F(Cancellation, EndsABandOnOneThread) {
  cpu::set_thread_count(1);
  expect_early_end(test::entry_of<Endless<true>>(), make_cpu_backend());
  cpu::set_thread_count(0);
}

/// A GPU computes what it was given; the run ends as soon as that is over.
TEST_F(Cancellation, EndsWhileADeviceIsWaitedFor) {
  struct Slow final : test::Wrapped {
    explicit Slow(bool& abandoned) : Wrapped{make_cpu_backend()}, abandoned_{abandoned} {}
    bool finish(std::chrono::milliseconds) override {
      work_for_a_millisecond();
      return done == pieces;
    }
    void abandon() noexcept override { abandoned_ = true; }
    bool& abandoned_;
  };
  bool abandoned = false;
  expect_early_end(*find_filter("invert"), std::make_unique<Slow>(abandoned));
  EXPECT_TRUE(abandoned);
}

/// What one run cancels is no news to the next one.
TEST_F(Cancellation, IsForgottenByTheNextRun) {
  expect_early_end(test::entry_of<Endless<true>>(), make_cpu_backend());
  MemoryImage out = in;
  Observer silent;
  const FilterEntry& invert = *find_filter("invert");
  run_on(make_cpu_backend(), nullptr, make_job(invert, initial_values(invert)), in, out, all,
         silent);
  EXPECT_NE(out.codes(), in.codes());
  EXPECT_NO_THROW(cancellation_point());
}

}  // namespace
}  // namespace cuda_filters
