// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Runs in which one allocation fails, the first, the second and so on, alone or with all that
// follow. Each ends with the right picture, or with an error of those that engine.hpp names, and
// leaves no memory behind. Only a program of its own may have such an operator new.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <string>

#include "gpu/core/chain.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace {

std::atomic<long> live_blocks = 0;
/// While `counting`: how many allocations there were, which of them fails, and whether all later
/// ones do, too.
std::atomic<bool> counting = false, failures_go_on = false;
std::atomic<long> allocations = 0, first_failure = 0, failures = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counting) {
    const long number = allocations++;
    if (number == first_failure || (failures_go_on && number > first_failure)) {
      ++failures;
      throw std::bad_alloc{};
    }
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes == 0 ? 1 : bytes)
                           : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc{};
  ++live_blocks;
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  --live_blocks;
  std::free(memory);
}

}  // namespace

// The library's other forms call these.
void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace cuda_filters {
namespace {

/// Where a run goes.
enum class Way { one_thread, three_threads, gpu };
constexpr const char* way_names[] = {"one thread", "three threads", "what behaves as a GPU"};

/// What a child process was doing when it ended, which its parent sees.
struct Place {
  const char* way;
  long allocation;
  bool goes_on;
  bool has_failed;
  long attempts;
};

/// A run of a filter, again and again.
class Story {
 public:
  explicit Story(const FilterEntry& filter) : filter_{filter}, values_{initial_values(filter)} {
    const auto& examples = reference::find(filter.info.name)->examples;
    if (make_job(filter, values_).plan.identity && !examples.empty()) values_ = examples.front();
    if (filter.is_composite())
      values_ = {std::string{"gaussian-blur | invert | canny | pixel-math formula=\"c = u\""}};
    if (filter.needs_selection()) {
      in_ = blank_ = test::random_image(40, 40, {SampleType::u8, true, false}, true, 1);
      region_ = {14, 9, 5, 4};
      in_.selection.assign(std::size_t(in_.width()) * in_.height(), 0);
      for (int y = region_.y; y < region_.bottom(); ++y)
        std::fill_n(&in_.selection[std::size_t(in_.width()) * y + region_.x], region_.width, 255);
    }
    if (filter.creates_image()) {
      in_ = blank_ = test::random_image(20, 60, {SampleType::u8, false, false}, true, 1);
      region_ = {0, 0, in_.width(), in_.height()};
    }
    if (filter.changes_size()) {
      const Size size = resolved(make_job(filter, values_), in_.size()).output;
      region_ = {0, 0, size.width, size.height};
      blank_ = in_.like(size);
    }
    if (filter.takes_aux() && !filter.needs_selection()) {
      auto second = test::random_image(9, 60, {SampleType::u16, true, false}, false, 2);
      aux_ = Aux{"", std::make_shared<MemoryImage>(second), 3, -5};
    }
  }

  /// One run, with the allocation of that number failing: what is wrong, or nothing.
  std::string attempt(Way way, long allocation, bool goes_on) {
    cpu::set_thread_count(way == Way::three_threads ? 3 : 1);
    MemoryImage out = blank_;
    std::string problem;
    bool succeeded = false;
    const long blocks = live_blocks;
    allocations = failures = 0;
    first_failure = allocation, failures_go_on = goes_on;
    counting = true;
    try {
      const ResolvedJob job = resolved(make_job(filter_, values_, aux_), in_.size());
      Observer observer;
      if (way == Way::gpu)
        run_on(std::make_unique<test::Remote>(), make_cpu_backend(), job, in_, out, region_,
               observer);
      else
        run(job, in_, out, region_, {-1, {}}, observer);
      counting = false;
      succeeded = true;
    } catch (const std::bad_alloc&) {
      counting = false;
    } catch (const Error& error) {
      counting = false;
      if (error.what()[0] == '\0') problem = "gives an error without a sentence";
    } catch (const std::exception& error) {
      counting = false;
      problem = std::string{"ends with \""} + error.what() + '"';
    }
    has_failed_ = failures > 0;
    grew_ = live_blocks - blocks;
    if (!problem.empty()) return problem;
    if (!succeeded && !has_failed_) return "fails though nothing did";
    if (succeeded && wanted_ && out.codes() != wanted_->codes())
      return "gives another picture, by up to " +
             std::to_string(test::worst_difference(out, *wanted_, false)) + " codes,";
    if (succeeded && !wanted_) wanted_ = out;
    return {};
  }

  bool has_failed() const { return has_failed_; }
  long grew() const { return grew_; }

 private:
  const FilterEntry& filter_;
  Values values_;
  MemoryImage in_ = test::random_image(32, 24, {SampleType::u8, true, true}, true, 1);
  MemoryImage blank_ = in_;
  Rect region_{4, 3, 21, 17};
  std::optional<Aux> aux_{};
  std::optional<MemoryImage> wanted_{};
  bool has_failed_ = false;
  long grew_ = 0;
};

/// Calls f in a process of its own, which may take ten minutes: whether that says nothing is wrong.
bool succeeds_alone(const std::function<bool()>& f) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);
    const bool good = f();
    std::fflush(nullptr);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("  ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// ALLOCATIONS=all: each; otherwise the first hundred, and then every one that is a hundredth
/// further.
long after(long allocation) {
  static const char* const wish = std::getenv("ALLOCATIONS");
  static const bool all = wish != nullptr && std::string{wish} == "all";
  return allocation + 1 + (all ? 0 : allocation / 100);
}

class Allocations : public testing::TestWithParam<const FilterEntry*> {
 protected:
  Allocations()
      : place_{static_cast<Place*>(mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))} {}
  ~Allocations() override { munmap(place_, sizeof(Place)); }

  std::string description() const {
    return std::string{" with "} + place_->way + ", allocation " +
           std::to_string(place_->allocation) + (place_->goes_on ? " and all later ones" : "");
  }

  bool good(Story& story, Way way, long allocation, bool goes_on) {
    place_->way = way_names[static_cast<int>(way)];
    place_->allocation = allocation, place_->goes_on = goes_on, ++place_->attempts;
    const std::string problem = story.attempt(way, allocation, goes_on);
    if (!problem.empty()) std::printf("  %s%s\n", problem.c_str(), description().c_str());
    return problem.empty();
  }

  Place* const place_;
};

/// In a process that has run the filter before, in which only that run's own allocations remain.
TEST_P(Allocations, ThatFailEndInAPictureOrAnError) {
  const bool done = succeeds_alone([&] {
    bool all_good = true;
    for (const Way way : {Way::one_thread, Way::three_threads, Way::gpu}) {
      Story story{*GetParam()};
      for (int i = 0; i < 3; ++i)
        if (!good(story, way, -1, false)) return false;
      for (const bool goes_on : {false, true})
        for (long allocation = 0;; allocation = after(allocation)) {
          all_good = good(story, way, allocation, goes_on) && all_good;
          if (!story.has_failed()) break;
          // Threads that stay keep buffers of their own, from when they first get work.
          if (way == Way::three_threads || story.grew() <= 0) continue;
          all_good = good(story, way, allocation, goes_on) && all_good;
          if (story.grew() <= 0) continue;
          std::printf("  leaves %ld blocks behind%s\n", story.grew(), description().c_str());
          all_good = false;
        }
    }
    return all_good;
  });
  EXPECT_TRUE(done) << "last attempt:" << description();
  std::printf("  %ld runs\n", place_->attempts);
}

/// In a process that has not run anything, and makes its tables and threads.
TEST_P(Allocations, ThatFailInAFirstRunEndInAPictureOrAnError) {
  Story story{*GetParam()};
  for (const bool goes_on : {false, true})
    for (long allocation = 0;; allocation += 1 + allocation / 8) {
      place_->has_failed = true;
      EXPECT_TRUE(succeeds_alone([&] {
        const bool all_good = good(story, Way::three_threads, allocation, goes_on);
        place_->has_failed = story.has_failed();
        return good(story, Way::three_threads, -1, false) &&
               all_good;  // the next run lacks nothing
      })) << "last attempt:"
          << description();
      if (!place_->has_failed) break;
    }
}

std::vector<const FilterEntry*> all_filters() {
  std::vector<const FilterEntry*> all;
  for (const FilterEntry& filter : filters()) all.push_back(&filter);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Allocations, testing::ValuesIn(all_filters()),
                         [](const auto& info) {
                           std::string name = info.param->info.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cuda_filters
