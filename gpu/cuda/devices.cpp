// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/devices.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "gpu/core/device_choice.hpp"
#include "gpu/core/system.hpp"
#include "gpu/cuda/device_job.hpp"
#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/kernels_file.hpp"
#include "gpu/cuda/known_gpus.hpp"

namespace cuda_filters {

namespace cuda {

void remember_lost_gpu(cudaError_t code) noexcept try {
  int gpu = -1;
  std::size_t free = 0, total = 0;
  if (cudaGetDevice(&gpu) != cudaSuccess) return;
  if (!UsedGpus::all().contains(gpu)) return;  // it is busy, perhaps, and never was this process's
  const cudaError_t now = cudaMemGetInfo(&free, &total);
  (void)cudaGetLastError();
  if (now == cudaSuccess || now == cudaErrorMemoryAllocation) return;
  for (const GpuDescription& known : describe_devices().gpus)
    if (known.index == gpu)
      LostGpus::add(gpu, format_text(tr(N_("%s failed: %s. It is used again once GIMP has been "
                                           "started anew.")),
                                     known.name.c_str(), cudaGetErrorString(code)));
} catch (const std::exception&) {  // the next run will find out once more
}

}  // namespace cuda

void release_freed_memory() {
  for (const int gpu : cuda::UsedGpus::all()) try {
      cuda::use_device(gpu);
      cuda::check(cudaMemPoolTrimTo(cuda::pool_of(gpu), 0));
    } catch (const Error&) {  // it stays there for the next run
    }
}

namespace {

std::atomic<bool> driver_was_asked{false};

/// The oldest driver that will do, and which one of its vendor's that is.
std::string oldest_driver_name() {
  constexpr int major = cuda::oldest_driver / 1000;
  std::string name = format_text("CUDA %d.0", major);
  if (major == 12) name += " (NVIDIA 525)";
  if (major == 13) name += " (NVIDIA 580)";
  return name;
}

/// Why the driver has no GPU, a sentence.
std::string driver_problem(cudaError_t problem, int driver_version) {
  if (driver_version == 0) return tr(N_("There is no NVIDIA driver on this machine."));
  if (problem == cudaErrorInsufficientDriver)
    return format_text(tr(N_("The NVIDIA driver is too old: it is one for CUDA %d.%d, and %s or "
                             "newer is needed.")),
                       driver_version / 1000, driver_version % 1000 / 10,
                       oldest_driver_name().c_str());
  return format_text(tr(N_("The NVIDIA driver has no GPU to offer: %s.")),
                     cudaGetErrorString(problem));
}

DeviceReport ask_driver() {
  DeviceReport report;
  (void)cudaRuntimeGetVersion(&report.runtime_version);
  (void)cudaDriverGetVersion(&report.driver_version);
  int count = 0;
  const cudaError_t problem = cudaGetDeviceCount(&count);
  if (problem != cudaSuccess) {
    (void)cudaGetLastError();
    report.problem = driver_problem(problem, report.driver_version);
    return report;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    GpuDescription gpu;
    gpu.index = i;
    gpu.name = properties.name;
    gpu.compute_major = properties.major;
    gpu.compute_minor = properties.minor;
    gpu.memory_total = properties.totalGlobalMem;
    report.gpus.push_back(gpu);
  }
  if (report.gpus.empty()) report.problem = tr(N_("The NVIDIA driver knows no GPU."));
  if (!cuda::has_all_kernels()) {
    report.gpus.clear();
    report.problem = tr(N_("There is not enough memory. Close other images or programs."));
  } else if (!cuda::has_kernels()) {
    report.gpus.clear();
    std::string places;
    for (const auto& file : cuda::possible_kernels_files())
      places += (places.empty() ? "" : ", ") + file.string();
    report.problem = format_text(tr(N_("The kernels for GPUs are missing, or of another version. "
                                       "Install the plug-in again; they should be in one of these "
                                       "files: %s")),
                                 places.c_str());
  }
  return report;
}

}  // namespace

DeviceReport describe_devices() {
  static const DeviceReport found = ask_driver();
  driver_was_asked = true;
  DeviceReport report = found;
  for (const auto& [index, problem] : cuda::LostGpus::all()) {
    const auto gpu = std::ranges::find(report.gpus, index, &GpuDescription::index);
    gpu->problem = problem;
    report.lost.push_back(std::move(*gpu));
    report.gpus.erase(gpu);
  }
  if (report.gpus.empty() && !report.lost.empty()) report.problem = report.lost.front().problem;
  return report;
}

std::vector<std::string> lost_gpus() {
  std::vector<std::string> problems;
  for (const auto& [index, problem] : cuda::LostGpus::all()) problems.push_back(problem);
  return problems;
}

std::optional<int> likely_gpu() {
  if (driver_was_asked) {
    const DeviceReport devices = describe_devices();
    return devices.gpus.empty() ? std::nullopt : std::optional{devices.gpus.front().index};
  }
  return seems_to_have_nvidia_driver() ? std::optional{0} : std::nullopt;
}

std::size_t free_memory(int gpu) {
  std::size_t free = 0, total = 0;
  if (cudaSetDevice(gpu) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return free;
}

}  // namespace cuda_filters
