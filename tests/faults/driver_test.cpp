// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
//
// Every call of NVIDIA's driver fails once, for each filter: what comes of it is a picture of which
// each row is from the GPU or from the processor, or an error that is a sentence. An old driver is
// not used, and of two GPUs that one which does the work. The driver is one that runs nothing
// (tests/fake_driver), so this needs no GPU.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/device_choice.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/core/error.hpp"
#include "tests/fake_driver/fake_driver.hpp"
#include "tests/support/example.hpp"

namespace cuda_filters {
namespace {

test::FakeDriver& fake() {
  static auto* const found = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void* const function = library != nullptr ? dlsym(library, "fake_driver") : nullptr;
    if (function == nullptr) {
      std::fprintf(stderr, "libcuda.so.1 is not the one of tests/fake_driver.\n");
      std::_Exit(70);
    }
    return reinterpret_cast<test::FakeDriver* (*)()>(function)();
  }();
  return *found;
}

/// A failure, as the driver reports it.
struct Fault {
  const char* name;
  CUresult code;
  bool is_lost_then;  ///< whether no call after it succeeds
};
constexpr Fault faults[]{{"OutOfMemory", CUDA_ERROR_OUT_OF_MEMORY, false},
                         {"Unknown", CUDA_ERROR_UNKNOWN, false},
                         {"LostDevice", CUDA_ERROR_ILLEGAL_ADDRESS, true}};

constexpr Format format{SampleType::u8, true, true};

Values example_of(const FilterEntry& filter) {
  const reference::Reference* found = reference::find(filter.info.name);
  return found != nullptr && !found->examples.empty() ? found->examples.front()
                                                      : initial_values(filter);
}

/// A run of a filter on a picture of more bands than one, and what came of it.
struct Run {
  explicit Run(const FilterEntry& its_filter)
      : filter{its_filter},
        values{example_of(filter)},
        in{filter.needs_selection() ? test::random_image(120, 100, format, true, 7)
                                    : test::example_image(filter, 120, 100, format, true, 7)} {
    if (!filter.needs_selection()) return;
    in.selection.resize(static_cast<std::size_t>(in.width()) * in.height());
    for (int y = 40; y < 60; ++y) std::fill_n(&in.selection[y * in.width() + 30], 20, 255);
    region = {30, 40, 20, 20};
  }

  /// Empty, or what is wrong with the error that came.
  std::string go(int gpu) { return go(DeviceChoice{gpu, ""}); }
  std::string go(const DeviceChoice& device) {
    const ResolvedJob job = resolved(make_job(filter, values), in.size());
    if (!filter.needs_selection()) region = {0, 0, job.output.width, job.output.height};
    out = in.like(job.output);
    Observer observer;
    try {
      report = run(job, in, out, region, device, observer);
    } catch (const Error& error) {
      sentence = error.what();
      if (sentence.size() < 10) return "an error without a sentence";
    } catch (const std::bad_alloc&) {
      return "std::bad_alloc";
    }
    return {};
  }

  std::size_t row_bytes() const { return out.row_bytes(); }

  const FilterEntry& filter;
  Values values;
  MemoryImage in;
  Rect region{};
  MemoryImage out{1, 1, format};
  Report report{};
  std::string sentence{};  ///< of the error, if there was one
};

/// Ends a child process with a word about what is wrong, which the parent reads.
[[noreturn]] void end(int pipe, const std::string& word) {
  (void)!write(pipe, word.data(), word.size());
  std::_Exit(0);
}

/// What a process of its own writes, and how it ended; a lost GPU stays lost in a process.
template <class F>
std::string in_a_process(F f) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "pipe() failed";
  const pid_t child = fork();
  if (child < 0) return "fork() failed";
  if (child == 0) {
    close(ends[0]);
    alarm(60);  // a run that hangs is ended
    f(ends[1]);
    end(ends[1], "nothing");
  }
  close(ends[1]);
  std::string said;
  std::array<char, 512> some{};
  for (ssize_t count; (count = read(ends[0], some.data(), some.size())) > 0;)
    said.append(some.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return said + "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? said
                                  : said + "ended with " + std::to_string(WEXITSTATUS(status));
}

class DriverFaults : public testing::TestWithParam<std::tuple<const FilterEntry*, Fault>> {};

constexpr const char* done = "all calls succeeded";
constexpr std::size_t memory_of_gpu = std::size_t{1} << 20;  // of which bands are a sixteenth

/// Every how many-th call fails: DRIVER_FAULT_STEP=1 is for all of them, which take 20 minutes
/// of a processor.
long step_of_calls() {
  const char* step = std::getenv("DRIVER_FAULT_STEP");
  return step != nullptr ? std::max(std::atol(step), 1L) : 16;
}

/// The result of a run in which all calls succeed, or the sentence of its error: what a GPU that
/// runs nothing has found may be that nothing is selected.
std::string result_of_gpu(const FilterEntry& filter) {
  return in_a_process([&](int pipe) {
    Run run{filter};
    fake().memory = memory_of_gpu;
    (void)run.go(0);
    if (!run.sentence.empty()) end(pipe, run.sentence);
    const std::vector<std::byte>& codes = run.out.codes();
    end(pipe, {reinterpret_cast<const char*>(codes.data()), codes.size()});
  });
}

/// Runs with the n-th call failing: "" if all is well, `done` if there is no n-th call.
std::string with_failing_call(const FilterEntry& filter, const Fault& fault, long n,
                              const std::string& of_gpu) {
  return in_a_process([&](int pipe) {
    Run on_gpu{filter};
    fake().memory = memory_of_gpu;
    fake().fail_at = n, fake().failure = fault.code, fake().is_lost_then = fault.is_lost_then;
    const std::string problem = on_gpu.go(0);
    release_freed_memory();
    const bool was_reached = fake().calls >= n;
    if (!problem.empty()) end(pipe, problem);
    if (!fake().misuse.empty()) end(pipe, "the driver does not understand " + fake().misuse);
    // Nothing of the run is left on the GPU, but for what could not be given back.
    const int left = fake().allocations + fake().streams + fake().events + fake().registered;
    const bool gives_back = fake().failed_in.find("Free") != std::string::npos ||
                            fake().failed_in.find("Destroy") != std::string::npos ||
                            fake().failed_in.find("Unregister") != std::string::npos;
    if (!fault.is_lost_then && left > (gives_back ? 1 : 0))
      end(pipe, std::to_string(fake().allocations) + " allocations, " +
                    std::to_string(fake().streams) + " streams, " + std::to_string(fake().events) +
                    " events and " + std::to_string(fake().registered) +
                    " registered blocks are left, after " + fake().failed_in);
    if (!was_reached) end(pipe, done);
    if (!on_gpu.sentence.empty())
      end(pipe,
          on_gpu.sentence == of_gpu ? "" : fake().failed_in + " ends a run: " + on_gpu.sentence);
    if (!on_gpu.report.on_gpu && on_gpu.report.fallback.empty())
      end(pipe, "nobody is told of the failure of " + fake().failed_in);
    if (on_gpu.report.on_gpu) end(pipe, "");
    // Each row is the processor's or the GPU's, where nothing was run. What the GPU has found of
    // the whole picture counts for the rest, too.
    Run on_cpu{filter};
    (void)on_cpu.go(-1);
    if (needs_all(make_job(filter, on_cpu.values))) end(pipe, "");
    const std::vector<std::byte>&got = on_gpu.out.codes(), &wanted = on_cpu.out.codes();
    if (wanted.size() != got.size()) end(pipe, "another size");
    const std::size_t bytes = on_cpu.out.row_bytes();
    for (std::size_t at = 0; at < got.size(); at += bytes)
      if (std::memcmp(&got[at], &wanted[at], bytes) != 0 &&
          (of_gpu.size() != got.size() || std::memcmp(&got[at], &of_gpu[at], bytes) != 0))
        end(pipe, "row " + std::to_string(at / bytes) + " is nobody's, after " + fake().failed_in);
    end(pipe, "");
  });
}

/// What is wrong with a run on a machine with an old driver, or `done`.
std::string with_old_driver() {
  return in_a_process([](int pipe) {
    fake().version = 11040;
    const DeviceReport devices = describe_devices();
    const std::string needed = format_text("CUDA %d.0 (NVIDIA ", CUDA_VERSION / 1000);
    if (devices.driver_version != 11040 || !devices.gpus.empty() ||
        devices.problem.find("CUDA 11.4") == std::string::npos ||
        devices.problem.find(needed) == std::string::npos)
      end(pipe, "the driver's problem is: " + devices.problem);
    if (choose_device().gpu != -1 || choose_device().reason != devices.problem)
      end(pipe, "it is chosen");
    Run on_gpu{*find_filter("gaussian-blur")}, on_cpu{*find_filter("gaussian-blur")};
    (void)on_gpu.go(0);
    (void)on_cpu.go(-1);
    if (on_gpu.report.on_gpu || on_gpu.report.fallback != devices.problem)
      end(pipe, "the run says: " + on_gpu.report.fallback);
    if (on_gpu.out.codes() != on_cpu.out.codes()) end(pipe, "not the processor's pixels");
    end(pipe, done);
  });
}

TEST(OldDriver, IsNotUsedAndSaysWhatIsNeeded) { EXPECT_EQ(with_old_driver(), done); }

TEST(IdleMemory, CountsForTheNextRun) {
  const std::string said = in_a_process([](int pipe) {
    fake().memory = memory_of_gpu;
    const auto budget = [] {
      const auto backend = make_gpu_backend(0);
      backend->wait_until_ready();
      (void)backend->memory(memory_of_gpu / 2);  // freed at once
      return backend->budget();
    };
    const std::size_t first = budget(), second = budget();
    if (fake().reserved_memory < memory_of_gpu / 2) end(pipe, "the pool kept nothing");
    if (first != second || first == 0)
      end(pipe, std::to_string(first) + " bytes, then " + std::to_string(second));
    const auto backend = make_gpu_backend(0);
    const auto held = backend->memory(memory_of_gpu / 2);
    if (budget() > first / 2) end(pipe, "what is used counts as free");
    end(pipe, done);
  });
  EXPECT_EQ(said, done);
}

class TwoGpus : public testing::TestWithParam<const FilterEntry*> {};

/// Runs the filter with two GPUs in the machine: `done` if these contexts were made.
std::string with_contexts(const FilterEntry& filter, const DeviceChoice& device,
                          std::array<int, 2> wanted) {
  return in_a_process([&](int pipe) {
    fake().memory = memory_of_gpu;
    fake().gpus = 2;
    Run run{filter};
    if (const std::string problem = run.go(device); !problem.empty()) end(pipe, problem);
    release_idle_memory();
    if (!fake().misuse.empty()) end(pipe, "the driver does not understand " + fake().misuse);
    if (fake().contexts == wanted) end(pipe, done);
    end(pipe, std::to_string(fake().contexts[0]) + " and " + std::to_string(fake().contexts[1]));
  });
}

TEST_P(TwoGpus, OfWhichOneIsUsedHaveOneContext) {
  const FilterEntry& filter = *GetParam();
  EXPECT_EQ(with_contexts(filter, {0, ""}, {1, 0}), done);
  EXPECT_EQ(with_contexts(filter, {1, ""}, {0, 1}), done);
}

TEST_P(TwoGpus, ThatCannotShareAJobHaveOneContext) {
  const FilterEntry& filter = *GetParam();
  const bool shares = can_be_shared(make_job(filter, example_of(filter)));
  EXPECT_EQ(with_contexts(filter, {1, "", {0}}, {shares ? 1 : 0, 1}), done);
}

std::vector<const FilterEntry*> all_filters() {
  std::vector<const FilterEntry*> all;
  for (const FilterEntry& filter : filters()) all.push_back(&filter);
  return all;
}

TEST_P(DriverFaults, LeaveAPictureOrASentence) {
  const auto& [filter, fault] = GetParam();
  const std::string of_gpu = result_of_gpu(*filter);
  // Filters begin at different calls, so that all of them together see each of a run's beginning.
  const long step = step_of_calls();
  const std::vector<const FilterEntry*> all = all_filters();
  const long first = 1 + (std::ranges::find(all, filter) - all.begin()) % step;
  for (long n = first;; n += step) {
    const std::string said = with_failing_call(*filter, fault, n, of_gpu);
    if (said == done) return;
    ASSERT_EQ(said, "") << "call " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Filters, TwoGpus, testing::ValuesIn(all_filters()), [](const auto& info) {
  std::string name = info.param->info.name;
  std::ranges::replace(name, '-', '_');
  return name;
});
INSTANTIATE_TEST_SUITE_P(Filters, DriverFaults,
                         testing::Combine(testing::ValuesIn(all_filters()),
                                          testing::ValuesIn(faults)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param)->info.name;
                           std::ranges::replace(name, '-', '_');
                           return name + "_" + std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace cuda_filters
