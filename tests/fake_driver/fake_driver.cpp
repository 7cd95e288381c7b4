// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#define __CUDA_API_VERSION_INTERNAL  // declares functions by the names that they have in the
                                     // library
#include "tests/fake_driver/fake_driver.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace {

using cuda_filters::test::FakeDriver;

/// FAKE_DRIVER=CALL,CODE,LOST fails a call of a program that cannot tell the driver itself, by its
/// number or by the function's name, and FAKE_DRIVER_VERSION is how old the driver says that it is.
FakeDriver told_by_environment() {
  FakeDriver told;
#ifdef OLD_DRIVER
  told.version = 11040;
#endif
  if (const char* text = std::getenv("FAKE_DRIVER")) {
    char call[100] = "";
    int code = 0, lost = 0;
    if (std::sscanf(text, "%99[^,],%d,%d", call, &code, &lost) >= 2) {
      told.fail_at = std::atol(call);
      if (told.fail_at == 0) told.fail_in = call;
      told.failure = static_cast<CUresult>(code), told.is_lost_then = lost != 0;
    }
  }
  if (const char* text = std::getenv("FAKE_DRIVER_VERSION")) told.version = std::atoi(text);
  return told;
}

std::recursive_mutex mutex;
FakeDriver fake = told_by_environment();
std::map<CUdeviceptr, std::size_t> allocations;
std::set<const void*> streams, events;
std::map<const void*, std::size_t> registered;
thread_local bool has_context = false;
constexpr int shared_memory_of_block = 232448;
struct Kernel {
  int shared_memory = 48 * 1024;  ///< that a block may have, in bytes
};
std::map<std::string, Kernel> kernels;
int something;  ///< what handles of things that never go away point to

template <class T>
T handle() {
  return reinterpret_cast<T>(&something);
}

/// Counts a call, and says whether it fails.
CUresult enter(const char* function) {
  ++fake.calls;
  if (fake.fail_in == function) fake.fail_at = fake.calls;
  const bool fails = fake.fail_at > 0 && (fake.calls == fake.fail_at ||
                                          (fake.is_lost_then && fake.calls > fake.fail_at));
  if (!fails) return CUDA_SUCCESS;
  if (fake.failed_in.empty()) fake.failed_in = function;
  return fake.failure;
}

/// What handles of the contexts of GPUs point to.
char contexts[std::tuple_size_v<decltype(FakeDriver::contexts)>];

bool has_gpu(CUdevice device) { return device >= 0 && device < fake.gpus; }

CUresult misused(const char* function) {
  if (fake.misuse.empty()) fake.misuse = function;
  return CUDA_ERROR_INVALID_VALUE;
}

/// Whether there are so many bytes in the GPU's memory at that address.
bool has(CUdeviceptr address, std::size_t bytes) {
  const auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return false;
  const auto& [start, size] = *std::prev(after);
  return address + bytes <= start + size;
}

bool knows(CUstream stream) { return streams.contains(stream); }
bool knows(CUevent event) { return events.contains(event); }

/// What is asked for is gone even if a GPU that is lost says so by an error.
template <class F>
CUresult destroy(const char* function, bool is_known, F forget) {
  const CUresult code = enter(function);
  if (!is_known) return misused(function);
  if (code == CUDA_SUCCESS || fake.is_lost_then) forget();
  return code;
}

CUresult free_memory(const char* function, CUdeviceptr address) {
  return destroy(function, allocations.contains(address), [&] {
    fake.used_memory -= allocations[address];
    if (!fake.keeps_freed_memory) fake.reserved_memory = fake.used_memory;
    allocations.erase(address);
    --fake.allocations;
    std::free(reinterpret_cast<void*>(address));
  });
}

}  // namespace

#define BEGIN_CALL                   \
  const std::lock_guard lock{mutex}; \
  if (const CUresult code = enter(__func__); code != CUDA_SUCCESS) return code
#define IN_CONTEXT \
  BEGIN_CALL;      \
  if (!has_context) return misused(__func__)

extern "C" {

#pragma GCC visibility push(default)

FakeDriver* fake_driver() { return &fake; }

CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "a failure that a test asked for";
  return CUDA_SUCCESS;
}
CUresult cuInit(unsigned) {
  BEGIN_CALL;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = fake.version;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  BEGIN_CALL;
  *count = fake.gpus;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int index) {
  BEGIN_CALL;
  if (!has_gpu(index)) return CUDA_ERROR_INVALID_DEVICE;
  *device = index;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  BEGIN_CALL;
  std::snprintf(name, size, "a GPU that runs nothing");
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  BEGIN_CALL;
  *bytes = fake.memory;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  BEGIN_CALL;
  static const std::map<CUdevice_attribute, int> numbers{
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_memory_of_block},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0}};
  const auto found = numbers.find(attribute);
  if (found == numbers.end()) return misused(__func__);
  *value = found->second;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice) {
  BEGIN_CALL;
  *pool = handle<CUmemoryPool>();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  BEGIN_CALL;
  if (!has_gpu(device)) return misused(__func__);
  ++fake.contexts[device];
  *context = reinterpret_cast<CUcontext>(&contexts[device]);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  BEGIN_CALL;
  if (std::ranges::none_of(contexts,
                           [&](char& its) { return context == reinterpret_cast<CUcontext>(&its); }))
    return misused(__func__);
  has_context = true;
  return CUDA_SUCCESS;
}

#ifndef OLD_DRIVER
CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  IN_CONTEXT;
  *library = handle<CUlibrary>();
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
  IN_CONTEXT;
  *kernel = reinterpret_cast<CUkernel>(&kernels[name]);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  IN_CONTEXT;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
#endif
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  IN_CONTEXT;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  IN_CONTEXT;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  // Less would be too little for a run in another thread, which may launch the kernel next.
  if (value != shared_memory_of_block) return misused(__func__);
  reinterpret_cast<Kernel*>(function)->shared_memory = value;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction, int,
                                                              std::size_t, unsigned) {
  IN_CONTEXT;
  *blocks = 2;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned shared_memory, CUstream stream, void**, void**) {
  IN_CONTEXT;
  const bool is_possible = grid_x > 0 && grid_y > 0 && grid_y < 65536 && grid_z > 0 &&
                           grid_z < 65536 && block_x * block_y * block_z > 0 &&
                           block_x * block_y * block_z <= 1024;
  if (function == nullptr || !knows(stream) || !is_possible ||
      shared_memory > static_cast<unsigned>(reinterpret_cast<Kernel*>(function)->shared_memory))
    return misused(__func__);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  IN_CONTEXT;
  *stream = static_cast<CUstream>(std::malloc(1));
  streams.insert(*stream);
  ++fake.streams;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  const std::lock_guard lock{mutex};
  return destroy(__func__, knows(stream), [&] {
    streams.erase(stream);
    --fake.streams;
    std::free(stream);
  });
}
CUresult cuStreamSynchronize(CUstream stream) {
  IN_CONTEXT;
  return knows(stream) ? CUDA_SUCCESS : misused(__func__);
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  IN_CONTEXT;
  return knows(stream) && knows(event) ? CUDA_SUCCESS : misused(__func__);
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  IN_CONTEXT;
  *event = static_cast<CUevent>(std::malloc(1));
  events.insert(*event);
  ++fake.events;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) {
  const std::lock_guard lock{mutex};
  return destroy(__func__, knows(event), [&] {
    events.erase(event);
    --fake.events;
    std::free(event);
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  IN_CONTEXT;
  return knows(stream) && knows(event) ? CUDA_SUCCESS : misused(__func__);
}
CUresult cuEventQuery(CUevent event) {
  IN_CONTEXT;
  return knows(event) ? CUDA_SUCCESS : misused(__func__);
}
CUresult cuEventSynchronize(CUevent event) {
  IN_CONTEXT;
  return knows(event) ? CUDA_SUCCESS : misused(__func__);
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  IN_CONTEXT;
  *milliseconds = 1.0f;
  return knows(start) && knows(end) ? CUDA_SUCCESS : misused(__func__);
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  IN_CONTEXT;
  *free = fake.memory - fake.reserved_memory, *total = fake.memory;
  return CUDA_SUCCESS;
}
CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  IN_CONTEXT;
  if (!knows(stream) || bytes == 0) return misused(__func__);
  if (bytes > fake.memory - fake.used_memory) return CUDA_ERROR_OUT_OF_MEMORY;
  void* const memory = std::calloc(bytes, 1);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations[*address] = bytes;
  ++fake.allocations;
  fake.used_memory += bytes;
  fake.reserved_memory = std::max(fake.reserved_memory, fake.used_memory);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const std::lock_guard lock{mutex};
  if (!knows(stream)) return misused(__func__);
  return free_memory(__func__, address);
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  const std::lock_guard lock{mutex};
  return free_memory(__func__, address);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  IN_CONTEXT;
  if (!knows(stream) || !has(to, bytes)) return misused(__func__);
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  IN_CONTEXT;
  if (!knows(stream) || !has(to, bytes)) return misused(__func__);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  IN_CONTEXT;
  if (!knows(stream) || !has(from, bytes)) return misused(__func__);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUstream stream) {
  IN_CONTEXT;
  if (!knows(stream) || !has(from, bytes) || !has(to, bytes)) return misused(__func__);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  IN_CONTEXT;
  if (!registered.try_emplace(memory, bytes).second) return misused(__func__);
  ++fake.registered;
  return CUDA_SUCCESS;
}
CUresult cuMemHostUnregister(void* memory) {
  const std::lock_guard lock{mutex};
  return destroy(__func__, registered.contains(memory), [&] {
    registered.erase(memory);
    --fake.registered;
  });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute attribute, void* value) {
  IN_CONTEXT;
  if (attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return misused(__func__);
  fake.keeps_freed_memory = *static_cast<const std::uint64_t*>(value) > 0;
  return CUDA_SUCCESS;
}
CUresult cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute attribute, void* value) {
  IN_CONTEXT;
  auto& bytes = *static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      bytes = fake.used_memory;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      bytes = fake.reserved_memory;
      return CUDA_SUCCESS;
    default:
      return misused(__func__);
  }
}
CUresult cuMemPoolTrimTo(CUmemoryPool, std::size_t bytes) {
  IN_CONTEXT;
  fake.reserved_memory = std::max(fake.used_memory, std::min(fake.reserved_memory, bytes));
  return CUDA_SUCCESS;
}

#pragma GCC visibility pop
}
