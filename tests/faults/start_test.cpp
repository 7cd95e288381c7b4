// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
//
// No allocation of what is linked succeeds before main() begins: there nobody could catch an
// exception, which would end GIMP with the operations that it loads. What kernels there are is
// told then. Later runs go to the processor, and the GPU's problem is a sentence. The driver is
// that of tests/fake_driver.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "tests/support/pictures.hpp"

namespace {

bool main_has_begun = false;
int failures = 0;

}  // namespace

// The library's other forms call these.
void* operator new(std::size_t bytes) {
  if (!main_has_begun) {
    ++failures;
    throw std::bad_alloc{};
  }
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  using namespace cuda_filters;
  main_has_begun = true;
  const auto fail = [](const char* why, const std::string& what) {
    std::fprintf(stderr, "%s %s\n", why, what.c_str());
    return EXIT_FAILURE;
  };
  if (failures == 0) return fail("Nothing was allocated before main().", "");
  const DeviceReport devices = describe_devices();
  if (!devices.gpus.empty()) return fail("A GPU is used whose kernels are not known.", "");
  if (devices.problem.find("memory") == std::string::npos)
    return fail("The problem is told so:", devices.problem);
  const FilterEntry& filter = *find_filter("invert");
  const MemoryImage in = test::random_image(40, 30, {SampleType::u8, true, true}, true, 1);
  MemoryImage source = in, on_gpu = in, on_cpu = in;
  Observer observer;
  const ResolvedJob job = resolved(make_job(filter, initial_values(filter)), in.size());
  const Rect all{0, 0, in.width(), in.height()};
  const Report report = run(job, source, on_gpu, all, {0, ""}, observer);
  (void)run(job, source, on_cpu, all, {-1, ""}, observer);
  if (report.fallback != devices.problem) return fail("The run says:", report.fallback);
  if (on_gpu.codes() != on_cpu.codes()) return fail("Not the processor's pixels.", "");
  return EXIT_SUCCESS;
}
