// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Runs on a machine that lacks something: threads, memory of the host, a GPU that has failed.
#include <gtest/gtest.h>
#ifndef _WIN32
#include <dlfcn.h>
#include <pthread.h>
#endif

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "gpu/core/chain.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace {
std::atomic<int> threads_left = -1;  // negative: as many as the system starts
}

// ThreadSanitizer has a pthread_create() of its own, and Windows none that could be replaced.
#if !defined(__SANITIZE_THREAD__) && !defined(_WIN32)
/// As the system's, which may start no more threads.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  static const auto systems =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) --threads_left;
  return systems(thread, attributes, body, argument);
}
#endif

namespace cuda_filters {
namespace {

class Log final : public Observer {
 public:
  void note(const std::string& sentence) override { notes.push_back(sentence); }
  std::vector<std::string> notes;
};

class Scarcity : public testing::Test {
 protected:
  ~Scarcity() override {
    threads_left = -1;
    cpu::set_thread_count(0);
  }
  MemoryImage expected() {
    MemoryImage out = in;
    Observer silent;
    run_on(make_cpu_backend(), nullptr, job, in, out, all, silent);
    return out;
  }

  MemoryImage in = test::random_image(64, 1000, {SampleType::u8, true, true}, true, 1);
  const Rect all{0, 0, 64, 1000};
  const Job job = make_job(*find_filter("gaussian-blur"), Values{2.0, 2.0, 0.0});
  Log log;
};

TEST_F(Scarcity, OfThreadsLetsTheCallingThreadCompute) {
#ifdef _WIN32
  GTEST_SKIP() << "Threads cannot be made scarce here.";
#endif
  const MemoryImage wanted = expected();
  for (const int left : {0, 1, 3}) {
    cpu::set_thread_count(cpu::thread_count() + 8);  // more than have ever been started
    for (const bool deep : {false, true}) {
      MemoryImage out = in;
      threads_left = left;
      std::unique_ptr<Backend> backend = make_cpu_backend();
      if (deep) backend = std::make_unique<test::Remote>();
      const Report report = run_on(std::move(backend), nullptr, job, in, out, all, log);
      threads_left = -1;
      EXPECT_EQ(out.codes(), wanted.codes()) << left;
      EXPECT_EQ(report.bands, deep ? 8 : 2);
    }
  }
  EXPECT_TRUE(log.notes.empty());
}

/// Where there is no GPU, its backend needs no thread to say so.
TEST_F(Scarcity, OfThreadsSendsARunFromTheGpuToTheCpu) {
  SKIP_WITHOUT("cuda");
  MemoryImage out = in;
  const DeviceChoice gpu = choose_device();
  threads_left = 0;
  const Report report = run(job, in, out, all, gpu, log);
  threads_left = -1;
  EXPECT_FALSE(report.on_gpu);
  EXPECT_EQ(out.codes(), expected().codes());
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_NE(log.notes.front().find("thread"), std::string::npos) << log.notes.front();
}

/// A device for whose rows the host has little memory.
class Poor final : public test::Wrapped {
 public:
  Poor(std::unique_ptr<Backend> inner, std::size_t max_bytes)
      : Wrapped{std::move(inner)}, max_bytes_{max_bytes} {}
  bool is_gpu() const override { return true; }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    if (bytes > max_bytes_) throw std::bad_alloc{};
    return Wrapped::host_memory(bytes);
  }

 private:
  std::size_t max_bytes_;
};

TEST_F(Scarcity, OfHostMemoryHalvesTheBands) {
  MemoryImage out = in;
  const int before = run_on(make_cpu_backend(), nullptr, job, in, out, all, log).bands;
  out = in;
  const Report report = run_on(std::make_unique<Poor>(make_cpu_backend(), 64 * 4 * 700),
                               make_cpu_backend(), job, in, out, all, log);
  EXPECT_TRUE(report.on_gpu);
  EXPECT_GT(report.bands, before);
  EXPECT_EQ(out.codes(), expected().codes());
  EXPECT_TRUE(log.notes.empty());
}

TEST_F(Scarcity, OfHostMemoryOnTheGpusSideLeavesTheWorkToTheCpu) {
  MemoryImage out = in;
  const Report report = run_on(std::make_unique<Poor>(make_cpu_backend(), 1000), make_cpu_backend(),
                               job, in, out, all, log);
  EXPECT_FALSE(report.on_gpu);
  EXPECT_EQ(out.codes(), expected().codes());
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_EQ(log.notes.front(), report.fallback + " The rest was done on the CPU.");
}

TEST_F(Scarcity, OfAllMemoryIsTold) {
  MemoryImage out = in;
  EXPECT_THROW(
      run_on(std::make_unique<Poor>(make_cpu_backend(), 1000), nullptr, job, in, out, all, log),
      std::bad_alloc);
}

/// Pixels that lie where the GPU has no memory: reading them costs a process its context.
class Lost final : public Source {
 public:
  explicit Lost(MemoryImage& image) : image_{image} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Trc trc) override { return image_.encoding(trc); }
  void read(Rect, const Encoding&, std::byte*, std::size_t) override {}
  const PixelView* view() const override { return &view_; }

 private:
  MemoryImage& image_;
  PixelView view_{reinterpret_cast<std::byte*>(0x1000),
                  {0, 0, image_.width(), image_.height()},
                  image_.row_bytes()};
};

using ScarcityDeathTest = Scarcity;

/// In a process of its own, which has no more use of that GPU.
TEST_F(ScarcityDeathTest, OfAGpuThatFailedForGoodIsToldOnce) {
  SKIP_WITHOUT("cuda");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto story = [&] {
    Lost lost{in};
    MemoryImage out = in;
    const DeviceChoice before = choose_device();
    try {
      run_on(make_gpu_backend(before.gpu), nullptr, job, lost, out, all, log);
      return 1;
    } catch (const DeviceError&) {
    }
    const DeviceReport devices = describe_devices();
    if (devices.lost.size() != 1 || devices.lost.front().problem.empty()) return 2;
    if (lost_gpus() != std::vector{devices.lost.front().problem}) return 2;
    const DeviceChoice after = choose_device();
    if (after.gpu == before.gpu || after.reason.empty() || !after.missing.empty()) return 3;
    // Also where the choice was made before.
    for (const DeviceChoice& choice : {after, before}) {
      out = in;
      const Report report = run(job, in, out, all, choice, log);
      if (out.codes() != expected().codes() || !log.notes.empty()) return 4;
      if (choice.gpu == before.gpu && report.on_gpu) return 5;
    }
    const test::Variable wish{"CUDA_FILTERS_DEVICE", std::to_string(before.gpu).c_str()};
    const DeviceChoice asked_for = choose_device();
    if (asked_for.gpu >= 0 || asked_for.reason != devices.lost.front().problem) return 6;
    return 0;
  };
  EXPECT_EXIT(std::_Exit(story()), testing::ExitedWithCode(0), "");
}

TEST(LongChain, IsRefusedBeyondAThousandSteps) {
  const auto chain = [](int steps) {
    std::string text = "gaussian-blur std-dev-x=1500 std-dev-y=1500";
    for (int i = 1; i < steps; ++i) text += "|median-blur radius=400";
    return text;
  };
  const Plan plan = plan_of_chain(parse_chain(chain(1000)));
  EXPECT_GT(plan.halo_y, 999 * 400);
  for (const int steps : {1001, 300000}) try {
      parse_chain(chain(steps));
      ADD_FAILURE() << steps;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string{error.what()}.find(std::to_string(steps)), std::string::npos)
          << error.what();
    }
}

}  // namespace
}  // namespace cuda_filters
