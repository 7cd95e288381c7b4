// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_filters {

/// A number that runs show, more or less well: the median of the last ones that were seen, and of
/// what was assumed before there were any, but never far from that. One run that something else
/// disturbed changes little.
class LearnedNumber {
 public:
  static constexpr std::size_t max_seen = 9;
  /// How many times more or less than assumed it can become.
  static constexpr double max_factor = 50.0;

  explicit LearnedNumber(double assumed) : assumed_{assumed} {}

  double value() const;
  const std::vector<double>& seen() const { return seen_; }
  /// Whether it makes a difference to see this: what is no positive number does not, nor what
  /// agrees with the last ones, as soon as there are enough of them.
  bool would_learn(double number) const;
  /// Sees it if it makes a difference; whether it did.
  bool learn(double number);

 private:
  double assumed_;
  std::vector<double> seen_;  ///< the newest one last
};

/// What a GPU takes, in seconds: until it has its context; for the copies of a pixel, there and
/// back; and how many times faster than one core it computes. The numbers before any run were
/// measured on an H200.
struct GpuSpeed {
  std::string name;
  LearnedNumber start{0.3}, pixel{0.5e-9}, gain{200.0};
};

/// What the estimate knows of a machine.
struct Speeds {
  std::string cpu;                ///< as describe_cpu()
  LearnedNumber cpu_factor{1.0};  ///< how many times longer than Plan::cost says runs take there
  /// The same for the runs of each filter, by its name.
  std::map<std::string, LearnedNumber, std::less<>> filter_factors{};
  std::map<int, GpuSpeed> gpus{};  ///< by index

  /// What is known of that filter's runs on the processor, or, before a few of them, of all runs.
  double cpu_factor_of(std::string_view filter) const;
  /// That of the first GPU that is known, or what is assumed of any.
  GpuSpeed first_gpu() const { return gpus.empty() ? GpuSpeed{} : gpus.begin()->second; }
};

/// Where a machine's speeds are kept: a file of $XDG_CACHE_HOME/gimp-cuda-filters or
/// ~/.cache/gimp-cuda-filters, one for each kind of machine that shares the folder. Empty if there
/// is no such folder for this user.
std::filesystem::path speeds_file(const std::string& cpu);

/// What is kept there for this processor. Where it cannot be read, or is not understood, nothing is
/// known.
Speeds load_speeds(const std::filesystem::path& file, const std::string& cpu);

/// Replaces the file in one step, so that others see the old one or the new one. Whether it could.
bool save_speeds(const std::filesystem::path& file, const Speeds& speeds);

}  // namespace cuda_filters
