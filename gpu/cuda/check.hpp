// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_runtime_api.h>

#include <source_location>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::cuda {

/// Remembers, for describe_devices(), that the current GPU has failed for good, if it has: some
/// failures cost a process its context there, and every later call fails as the one that met
/// `code`.
void remember_lost_gpu(cudaError_t code) noexcept;

/// Throws what a failed call of the CUDA runtime means to the engine: DeviceMemoryError if memory
/// ran out, DeviceError for all else.
inline void check(cudaError_t code, std::source_location at = std::source_location::current()) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  if (code == cudaErrorMemoryAllocation)
    throw DeviceMemoryError{tr(N_("The memory of the GPU is full."))};
  remember_lost_gpu(code);
  throw DeviceError{format_text(tr(N_("The GPU failed: %s (%s, line %u).")),
                                cudaGetErrorString(code), at.file_name(),
                                static_cast<unsigned>(at.line()))};
}

}  // namespace cuda_filters::cuda
