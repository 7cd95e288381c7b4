// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The environment: CUDA_FILTERS_DEVICE, CUDA_FILTERS_MEMORY, CUDA_FILTERS_CACHE and XDG_CACHE_HOME
// are the first lines of the text; what follows is the file of speeds in the cache folder.
#include <algorithm>
#include <cmath>

#include "gpu/core/device_choice.hpp"
#include "gpu/core/device_image_cache.hpp"
#include "gpu/core/estimate.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/environment.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  const std::string_view text = fuzz::text_of(data, size);
  std::string_view rest = text;
  for (const char* name :
       {"CUDA_FILTERS_DEVICE", "CUDA_FILTERS_MEMORY", "CUDA_FILTERS_CACHE", "XDG_CACHE_HOME"}) {
    const std::string line{rest.substr(0, rest.find('\n'))};
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    test::set_variable(name, line.c_str());
  }
  fuzz::accepted(text,
                 [] { fuzz::require(memory_limit() >= 1 << 20, "a limit of at least a MiB"); });
  fuzz::accepted(text, [] {
    const DeviceChoice choice = choose_device();
    fuzz::require(choice.gpu < 0, "no GPU where there is none");
    fuzz::require(!choice.reason.empty(), "a reason");
  });
  caches_device_images();
  speeds_file("a processor");
  const fuzz::MemoryFile file{rest};
  Speeds speeds = load_speeds(file.name(), "a processor");
  const double factor = speeds.cpu_factor_of("invert");
  fuzz::require(std::isfinite(factor) && factor > 0.0, "a factor that can be used");
  learn(speeds, {.filter = "invert",
                 .cost = 1.0,
                 .pixels = 1e7,
                 .threads = 1,
                 .gpu = -1,
                 .started = false,
                 .device = "a processor",
                 .times = {}});
  return 0;
}
