// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/device_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ranges>
#include <string_view>
#include <system_error>

#include "gpu/core/devices.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/estimate.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

std::size_t memory_limit() {
  const char* wish = std::getenv("CUDA_FILTERS_MEMORY");
  const std::string_view wanted = wish != nullptr ? wish : "";
  if (wanted.empty()) return SIZE_MAX;
  std::size_t mebibytes = 0;
  const auto [end, problem] =
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), mebibytes);
  if (problem != std::errc{} || end != wanted.data() + wanted.size() || mebibytes == 0 ||
      mebibytes > SIZE_MAX >> 20)
    throw ArgumentError{
        format_text(tr(N_("The environment variable CUDA_FILTERS_MEMORY is '%s', but must be a "
                          "whole number of MiB, 1 or more.")),
                    wish)};
  return mebibytes << 20;
}

DeviceChoice choose_device() {
  memory_limit();  // not only where a GPU is used
  const char* wish = std::getenv("CUDA_FILTERS_DEVICE");
  const std::string_view wanted = wish != nullptr ? wish : "";
  if (wanted == "cpu") return {-1, tr(N_("CUDA_FILTERS_DEVICE asks for the CPU"))};
  const DeviceReport devices = describe_devices();
  if (wanted.empty()) {
    if (devices.gpus.empty()) return {-1, devices.problem};
    return {devices.gpus.front().index,
            tr(N_("it is the first GPU; what the processor ends sooner goes there"))};
  }
  std::vector<int> asked_for;
  for (const auto part : std::views::split(wanted, ',')) {
    int index = -1;
    const char* const last = part.data() + part.size();
    const auto [end, problem] = std::from_chars(part.data(), last, index);
    if (problem != std::errc{} || end != last || index < 0)
      throw ArgumentError{
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE is '%s', but must be "
                            "'cpu', the number of a GPU, or several such as '0,1'.")),
                      wish)};
    if (std::ranges::find(asked_for, index) == asked_for.end()) asked_for.push_back(index);
  }
  DeviceChoice choice{-1, devices.problem};
  std::vector<int> usable;
  for (const int index : asked_for) {
    const auto lost = std::ranges::find(devices.lost, index, &GpuDescription::index);
    if (lost != devices.lost.end()) {
      choice.reason = lost->problem;  // the run that failed told of it
      continue;
    }
    usable.push_back(index);
    if (devices.gpus.empty()) {
      choice.missing =
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE asks for GPU %d. %s")),
                      index, devices.problem.c_str());
      return choice;
    }
    if (std::ranges::find(devices.gpus, index, &GpuDescription::index) == devices.gpus.end())
      throw ArgumentError{
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE asks for GPU %d, but "
                            "this machine has GPUs 0 to %d only.")),
                      index, devices.gpus.back().index)};
  }
  if (usable.empty()) return choice;
  choice.gpu = usable.front();
  choice.others.assign(usable.begin() + 1, usable.end());
  choice.reason = tr(N_("CUDA_FILTERS_DEVICE asks for it"));
  return choice;
}

bool can_be_shared(const Job& job) {
  return job.steps.empty() && job.plan.analysis == AnalysisScope::none;
}

double expected_seconds(const Job& job, double pixels, const DeviceChoice& device) {
  const Estimate estimate{job, pixels, cpu_threads(), known_speeds()};
  return device.gpu < 0 ? estimate.cpu_seconds() : estimate.gpu_seconds(gpu_has_started());
}

DeviceChoice choose_device(const Job& job, double pixels, bool again) {
  memory_limit();
  if (const char* wish = std::getenv("CUDA_FILTERS_DEVICE"); wish != nullptr && *wish != '\0')
    return choose_device();
  const Estimate estimate{job, pixels, cpu_threads(), known_speeds()};
  const double on_cpu = estimate.cpu_seconds();
  const double on_gpu = estimate.gpu_seconds(gpu_has_started() || again);
  if (on_cpu <= on_gpu)
    return {-1, format_text(tr(N_("it will take about %.2f s there, and %.2f s on a GPU")), on_cpu,
                            on_gpu)};
  // The driver takes a tenth of a second to answer; the run can begin meanwhile.
  const bool long_run = estimate.outlasts_start();
  const auto likely = long_run ? std::nullopt : likely_gpu();
  DeviceChoice choice = likely ? DeviceChoice{*likely, {}} : choose_device();
  if (long_run && can_be_shared(job))
    for (const GpuDescription& gpu : describe_devices().gpus)
      if (gpu.index != choice.gpu && gpu.name == describe_devices().gpus.front().name)
        choice.others.push_back(gpu.index);
  if (choice.gpu >= 0)
    choice.reason = format_text(
        tr(N_("it will take about %.2f s there, and %.2f s on the processor")), on_gpu, on_cpu);
  return choice;
}

}  // namespace cuda_filters
