// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// How many bytes of a GPU's memory a run may plan with by CUDA_FILTERS_MEMORY, in MiB. Throws
/// ArgumentError if the variable is no such number.
std::size_t memory_limit();

/// Where a run will go and why: `gpu` is a device's index, or -1 for the CPU.
struct DeviceChoice {
  int gpu = -1;
  std::string reason;
  std::vector<int> others{};  ///< more GPUs, which share the work
  std::string missing{};      ///< a sentence if a GPU was asked for by name and there is none
};
/// By CUDA_FILTERS_DEVICE (`cpu`, or a device's number, or several with commas between), else the
/// first GPU, else the CPU. Throws ArgumentError if the variable names no device, or as
/// memory_limit().
DeviceChoice choose_device();
/// As choose_device(), but where the variable leaves it open, a job on so many pixels goes where it
/// ends first by an estimate; the first of a process waits for the GPU to start. The driver is not
/// even asked about what the CPU does before that. A job that would keep one GPU busy for longer
/// than another one takes to start is shared with all that have the same name. `again`: it is one
/// of many such runs, for which the GPU need start but once.
DeviceChoice choose_device(const Job& job, double pixels, bool again = false);

/// Whether several GPUs can share the bands of a job.
bool can_be_shared(const Job& job);

/// About how many seconds a job on so many pixels takes there.
double expected_seconds(const Job& job, double pixels, const DeviceChoice& device);

}  // namespace cuda_filters
