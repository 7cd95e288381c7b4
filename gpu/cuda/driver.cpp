// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/driver.hpp"

#include "gpu/core/system.hpp"

namespace cuda_filters::cuda {
namespace {

template <class F>
bool find(const NvidiaDriverLibrary& library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(library.find(symbol));
  return function != nullptr;
}

Driver load() {
  Driver found;
  const NvidiaDriverLibrary library;
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
