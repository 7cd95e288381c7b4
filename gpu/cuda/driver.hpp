// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda.h>

// NVIDIA's driver, which is loaded when a GPU is first asked for: nothing is linked with it.

namespace cuda_filters::cuda {

/// The functions of the driver that are used: their names here, their types, and their names there,
/// which are those of version 12.0.
#define CUDA_FILTERS_DRIVER_FUNCTIONS(F)                                         \
  F(initialize, cuInit, "cuInit")                                                \
  F(get_version, cuDriverGetVersion, "cuDriverGetVersion")                       \
  F(get_device_count, cuDeviceGetCount, "cuDeviceGetCount")                      \
  F(get_device, cuDeviceGet, "cuDeviceGet")                                      \
  F(get_device_name, cuDeviceGetName, "cuDeviceGetName")                         \
  F(get_device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                  \
  F(get_device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")          \
  F(get_default_pool, cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool")    \
  F(retain_context, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")        \
  F(set_current_context, cuCtxSetCurrent, "cuCtxSetCurrent")                     \
  F(load_library, cuLibraryLoadData, "cuLibraryLoadData")                        \
  F(get_kernel, cuLibraryGetKernel, "cuLibraryGetKernel")                        \
  F(get_function, cuKernelGetFunction, "cuKernelGetFunction")                    \
  F(get_function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")            \
  F(set_function_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")            \
  F(get_max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, \
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")                      \
  F(launch, cuLaunchKernel, "cuLaunchKernel")                                    \
  F(create_stream, cuStreamCreate, "cuStreamCreate")                             \
  F(destroy_stream, cuStreamDestroy, "cuStreamDestroy_v2")                       \
  F(synchronize_stream, cuStreamSynchronize, "cuStreamSynchronize")              \
  F(wait_for_event, cuStreamWaitEvent, "cuStreamWaitEvent")                      \
  F(create_event, cuEventCreate, "cuEventCreate")                                \
  F(destroy_event, cuEventDestroy, "cuEventDestroy_v2")                          \
  F(record_event, cuEventRecord, "cuEventRecord")                                \
  F(query_event, cuEventQuery, "cuEventQuery")                                   \
  F(synchronize_event, cuEventSynchronize, "cuEventSynchronize")                 \
  F(get_elapsed_time, cuEventElapsedTime, "cuEventElapsedTime")                  \
  F(get_memory_info, cuMemGetInfo, "cuMemGetInfo_v2")                            \
  F(allocate, cuMemAllocAsync, "cuMemAllocAsync")                                \
  F(free_in_stream, cuMemFreeAsync, "cuMemFreeAsync")                            \
  F(free, cuMemFree, "cuMemFree_v2")                                             \
  F(set_bytes, cuMemsetD8Async, "cuMemsetD8Async")                               \
  F(copy_to_device, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                   \
  F(copy_to_host, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                     \
  F(copy_on_device, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                   \
  F(register_host_memory, cuMemHostRegister, "cuMemHostRegister_v2")             \
  F(unregister_host_memory, cuMemHostUnregister, "cuMemHostUnregister")          \
  F(set_pool_attribute, cuMemPoolSetAttribute, "cuMemPoolSetAttribute")          \
  F(get_pool_attribute, cuMemPoolGetAttribute, "cuMemPoolGetAttribute")          \
  F(trim_pool, cuMemPoolTrimTo, "cuMemPoolTrimTo")                               \
  F(get_error_text, cuGetErrorString, "cuGetErrorString")

/// The oldest version of a driver that reads what this toolkit's compiler makes: NVIDIA promises
/// that each one does so for every toolkit of the same major version.
inline constexpr int oldest_driver = CUDA_VERSION / 1000 * 1000;

struct Driver {
#define CUDA_FILTERS_DRIVER_FUNCTION(name, type, symbol) decltype(&::type) name = nullptr;
  CUDA_FILTERS_DRIVER_FUNCTIONS(CUDA_FILTERS_DRIVER_FUNCTION)
#undef CUDA_FILTERS_DRIVER_FUNCTION
  /// Of its own interface, such as 13000; 0 if there is no driver.
  int version = 0;
  /// CUDA_SUCCESS if it can be used, and what is wrong with it otherwise: CUDA_ERROR_NOT_FOUND if
  /// it is older than `oldest_driver`.
  CUresult problem = CUDA_ERROR_SYSTEM_NOT_READY;
};

/// The driver, loaded and initialized at the first call. Never throws.
const Driver& driver() noexcept;

}  // namespace cuda_filters::cuda
