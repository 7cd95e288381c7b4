// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/driver.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace cuda_filters::cuda {
namespace {

/// The driver's own library, which stays loaded: what it has begun cannot be undone.
class DriverLibrary {
 public:
#ifdef _WIN32
  bool is_loaded() const { return handle_ != nullptr; }
  void* find(const char* symbol) const {
    return reinterpret_cast<void*>(GetProcAddress(handle_, symbol));
  }

 private:
  HMODULE handle_ = LoadLibraryExA("nvcuda.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
#else
  bool is_loaded() const { return handle_ != nullptr; }
  void* find(const char* symbol) const { return dlsym(handle_, symbol); }

 private:
  void* handle_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
};

template <class F>
bool find(const DriverLibrary& library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(library.find(symbol));
  return function != nullptr;
}

Driver load() {
  Driver found;
  const DriverLibrary library;
  if (!library.is_loaded()) return found;
  bool has_all = true;
#define CUDA_FILTERS_DRIVER_FUNCTION(name, type, symbol) \
  has_all = find(library, symbol, found.name) && has_all;
  CUDA_FILTERS_DRIVER_FUNCTIONS(CUDA_FILTERS_DRIVER_FUNCTION)
#undef CUDA_FILTERS_DRIVER_FUNCTION
  if (found.get_version == nullptr || found.get_version(&found.version) != CUDA_SUCCESS)
    found.version = 0;
  const bool is_too_old = !has_all || (found.version > 0 && found.version < oldest_driver);
  found.problem = is_too_old ? CUDA_ERROR_NOT_FOUND : found.initialize(0);
  return found;
}

}  // namespace

const Driver& driver() noexcept {
  static const Driver found = load();
  return found;
}

}  // namespace cuda_filters::cuda
