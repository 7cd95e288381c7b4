// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/engine.hpp"
#include "gpu/core/filter.hpp"
#include "tests/support/memory_image.hpp"

namespace cuda_filters::bench {

/// Times of the kernels of a job on one GPU, in milliseconds.
struct KernelTiming {
  double median, least;  ///< all kernels of a call, data on the device
  double moved_bytes;    ///< the least traffic: the input and the result, once each
};

/// Times `job`, resolved to its size, on the whole of `image` in one piece: after a warm-up,
/// `calls` calls that take turns with three sets of input and output, so that no cache holds them.
KernelTiming measure_kernels(int gpu, const ResolvedJob& job, MemoryImage& image, int calls);

/// Times of whole runs from pinned memory to pinned memory, in milliseconds.
struct DeviceTiming {
  double median;     ///< from the first byte on its way to the GPU to the last one back
  double both_ways;  ///< what copies of as many bytes take, up and down at once
};

/// Times runs of `job`, resolved to its size, on the whole of `image`, on a GPU that is ready.
DeviceTiming measure_device(const DeviceChoice& device, const ResolvedJob& job, MemoryImage& image,
                            int calls);

/// The most bytes of the pool that were in use on a GPU at a time since the last call of this.
std::size_t peak_device_memory(int gpu);

/// The bytes that a copy on the device moves in a second, read and written ones counted.
double copy_rate(int gpu);

}  // namespace cuda_filters::bench
