// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
//
// What this project uses of the CUDA runtime, by means of NVIDIA's driver, which is loaded when it
// is first needed. Names, parameters and errors are those of the CUDA Runtime API; the functions
// whose names begin with __cuda are what nvcc's code for the host calls, as crt/host_runtime.h of
// the toolkit declares them.
#pragma GCC visibility push(hidden)  // another runtime in the same process is left alone
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include <fatbinary_section.h>

#include <mutex>
#include <utility>
#include <vector>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/kernel_registry.hpp"
#include "gpu/cuda/kernels_file.hpp"

namespace cuda_filters::cuda {
namespace {

constinit Registry registry;  // what is in it stays: threads that outlive main() may launch

/// The GPUs' contexts, which live as long as the process.
class Contexts {
 public:
  CUresult make_current(int gpu) {
    CUcontext context{};
    {
      const std::lock_guard lock{mutex_};
      if (gpu < 0) return CUDA_ERROR_INVALID_DEVICE;
      if (static_cast<std::size_t>(gpu) >= contexts_.size()) {
        int count = 0;
        if (const CUresult code = driver().get_device_count(&count); code != CUDA_SUCCESS)
          return code;
        if (gpu >= count) return count == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_INVALID_DEVICE;
        contexts_.resize(count);
      }
      if (contexts_[gpu] == nullptr) {
        CUdevice device{};
        if (const CUresult code = driver().get_device(&device, gpu); code != CUDA_SUCCESS)
          return code;
        if (const CUresult code = driver().retain_context(&contexts_[gpu], device);
            code != CUDA_SUCCESS)
          return code;
      }
      context = contexts_[gpu];
    }
    return driver().set_current_context(context);
  }

 private:
  std::mutex mutex_;
  std::vector<CUcontext> contexts_;
};

Contexts& contexts() {
  static auto& all = *new Contexts;  // threads that outlive main() still free memory
  return all;
}

/// What a launch with <<<>>> is configured by.
struct Configuration {
  dim3 grid, block;
  std::size_t shared_memory;
  cudaStream_t stream;
};

struct ThreadState {
  cudaError_t last_error = cudaSuccess;
  int gpu = 0;
  bool has_context = false;
  Configuration configuration{};
};
thread_local ThreadState this_thread;

/// Errors of the runtime have the numbers of the driver's.
cudaError_t report(CUresult code) {
  const auto error = static_cast<cudaError_t>(code);
  if (error != cudaSuccess) this_thread.last_error = error;
  return error;
}

/// Whether the driver can be used at all.
cudaError_t ready() {
  const CUresult problem = driver().problem;
  if (problem == CUDA_SUCCESS) return cudaSuccess;
  const bool is_missing = problem == CUDA_ERROR_SYSTEM_NOT_READY || problem == CUDA_ERROR_NOT_FOUND;
  return report(is_missing ? static_cast<CUresult>(cudaErrorInsufficientDriver) : problem);
}

/// Whether there is a context for this thread: that of the first GPU, if it has chosen none.
cudaError_t ready_with_context() {
  if (const cudaError_t error = ready(); error != cudaSuccess) return error;
  return this_thread.has_context ? cudaSuccess : cudaSetDevice(this_thread.gpu);
}

/// Calls f() with the driver, in a context.
template <class F>
cudaError_t with_driver(F f) {
  if (const cudaError_t error = ready_with_context(); error != cudaSuccess) return error;
  return report(f(driver()));
}

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

/// Calls f(driver, function) with a kernel as the current GPU has it.
template <class F>
cudaError_t with_function(const void* host_function, F f) {
  Kernel* const kernel = registry.find(host_function);
  if (kernel == nullptr) return report(static_cast<CUresult>(cudaErrorInvalidDeviceFunction));
  return with_driver([&](const Driver& driver) {
    CUkernel found{};
    if (const CUresult code = kernel->find(found); code != CUDA_SUCCESS) return code;
    CUfunction function{};
    if (const CUresult code = driver.get_function(&function, found); code != CUDA_SUCCESS)
      return code;
    return f(driver, function);
  });
}

cudaError_t launch(Kernel* kernel, const Configuration& with, void** arguments) {
  if (kernel == nullptr) return report(static_cast<CUresult>(cudaErrorInvalidDeviceFunction));
  return with_driver([&](const Driver& driver) {
    CUkernel found{};
    if (const CUresult code = kernel->find(found); code != CUDA_SUCCESS) return code;
    return driver.launch(reinterpret_cast<CUfunction>(found), with.grid.x, with.grid.y, with.grid.z,
                         with.block.x, with.block.y, with.block.z,
                         static_cast<unsigned>(with.shared_memory), with.stream, arguments,
                         nullptr);
  });
}

}  // namespace

bool has_all_kernels() { return registry.is_complete(); }

bool has_kernels() { return registry.has_code(); }

}  // namespace cuda_filters::cuda

using namespace cuda_filters::cuda;

#pragma GCC visibility push(hidden)
extern "C" {

// What nvcc's code calls.

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* const its = static_cast<const __fatBinC_Wrapper_t*>(wrapper);
  return reinterpret_cast<void**>(registry.add(its->data));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}  // the process ends, and the driver with it
void __cudaRegisterFunction(void** binary, const char* host_function, char*, const char* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  registry.add(reinterpret_cast<FatBinary*>(binary), host_function, name);
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_memory,
                                     CUstream_st* stream) {
  this_thread.configuration = {grid, block, shared_memory, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_memory,
                                       void* stream) {
  const Configuration& its = this_thread.configuration;
  *grid = its.grid, *block = its.block, *shared_memory = its.shared_memory;
  *static_cast<cudaStream_t*>(stream) = its.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(registry.find(host_function));
  return *kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_memory, cudaStream_t stream) {
  return launch(reinterpret_cast<Kernel*>(kernel), {grid, block, shared_memory, stream}, arguments);
}
cudaError_t cudaLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_memory, cudaStream_t stream) {  // before 13.0
  return launch(registry.find(host_function), {grid, block, shared_memory, stream}, arguments);
}

// What has failed in a thread.

cudaError_t cudaGetLastError() { return std::exchange(this_thread.last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return this_thread.last_error; }
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  if (driver().get_error_text != nullptr)
    (void)driver().get_error_text(static_cast<CUresult>(error), &text);
  return text != nullptr ? text : "unknown error";
}

// The devices of this machine.

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver().version;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (const cudaError_t error = ready(); error != cudaSuccess) return error;
  const cudaError_t error = report(driver().get_device_count(count));
  return error == cudaSuccess && *count == 0 ? report(CUDA_ERROR_NO_DEVICE) : error;
}
cudaError_t cudaSetDevice(int gpu) {
  if (const cudaError_t error = ready(); error != cudaSuccess) return error;
  const cudaError_t error = report(contexts().make_current(gpu));
  if (error == cudaSuccess) this_thread.gpu = gpu, this_thread.has_context = true;
  return error;
}
cudaError_t cudaGetDevice(int* gpu) {
  *gpu = this_thread.gpu;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int gpu) {
  if (const cudaError_t error = ready(); error != cudaSuccess) return error;
  CUdevice device{};
  if (const CUresult code = driver().get_device(&device, gpu); code != CUDA_SUCCESS)
    return report(code);
  return report(
      driver().get_device_attribute(value, static_cast<CUdevice_attribute>(attribute), device));
}
/// Of the properties, the name, the compute capability and the memory alone.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  if (const cudaError_t error = ready(); error != cudaSuccess) return error;
  *properties = {};
  const Driver& its = driver();
  CUdevice device{};
  CUresult code = its.get_device(&device, gpu);
  if (code == CUDA_SUCCESS)
    code = its.get_device_name(properties->name, sizeof properties->name, device);
  if (code == CUDA_SUCCESS) code = its.get_device_memory(&properties->totalGlobalMem, device);
  if (code == CUDA_SUCCESS)
    code = its.get_device_attribute(&properties->major,
                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (code == CUDA_SUCCESS)
    code = its.get_device_attribute(&properties->minor,
                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return report(code);
}

// Streams and events.

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return with_driver([&](const Driver& driver) { return driver.create_stream(stream, flags); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_driver([&](const Driver& driver) { return driver.destroy_stream(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_driver([&](const Driver& driver) { return driver.synchronize_stream(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_driver(
      [&](const Driver& driver) { return driver.wait_for_event(stream, event, flags); });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return with_driver([&](const Driver& driver) { return driver.create_event(event, flags); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_driver([&](const Driver& driver) { return driver.destroy_event(event); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_driver([&](const Driver& driver) { return driver.record_event(event, stream); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_driver([&](const Driver& driver) { return driver.query_event(event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_driver([&](const Driver& driver) { return driver.synchronize_event(event); });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_driver(
      [&](const Driver& driver) { return driver.get_elapsed_time(milliseconds, start, end); });
}

// Memory of the device and of the host.

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_driver([&](const Driver& driver) { return driver.get_memory_info(free, total); });
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  return with_driver([&](const Driver& driver) {
    CUdeviceptr allocated{};
    const CUresult code = driver.allocate(&allocated, bytes, stream);
    *memory = reinterpret_cast<void*>(allocated);
    return code;
  });
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return with_driver(
      [&](const Driver& driver) { return driver.free_in_stream(address(memory), stream); });
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  return with_driver([&](const Driver& driver) { return driver.free(address(memory)); });
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return with_driver([&](const Driver& driver) {
    return driver.set_bytes(address(memory), static_cast<unsigned char>(value), bytes, stream);
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return with_driver([&](const Driver& driver) {
    switch (kind) {
      case cudaMemcpyHostToDevice:
        return driver.copy_to_device(address(to), from, bytes, stream);
      case cudaMemcpyDeviceToHost:
        return driver.copy_to_host(to, address(from), bytes, stream);
      case cudaMemcpyDeviceToDevice:
        return driver.copy_on_device(address(to), address(from), bytes, stream);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return with_driver(
      [&](const Driver& driver) { return driver.register_host_memory(memory, bytes, flags); });
}
cudaError_t cudaHostUnregister(void* memory) {
  return with_driver([&](const Driver& driver) { return driver.unregister_host_memory(memory); });
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int gpu) {
  return with_driver([&](const Driver& driver) {
    CUdevice device{};
    if (const CUresult code = driver.get_device(&device, gpu); code != CUDA_SUCCESS) return code;
    return driver.get_default_pool(pool, device);
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_driver([&](const Driver& driver) {
    return driver.set_pool_attribute(pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_driver([&](const Driver& driver) {
    return driver.get_pool_attribute(pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  return with_driver([&](const Driver& driver) { return driver.trim_pool(pool, bytes); });
}

// What a device knows of kernels.

cudaError_t cudaFuncSetAttribute(const void* host_function, cudaFuncAttribute attribute,
                                 int value) {
  return with_function(host_function, [&](const Driver& driver, CUfunction function) {
    return driver.set_function_attribute(function, static_cast<CUfunction_attribute>(attribute),
                                         value);
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host_function) {
  return with_function(host_function, [&](const Driver& driver, CUfunction function) {
    *attributes = {};
    const std::pair<CUfunction_attribute, int*> numbers[]{
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attributes->maxThreadsPerBlock},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &attributes->numRegs},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &attributes->ptxVersion},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &attributes->binaryVersion},
        {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attributes->cacheModeCA},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &attributes->maxDynamicSharedSizeBytes},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &attributes->preferredShmemCarveout}};
    for (const auto& [attribute, to] : numbers)
      if (const CUresult code = driver.get_function_attribute(to, attribute, function);
          code != CUDA_SUCCESS)
        return code;
    const std::pair<CUfunction_attribute, std::size_t*> sizes[]{
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &attributes->sharedSizeBytes},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &attributes->constSizeBytes},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &attributes->localSizeBytes}};
    for (const auto& [attribute, to] : sizes) {
      int bytes = 0;
      if (const CUresult code = driver.get_function_attribute(&bytes, attribute, function);
          code != CUDA_SUCCESS)
        return code;
      *to = static_cast<std::size_t>(bytes);
    }
    return CUDA_SUCCESS;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* host_function,
                                                                   int threads,
                                                                   std::size_t shared_memory,
                                                                   unsigned flags) {
  return with_function(host_function, [&](const Driver& driver, CUfunction function) {
    return driver.get_max_active_blocks(blocks, function, threads, shared_memory, flags);
  });
}
}
#pragma GCC visibility pop
