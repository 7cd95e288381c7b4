// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/error.hpp"
#include "tests/bench/measure.hpp"

// Stands in for measure.cpp where the project was built without a CUDA compiler.

namespace cuda_filters::bench {

KernelTiming measure_kernels(int, const ResolvedJob&, MemoryImage&, int) {
  throw DeviceError{"built without CUDA"};
}
DeviceTiming measure_device(const DeviceChoice&, const ResolvedJob&, MemoryImage&, int) {
  throw DeviceError{"built without CUDA"};
}
std::size_t peak_device_memory(int) { return 0; }

double copy_rate(int) { throw DeviceError{"built without CUDA"}; }

}  // namespace cuda_filters::bench
