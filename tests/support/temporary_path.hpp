// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace cuda_filters::test {

/// The name of a file or a folder that nobody else has; what is there goes with the object.
class TemporaryPath {
 public:
  TemporaryPath() = default;
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::string random_name() {
    std::random_device random;
    return "cuda-filters-" + std::to_string(random()) + "-" + std::to_string(random());
  }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / random_name();
};

}  // namespace cuda_filters::test
