// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_worker.hpp"

#include <system_error>
#include <utility>

#include "gpu/core/band_progress.hpp"
#include "gpu/core/cancellation.hpp"

namespace cuda_filters {

Worker::Worker(Backend& backend) : backend_{backend} {
  try {
    thread_ = std::thread{[this] { work(); }};
  } catch (const std::system_error&) {  // a limit of the user or of the machine
  }
}

Worker::~Worker() {
  cancellation_.request_stop();
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (!items_.empty()) backend_.abandon();
}

void Worker::start(Read&& read) {
  const std::lock_guard lock{mutex_};
  items_.emplace_back(std::move(read));
  changed_.notify_all();
}

int Worker::under_way() const {
  const std::lock_guard lock{mutex_};
  return static_cast<int>(items_.size());
}

bool Worker::is_busy() const {
  const std::lock_guard lock{mutex_};
  return !items_.empty() && !items_.front().done;
}

Read Worker::finish(std::chrono::milliseconds patience,
                    const std::function<void(double)>& waiting) {
  std::unique_lock lock{mutex_};
  if (!thread_.joinable()) compute_next(lock);
  while (!changed_.wait_for(lock, patience, [&] { return items_.front().done; })) {
    const double rows = items_.front().rows_done();
    lock.unlock();
    waiting(rows);
    lock.lock();
  }
  if (items_.front().problem) std::rethrow_exception(items_.front().problem);
  const double rows = items_.front().rows_done();
  lock.unlock();
  while (!backend_.finish(patience)) waiting(rows);
  lock.lock();
  Read read = std::move(items_.front().read);
  items_.pop_front();
  return read;
}

void Worker::work() {
  std::unique_lock lock{mutex_};
  do {
    changed_.wait(lock, [&] { return ending_ || next() != items_.end(); });
  } while (!ending_ && compute_next(lock));
}

bool Worker::compute_next(std::unique_lock<std::mutex>& lock) {
  const auto item = next();
  if (item == items_.end()) return true;
  const Cancellable cancellable{cancellation_.get_token()};
  // Upload queued bands before processing this one. Stop after a failure: later bands may depend
  // on its rows.
  for (auto each = item; each != items_.end(); ++each) {
    if (!std::exchange(each->uploaded, true)) attempt(*each, lock, &Backend::upload);
    if (each->problem) break;
  }
  if (!item->problem) attempt(*item, lock, &Backend::process);
  item->done = true;
  changed_.notify_all();
  return !item->problem;
}

void Worker::attempt(Item& item, std::unique_lock<std::mutex>& lock,
                     void (Backend::*call)(const Band&)) {
  lock.unlock();
  const BandProgress progress{item.progress};
  try {
    (backend_.*call)(item.read.band);
  } catch (...) {
    item.problem = std::current_exception();
  }
  lock.lock();
}

}  // namespace cuda_filters
