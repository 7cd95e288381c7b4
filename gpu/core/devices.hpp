// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cuda_filters {

/// A graphics processor as the driver describes it; sizes in bytes.
struct GpuDescription {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;
  std::size_t memory_total = 0;
  std::string problem{};  ///< why this process can use it no more, or empty
};

/// What there is to run on for this process. Asking makes no context and needs no driver.
struct DeviceReport {
  std::vector<GpuDescription> gpus;             ///< that can be used
  std::vector<GpuDescription> lost;             ///< that could be used before they failed
  int driver_version = 0, runtime_version = 0;  ///< 1000·major + 10·minor; 0: none
  std::string problem;                          ///< why there is no usable GPU, or empty
};
DeviceReport describe_devices();

/// Why this process can use no more the GPUs that it has lost, a sentence each. Asks no driver.
std::vector<std::string> lost_gpus();

/// The free memory of GPU number `gpu` in bytes, or 0 if it does not say. Makes a context there.
std::size_t free_memory(int gpu);

/// The GPU that choose_device() seems to take, if any: by the driver's answer if it was asked,
/// which takes a tenth of a second, else by whether the driver is loaded.
std::optional<int> likely_gpu();
/// Gives back memory of GPUs that was freed and is kept for the next run.
void release_freed_memory();

/// The processor's name and how many threads a run uses.
std::string describe_cpu();
/// How many threads a run uses.
int cpu_threads();

}  // namespace cuda_filters
