// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/tile_io.hpp"

#include <gegl.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace cuda_filters::plugin {
namespace {

/// Two tiles of floats.
constexpr guint64 tile_cache_bytes = 512 << 10;

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

/// Whether more wants to run than there are processors. A thread of idle priority would then not
/// run, and what is worse, this process could not end before that has had its turn.
bool is_busy() {
  std::ifstream load{"/proc/loadavg"};
  std::string average;
  unsigned running = 0;
  return load >> average >> average >> average >> running &&
         running > std::thread::hardware_concurrency();
}

/// How many KeepCpuAwake objects there are, and the thread that follows it. They share no lock,
/// which a thread of idle priority might hold for long.
class Watch {
 public:
  Watch() {
    const char* wish = std::getenv("CUDA_FILTERS_AWAKE");
    const bool wanted = wish == nullptr || std::string{wish} != "no";
    if (!wanted || std::thread::hardware_concurrency() < 2 || is_limited() || is_busy()) return;
    try {
      std::thread{[this] { serve(); }}.detach();
    } catch (const std::system_error&) {  // tiles move all the same
    }
  }

  void begin() {
    ++moving_;
    moving_.notify_one();
  }
  void end() { --moving_; }

 private:
  void serve() {
    const sched_param none{};
    if (pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) != 0) return;
    for (;;) {
      moving_.wait(0);
      while (moving_ > 0) pause_briefly();
    }
  }

  std::atomic<int> moving_ = 0;
};

Watch* watch = nullptr;

}  // namespace

void KeepCpuAwake::begin_run() {
  if (watch == nullptr) watch = new Watch;  // for good: the thread goes with the process
}
KeepCpuAwake::KeepCpuAwake() {
  if (watch != nullptr) watch->begin();
}
KeepCpuAwake::~KeepCpuAwake() {
  if (watch != nullptr) watch->end();
}

ScopedTileCache::ScopedTileCache() {
  g_object_get(gegl_config(), "tile-cache-size", &before_, nullptr);
  g_object_set(gegl_config(), "tile-cache-size", tile_cache_bytes, nullptr);
}
ScopedTileCache::~ScopedTileCache() {
  g_object_set(gegl_config(), "tile-cache-size", before_, nullptr);
}

}  // namespace cuda_filters::plugin
