// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/core/backend.hpp"

namespace cuda_filters {

/// A band and what it needs besides stored rows.
struct Read {
  Band band{};
  std::shared_ptr<std::vector<std::uint8_t>> mask{};
};

/// Hands bands to a backend in a thread of its own, one after the other; where the system starts no
/// threads, in the one that calls finish().
class Worker {
 public:
  explicit Worker(Backend& backend);
  /// Cancels what the backend is at, and waits for the end of that.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(Read&& read);
  /// How many bands were started and not finished.
  int under_way() const;
  /// Whether finish() would have to wait for the thread.
  bool is_busy() const;
  /// Waits for the result of the first band that is under way, and calls waiting(), which may
  /// throw, whenever `patience` has passed, with the number of its rows that are done. Throws what
  /// the backend threw.
  Read finish(std::chrono::milliseconds patience, const std::function<void(double)>& waiting);

 private:
  struct Item {
    explicit Item(Read&& of_band) : read{std::move(of_band)} {}
    double rows_done() const { return progress * read.band.out.height; }
    Read read;
    bool uploaded = false, done = false;
    std::exception_ptr problem{};
    std::atomic<double> progress = 0.0;  ///< as far as the backend tells
  };

  void work();

  std::list<Item>::iterator next() { return std::ranges::find(items_, false, &Item::done); }

  /// Computes the first band that is not done, if there is one. False if that failed: the bands
  /// after it may need it.
  bool compute_next(std::unique_lock<std::mutex>& lock);

  void attempt(Item& item, std::unique_lock<std::mutex>& lock, void (Backend::*call)(const Band&));

  Backend& backend_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Item> items_;
  bool ending_ = false;
  std::stop_source cancellation_;
  std::thread thread_;
};

}  // namespace cuda_filters
