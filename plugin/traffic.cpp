// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/traffic.hpp"

#include <gegl.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace cuda_filters::plugin {
namespace {

/// Two tiles of floats.
constexpr guint64 few_tiles = 512 << 10;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether a control group, in the hierarchy below `folder`, or one above it may use only so much
/// time of the processors; `file` says how much in its first word.
bool is_limited(const std::string& folder, std::string group, const char* file) {
  for (;;) {
    std::ifstream limit{folder + group + file};
    if (std::string quota; limit >> quota && quota != "max" && quota != "-1") return true;
    if (group.empty()) return false;
    group.resize(group.rfind('/'));
  }
}

/// Whether that is so for this process, whichever version of control groups there is.
bool is_limited() {
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    const auto names = line.find(':') + 1, path = line.find(':', names) + 1;
    if (names == 0 || path == 0) continue;
    const std::string controllers = ',' + line.substr(names, path - 1 - names) + ',';
    const std::string group = line.substr(path) == "/" ? "" : line.substr(path);
    if (controllers == ",,") {
      if (is_limited("/sys/fs/cgroup", group, "/cpu.max")) return true;
    } else if (controllers.find(",cpu,") != std::string::npos) {
      if (is_limited("/sys/fs/cgroup/cpu", group, "/cpu.cfs_quota_us")) return true;
    }
  }
  return false;
}

class Watch {
 public:
  Watch() {
    const char* wish = std::getenv("CUDA_FILTERS_AWAKE");
    const bool wanted = wish == nullptr || std::string{wish} != "no";
    if (wanted && std::thread::hardware_concurrency() > 1 && !is_limited())
      thread_ = std::thread{[this] { serve(); }};
  }
  ~Watch() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock{mutex_};
      ending_ = true, moving_ = 0;
    }
    begin_.notify_one();
    thread_.join();
  }

  void begin() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock{mutex_};
      ++moving_;
    }
    begin_.notify_one();
  }
  void end() {
    if (thread_.joinable()) --moving_;
  }

 private:
  void serve() {
    const sched_param none{};
    if (pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) != 0) return;
    std::unique_lock lock{mutex_};
    while (!ending_) {
      begin_.wait(lock, [this] { return ending_ || moving_ > 0; });
      lock.unlock();
      while (moving_ > 0) pause_briefly();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_;
  std::atomic<int> moving_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

Watch& watch() {
  static Watch one;
  return one;
}

}  // namespace

Awake::Awake() { watch().begin(); }
Awake::~Awake() { watch().end(); }

FewTiles::FewTiles() {
  g_object_get(gegl_config(), "tile-cache-size", &before_, nullptr);
  g_object_set(gegl_config(), "tile-cache-size", few_tiles, nullptr);
}
FewTiles::~FewTiles() { g_object_set(gegl_config(), "tile-cache-size", before_, nullptr); }

}  // namespace cuda_filters::plugin
