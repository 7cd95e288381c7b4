// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace cuda_filters {

/// Follows a run. Calls come from the thread that called run().
class Observer {
 public:
  virtual ~Observer() = default;
  /// `fraction` of the run is done; false asks to stop, and run() throws Cancelled. Called at least
  /// ten times a second while a device computes, with the same fraction if that is no news. (Where
  /// the system starts no threads, once a band.)
  virtual bool progress(double /*fraction*/) { return true; }
  /// A sentence for the user that is no error, such as why the run went on without the GPU.
  virtual void note(const std::string& /*sentence*/) {}
};

/// Told which part of a run is done. Throws Cancelled to end it.
using Progress = std::function<void(double fraction)>;

/// Where the time of a run went, in seconds, which overlap; the CPU has no context and no copies.
struct Times {
  double read = 0.0, write = 0.0;  ///< in the source and in the sink
  double context = 0.0;  ///< until the GPU could be used, counted from the run's beginning
  /// On a GPU those of every few bands, and as much in proportion for the others.
  double upload = 0.0, compute = 0.0, download = 0.0;
  /// From the first byte on its way to the GPU until the host has seen that the last one is back.
  double device = 0.0;

  Times& operator+=(const Times& more) {
    read += more.read, write += more.write;
    context += more.context;
    upload += more.upload, compute += more.compute, download += more.download;
    device += more.device;
    return *this;
  }
};

/// What a run did.
struct Report {
  std::string device;    ///< the name of the GPU that did the work, or of the processor
  bool on_gpu = false;   ///< all of it
  std::string fallback;  ///< why it went on, or began, on the CPU though a GPU was wanted
  int bands = 0;
  Times times;
  std::vector<double> output_values;  ///< in the order of the filter's table
};

}  // namespace cuda_filters
