// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters::bench {

/// Times on one GPU, in milliseconds.
struct Timing {
  double kernel_median, kernel_least;  ///< all kernels of a call, data on the device
  double device_median;                ///< copy up, kernels, copy down, from pinned memory
  double moved_bytes;                  ///< the least traffic: the input and the result, once each
};

/// Times `job`, fitted to its size, on the whole of `image` in one piece: after a warm-up, `calls`
/// calls that take turns with three sets of input and output, so that no cache holds them.
Timing measure(int gpu, const Job& job, MemoryImage& image, int calls);

/// The most bytes of the pool that were in use on a GPU at a time since the last call of this.
std::size_t most_device_memory(int gpu);

/// The bytes that a copy on the device moves in a second, read and written ones counted.
double copy_rate(int gpu);

}  // namespace cuda_filters::bench
