// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/cuda/check.hpp"

namespace cuda_filters::cuda {

/// A moment in a stream. Copies wait for a few microseconds wherever the time is taken.
class Event {
 public:
  enum class Time { taken, unknown };
  explicit Event(Time time = Time::taken) {
    cudaEvent_t event{};
    check(cudaEventCreateWithFlags(
        &event, time == Time::taken ? cudaEventDefault : cudaEventDisableTiming));
    handle_.reset(event);
  }
  cudaEvent_t get() const noexcept { return handle_.get(); }
  void record(cudaStream_t stream) { check(cudaEventRecord(get(), stream)); }
  void synchronize() const { check(cudaEventSynchronize(get())); }
  /// Milliseconds from `start`; both have passed, and their times were taken.
  float since(const Event& start) const {
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, start.handle_.get(), handle_.get()));
    return milliseconds;
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const noexcept { (void)cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> handle_;
};

/// A stream of its own, never the default one.
class Stream {
 public:
  Stream() {
    cudaStream_t stream{};
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    handle_.reset(stream);
  }
  cudaStream_t get() const noexcept { return handle_.get(); }
  void synchronize() const { check(cudaStreamSynchronize(get())); }
  /// What is put into this stream from now on begins after what `moment` was recorded behind.
  void wait_for(const Event& moment) const { check(cudaStreamWaitEvent(get(), moment.get())); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const noexcept { (void)cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> handle_;
};

inline cudaMemPool_t pool_of(int gpu) {
  cudaMemPool_t pool{};
  check(cudaDeviceGetDefaultMemPool(&pool, gpu));
  return pool;
}

/// Keeps freed memory of the GPU's pool for the next Buffer, until release_freed_memory().
inline void keep_freed_memory(int gpu) {
  std::uint64_t threshold = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool_of(gpu), cudaMemPoolAttrReleaseThreshold, &threshold));
}

/// How many bytes of shared memory a block may have on the current GPU.
inline int shared_memory_limit() {
  int gpu = 0, bytes = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  return bytes;
}

/// Device memory from the pool, for work in one stream.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::size_t count, cudaStream_t stream) : stream_{stream}, count_{count} {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, (count > 0 ? count : 1) * sizeof(T), stream));
    data_ = static_cast<T*>(memory);
  }
  Buffer(Buffer&& other) noexcept
      : stream_{other.stream_},
        count_{std::exchange(other.count_, 0)},
        data_{std::exchange(other.data_, nullptr)} {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) (void)cudaFreeAsync(data_, stream_);
  }
  /// Gives the memory away, to be freed with cudaFree() when no stream uses it.
  T* release() noexcept {
    count_ = 0;
    return std::exchange(data_, nullptr);
  }
  T* data() const noexcept { return data_; }
  std::size_t count() const noexcept { return count_; }

  /// Copies from host memory, which must stay until the stream has done it.
  void upload(const T* from, std::size_t count) {
    check(cudaMemcpyAsync(data_, from, count * sizeof(T), cudaMemcpyHostToDevice, stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::size_t count_ = 0;
  T* data_ = nullptr;
};

}  // namespace cuda_filters::cuda
