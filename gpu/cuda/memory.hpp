// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/core/cancellation.hpp"
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
  /// Waits until it has passed, but no longer than `patience`: false if it has not then.
  bool wait_for(std::chrono::milliseconds patience) const {
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;;) {
      const cudaError_t code = cudaEventQuery(get());
      if (code != cudaErrorNotReady) {
        check(code);
        return true;
      }
      (void)cudaGetLastError();  // that is no failure
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
  }
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

/// Keeps a loop of launches from running far ahead of the GPU, so that a cancelled run ends soon.
class PacedLaunches {
 public:
  /// At most `ahead` launches wait, which should take less than a tenth of a second.
  PacedLaunches(cudaStream_t stream, std::size_t ahead) : stream_{stream}, ahead_{ahead} {}
  /// Before each launch: waits until few enough are in the stream; fewer where the GPU is so slow
  /// that they stay there for longer. Throws Cancelled.
  void begin() {
    constexpr std::chrono::milliseconds longest{100};
    const auto must_wait = [&] {
      return waiting_.size() >= ahead_ ||
             (waiting_.size() > 1 && Clock::now() - waiting_.front().launched > longest);
    };
    for (cancellation_point(); must_wait(); cancellation_point()) {
      waiting_.front().passed.synchronize();
      spare_.push_back(std::move(waiting_.front().passed));
      waiting_.pop_front();
    }
  }
  /// After it.
  void end() {
    if (spare_.empty()) spare_.emplace_back(Event::Time::unknown);
    spare_.back().record(stream_);
    waiting_.push_back({std::move(spare_.back()), Clock::now()});
    spare_.pop_back();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Launch {
    Event passed;
    Clock::time_point launched;
  };
  cudaStream_t stream_;
  std::size_t ahead_;
  std::deque<Launch> waiting_;
  std::vector<Event> spare_;
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

/// How many bytes of shared memory, with what its kernel declares, a block may have on the current
/// GPU, where each multiprocessor holds so many `blocks` at a time.
inline std::size_t shared_memory_limit(int blocks = 1) {
  int gpu = 0, of_block = 0, of_multiprocessor = 0, reserved = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  check(
      cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, gpu));
  check(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, gpu));
  return std::min(of_block, of_multiprocessor / blocks - reserved);
}

/// Lets a block of the kernel have as much dynamic shared memory as there is on the current GPU
/// beside what the kernel declares, and returns how many bytes that is. It is the same for all
/// runs, since those of other threads may launch the kernel meanwhile.
template <class Kernel>
std::size_t allow_shared_memory(Kernel kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
  const std::size_t bytes = shared_memory_limit() - attributes.sharedSizeBytes;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)));
  return bytes;
}

/// Has multiprocessors that compute the kernel use as much of their memory as shared memory, and as
/// little of it as a cache, as they can.
template <class Kernel>
void prefer_shared_memory(Kernel kernel) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
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

/// Memory that is not needed for a result, or none where the device has too little.
inline Buffer<std::byte> buffer_or_none(std::size_t bytes, cudaStream_t stream) try {
  return {bytes, stream};
} catch (const DeviceMemoryError&) {
  return {};
}

}  // namespace cuda_filters::cuda
