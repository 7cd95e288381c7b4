// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <new>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/kernels_file.hpp"

// The kernels that nvcc's code registers, and where their machine code is.

namespace cuda_filters::cuda {

/// What one object of nvcc's has as machine code.
class FatBinary {
 public:
  explicit FatBinary(const void* linked) : code_{linked} {}
  /// It, loaded; the driver loads what a GPU needs of it when that GPU does.
  CUresult load(CUlibrary& loaded) {
    const std::lock_guard lock{mutex_};
    if (library_ == nullptr) {
      const void* const code = read();
      if (code == nullptr) return CUDA_ERROR_FILE_NOT_FOUND;
      CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
      void* yes = reinterpret_cast<void*>(1);
      if (const CUresult problem =
              driver().load_library(&library_, code, nullptr, nullptr, 0, &option, &yes, 1);
          problem != CUDA_SUCCESS)
        return problem;
    }
    loaded = library_;
    return CUDA_SUCCESS;
  }
  /// Whether it can be had, loaded or not.
  bool is_here() {
    const std::lock_guard lock{mutex_};
    return read() != nullptr;
  }

 private:
  const void* read() try { return code_.get(); } catch (const std::bad_alloc&) {
    return nullptr;
  }

  MachineCode code_;
  std::mutex mutex_;
  CUlibrary library_ = nullptr;
};

/// A kernel, found in its file at its first launch; again if that failed.
class Kernel {
 public:
  /// `next`: the one after it in a list.
  Kernel(FatBinary& binary, const void* host_function, const char* name, Kernel* next)
      : binary_{binary}, host_function_{host_function}, name_{name}, next_{next} {}
  const void* host_function() const { return host_function_; }
  Kernel* next() const { return next_; }
  CUresult find(CUkernel& kernel) {
    kernel = found_.load(std::memory_order_acquire);
    if (kernel != nullptr) return CUDA_SUCCESS;
    CUlibrary library{};
    if (const CUresult code = binary_.load(library); code != CUDA_SUCCESS) return code;
    if (const CUresult code = driver().get_kernel(&kernel, library, name_); code != CUDA_SUCCESS)
      return code;
    found_.store(kernel, std::memory_order_release);
    return CUDA_SUCCESS;
  }

 private:
  FatBinary& binary_;
  const void* host_function_;
  const char* name_;
  Kernel* next_;
  std::atomic<CUkernel> found_{nullptr};
};

/// All that nvcc's code registers before main() begins, or when the module is loaded. Where there
/// is no memory for it then, nobody could catch an exception: it is left out.
class Registry {
 public:
  /// nullptr if there is no memory.
  FatBinary* add(const void* linked) {
    auto* const binary = new (std::nothrow) FatBinary{linked};
    if (binary == nullptr) is_complete_ = false;
    if (first_ == nullptr) first_ = binary;
    return binary;
  }
  /// `binary` may be nullptr.
  void add(FatBinary* binary, const void* host_function, const char* name) {
    Kernel*& list = list_of(host_function);
    Kernel* const kernel =
        binary == nullptr ? nullptr : new (std::nothrow) Kernel{*binary, host_function, name, list};
    if (kernel == nullptr)
      is_complete_ = false;
    else
      list = kernel;
  }
  bool is_complete() const { return is_complete_; }
  bool has_code() { return first_ == nullptr || first_->is_here(); }
  Kernel* find(const void* host_function) {
    Kernel* kernel = list_of(host_function);
    while (kernel != nullptr && kernel->host_function() != host_function) kernel = kernel->next();
    return kernel;
  }

 private:
  /// Those of the kernels among which it is.
  Kernel*& list_of(const void* host_function) {
    const auto address = reinterpret_cast<std::uintptr_t>(host_function);
    return lists_[address / 16 % std::size(lists_)];  // functions begin at multiples of 16
  }

  FatBinary* first_ = nullptr;
  Kernel* lists_[1021]{};
  bool is_complete_ = true;
};

}  // namespace cuda_filters::cuda
