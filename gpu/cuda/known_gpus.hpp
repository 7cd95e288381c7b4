// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

// What this process knows of its GPUs.

namespace cuda_filters::cuda {

/// The GPUs that have been used.
class UsedGpus {
 public:
  static void add(int gpu) {
    const std::lock_guard lock{mutex_};
    gpus_.insert(gpu);
  }
  static std::set<int> all() {
    const std::lock_guard lock{mutex_};
    return gpus_;
  }

 private:
  inline static std::mutex mutex_;
  inline static std::set<int> gpus_;
};

/// The GPUs that this process can use no more, each with a sentence that says why.
class LostGpus {
 public:
  static void add(int gpu, std::string problem) {
    const std::lock_guard lock{mutex_};
    gpus_.emplace(gpu, std::move(problem));
  }
  static std::map<int, std::string> all() {
    const std::lock_guard lock{mutex_};
    return gpus_;
  }

 private:
  inline static std::mutex mutex_;
  inline static std::map<int, std::string> gpus_;
};

}  // namespace cuda_filters::cuda
