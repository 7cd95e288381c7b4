// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/backend.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/error.hpp"

// Stands in for gpu/cuda where the project was built without a CUDA compiler.

namespace cuda_filters {

DeviceReport describe_devices() {
  DeviceReport report;
  report.problem = tr(N_("This build has no GPU support: it was made without a CUDA compiler."));
  return report;
}

std::size_t free_memory(int) { return 0; }

std::vector<std::string> lost_gpus() { return {}; }

std::optional<int> likely_gpu() { return std::nullopt; }

void release_freed_memory() {}

std::unique_ptr<Backend> make_gpu_backend(int) { throw DeviceError{describe_devices().problem}; }

}  // namespace cuda_filters
