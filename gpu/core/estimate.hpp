// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/report.hpp"
#include "gpu/core/speeds.hpp"

namespace cuda_filters {

/// How long a job on so many pixels takes where, by Plan::cost and what is known of the machine.
class Estimate {
 public:
  Estimate(const Job& job, double pixels, int threads, const Speeds& speeds);

  double cpu_seconds() const { return cpu_seconds_; }
  /// `started`: there is no need to wait for the start of the GPU.
  double gpu_seconds(bool started) const;
  /// Whether one GPU is busy for longer than another one takes to start.
  bool outlasts_start() const { return computing_ > 2 * start_; }

 private:
  double cpu_seconds_, copying_, computing_, start_;
};

/// Whether a GPU has been used: from then on, this process need not wait for its start.
bool gpu_has_started();
void note_gpu_started();

/// What a run showed of the machine that it ran on.
struct Observation {
  std::string filter{};  ///< its name
  double cost = 0.0;     ///< as Plan::cost
  double pixels = 0.0;   ///< that were computed
  int threads = 1;       ///< of the processor
  int gpu = -1;          ///< its index, or -1: the processor computed
  bool started = false;  ///< the GPU had been used by this process before
  std::string device{};  ///< its name
  Times times{};
};

/// Whether anything is learned from it: what is too short to tell does not count, nor what agrees
/// with what is known.
bool learn(Speeds& speeds, const Observation& run);

/// The speeds that this process goes by: kept in a file, or, where that cannot be written, for as
/// long as the process lasts.
class KnownSpeeds {
 public:
  KnownSpeeds(std::filesystem::path file, const std::string& cpu);

  const Speeds& speeds() const { return speeds_; }
  const std::filesystem::path& file() const { return file_; }
  /// Learns from a run, and from those of other processes meanwhile.
  void learn(const Observation& run);

 private:
  std::filesystem::path file_;
  Speeds speeds_;
  bool is_saved_ = true;
};

/// Those of this machine as they are now.
Speeds known_speeds();
/// Learns from a run of this process on this machine. Throws nothing.
void learn_from(const Observation& run) noexcept;

/// A line about this machine.
struct DescriptionLine {
  std::string key;    ///< what scripts know it by
  std::string label;  ///< the same for people, in their language
  std::string value;
  std::string shown{};  ///< the value for people, where it is another one
};

/// What the estimate goes by, for the user.
std::vector<DescriptionLine> describe_estimate();

}  // namespace cuda_filters
