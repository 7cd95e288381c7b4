// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/estimate.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/core/devices.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {
namespace {

std::atomic<bool> gpu_was_used{false};

/// The speeds of this machine. Hold the lock while using them.
class ThisMachine {
 public:
  ThisMachine() {
    const std::filesystem::path file = speeds_file(cpu());
    if (!known() || known()->file() != file) known().emplace(file, cpu());
  }
  KnownSpeeds* operator->() { return &*known(); }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static const std::string& cpu() {
    static const std::string cpu = describe_cpu();
    return cpu;
  }
  static std::optional<KnownSpeeds>& known() {
    static std::optional<KnownSpeeds> known;
    return known;
  }

  const std::lock_guard<std::mutex> lock_{mutex()};
};

bool learn_gpu(Speeds& speeds, const Observation& run) {
  const Times& times = run.times;
  const auto known = speeds.gpus.find(run.gpu);
  const bool is_new = known == speeds.gpus.end() || known->second.name != run.device;
  GpuSpeed gpu = is_new ? GpuSpeed{.name = run.device} : known->second;
  bool learns = !run.started && gpu.start.learn(times.context);
  // Of an image that lay there already, only one way was copied.
  if (times.upload > 0.0 && times.download > 0.0)
    learns |= gpu.pixel.learn((times.upload + times.download) / run.pixels);
  if (times.compute > 0.0) learns |= gpu.gain.learn(1e-9 * run.cost * run.pixels / times.compute);
  if (learns) speeds.gpus.insert_or_assign(run.gpu, std::move(gpu));
  return learns;
}

std::string after_runs(const LearnedNumber& number) {
  return number.seen().empty() ? tr(N_("assumed"))
                               : format_text(tr(N_("by %zu runs")), number.seen().size());
}

}  // namespace

Estimate::Estimate(const Job& job, double pixels, int threads, const Speeds& speeds) {
  const GpuSpeed gpu = speeds.first_gpu();
  // What any run takes on a GPU: measured on an H200.
  constexpr double run = 0.005;
  const double planned = 1e-9 * job.plan.cost * pixels / threads, core = planned * threads;
  cpu_seconds_ = planned * speeds.cpu_factor_of(job.filter->info.name);
  copying_ = run + gpu.pixel.value() * pixels;
  computing_ = core / gpu.gain.value();
  start_ = gpu.start.value();
}

double Estimate::gpu_seconds(bool started) const {
  return (started ? 0.0 : start_) + copying_ + computing_;
}

bool gpu_has_started() { return gpu_was_used; }
void note_gpu_started() { gpu_was_used = true; }

bool learn(Speeds& speeds, const Observation& run) {
  // Below, the clock and what else the machine does count for more.
  constexpr double least_pixels = 250'000.0, least_cpu_seconds = 0.01;
  if (run.pixels < least_pixels) return false;
  if (run.gpu >= 0) return learn_gpu(speeds, run);
  if (run.times.compute < least_cpu_seconds || run.cost <= 0.0) return false;
  const double planned = 1e-9 * run.cost * run.pixels / run.threads;
  const double seen = run.times.compute / planned;
  LearnedNumber& factor = speeds.filter_factors.try_emplace(run.filter, 1.0).first->second;
  const bool learns = speeds.cpu_factor.learn(seen);
  return factor.learn(seen) || learns;
}

KnownSpeeds::KnownSpeeds(std::filesystem::path file, const std::string& cpu)
    : file_{std::move(file)}, speeds_{load_speeds(file_, cpu)} {}

void KnownSpeeds::learn(const Observation& run) {
  if (is_saved_) speeds_ = load_speeds(file_, speeds_.cpu);
  if (cuda_filters::learn(speeds_, run)) is_saved_ = save_speeds(file_, speeds_);
}

Speeds known_speeds() {
  return ThisMachine { } -> speeds(); }

void learn_from(const Observation& run) noexcept {
  try {
    ThisMachine { } -> learn(run); } catch (...) {  // no memory: the run has succeeded all the same
  }
}

std::vector<DescriptionLine> describe_estimate() {
  const Speeds speeds = known_speeds();
  std::vector<DescriptionLine> lines;
  const auto add_factor = [&](const std::string& key, const std::string& label,
                              const LearnedNumber& factor) {
    lines.push_back({key, label,
                     format_text(tr(N_("%.2f times the cost of a filter (%s)")), factor.value(),
                                 after_runs(factor).c_str())});
  };
  add_factor("estimate cpu", tr(N_("Estimate for the processor")), speeds.cpu_factor);
  for (const auto& [name, factor] : speeds.filter_factors) {
    const FilterEntry* filter = find_filter(name);
    const char* title = filter != nullptr ? tr(filter->info.title) : name.c_str();
    add_factor("estimate cpu " + name, format_text(tr(N_("Estimate for the processor, %s")), title),
               factor);
  }
  const auto add = [&](const std::string& key, const std::string& label, const GpuSpeed& gpu) {
    lines.push_back(
        {key, label,
         format_text(tr(N_("%.2f s to start (%s), %.2f ns to copy a pixel (%s), %.0f times "
                           "as fast as a core (%s)")),
                     gpu.start.value(), after_runs(gpu.start).c_str(), 1e9 * gpu.pixel.value(),
                     after_runs(gpu.pixel).c_str(), gpu.gain.value(),
                     after_runs(gpu.gain).c_str())});
  };
  if (speeds.gpus.empty()) add("estimate gpu", tr(N_("Estimate for a GPU")), {});
  for (const auto& [index, gpu] : speeds.gpus)
    add(format_text("estimate gpu %d", index), format_text(tr(N_("Estimate for GPU %d")), index),
        gpu);
  const std::filesystem::path file = speeds_file(speeds.cpu);
  lines.push_back({"estimate file", tr(N_("Estimates are kept in")),
                   file.empty() ? std::string{tr(N_("none"))} : file.string()});
  return lines;
}

}  // namespace cuda_filters
