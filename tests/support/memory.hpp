// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdlib>
#include <fstream>
#include <string>

namespace cuda_filters::test {

/// The largest resident set of this process in bytes since the last call.
inline double peak_host_memory() {
  std::ifstream status{"/proc/self/status"};
  double bytes = 0.0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) bytes = 1024.0 * std::atof(line.c_str() + 6);
  std::ofstream{"/proc/self/clear_refs"} << "5";
  return bytes;
}

}  // namespace cuda_filters::test
