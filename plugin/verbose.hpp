// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdlib>
#include <string>

namespace cuda_filters::plugin {

/// Whether CUDA_FILTERS_VERBOSE asks for a line about each run.
inline bool verbose() {
  const char* wish = std::getenv("CUDA_FILTERS_VERBOSE");
  return wish != nullptr && std::string{wish} == "1";
}

}  // namespace cuda_filters::plugin
