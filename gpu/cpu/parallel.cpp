// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "gpu/core/cancellation.hpp"

// Our own few lines instead of OpenMP: its idle threads spin, and the core that they spin on is the
// one that GIMP needs to send the next tiles.

namespace cuda_filters::cpu {
namespace {

std::atomic<int> wished_threads = 0;
thread_local bool inside_body = false;

/// One call of parallel_for().
struct Work {
  int count;
  const std::function<void(int)>& body;
  const std::stop_token cancellation = cancellation_token();
  std::atomic<int> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr problem{};

  void run() {
    const Cancellable cancellable{cancellation};
    inside_body = true;
    for (int i; !failed && (i = next.fetch_add(1)) < count;) try {
        cancellation_point();
        body(i);
      } catch (...) {
        if (!failed.exchange(true)) problem = std::current_exception();
      }
    inside_body = false;
  }
};

/// Threads that sleep until there is work.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(Work& work, int helpers) {
    const std::lock_guard one_at_a_time{callers_};
    {
      const std::lock_guard lock{mutex_};
      add_threads(helpers);
      work_ = &work;
      vacant_ = helpers;
    }
    wake_.notify_all();
    work.run();
    std::unique_lock lock{mutex_};
    vacant_ = 0;  // who has not begun yet need not
    idle_.wait(lock, [this] { return busy_ == 0; });
    work_ = nullptr;
  }

 private:
  /// Up to `count`: where the system starts no more of them, the others do the work.
  void add_threads(int count) {
    threads_.reserve(count);
    while (static_cast<int>(threads_.size()) < count) try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        return;
      }
  }

  void serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
      wake_.wait(lock, [this] { return ending_ || vacant_ > 0; });
      if (ending_) return;
      --vacant_, ++busy_;
      Work& work = *work_;
      lock.unlock();
      work.run();
      lock.lock();
      if (--busy_ == 0) idle_.notify_all();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable wake_, idle_;
  std::vector<std::thread> threads_;
  Work* work_ = nullptr;
  int vacant_ = 0, busy_ = 0;
  bool ending_ = false;
};

}  // namespace

int thread_count() {
  // Asked once, since every parallel_for() comes here, and the answer takes 7 to 30 us.
  static const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wished = wished_threads;
  return wished > 0 ? wished : processors;
}

void set_thread_count(int count) { wished_threads = count; }

void parallel_for(int count, const std::function<void(int)>& body) {
  Work work{count, body};
  const int helpers = std::min(count, thread_count()) - 1;
  if (helpers <= 0 || inside_body) {
    for (int i = 0; i < count; ++i) {
      cancellation_point();
      body(i);
    }
    return;
  }
  static Pool pool;
  pool.run(work, helpers);
  if (work.problem) std::rethrow_exception(work.problem);
}

}  // namespace cuda_filters::cpu
