// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/fallback.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "gpu/core/cancellation.hpp"
#include "gpu/core/estimate.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

Progress progress_of(Observer& observer) {
  return [&observer, shown = 0.0](double fraction) mutable {
    shown = std::max(shown, fraction);
    if (!observer.progress(shown)) throw_cancelled();
  };
}

Report with_fallback(Backends& devices, Observer& observer, const Attempt& attempt) {
  Report report;
  const auto add = [&](const Backend& device) {
    report.times += device.times();
    if (const std::string name = device.device(); !name.empty())
      report.device += (report.device.empty() ? "" : ", ") + name;
  };
  for (auto device = devices.begin();; ++device) {
    const auto next = std::next(device);
    const auto go_on = [&](const char* problem, bool tell) {
      if (next == devices.end()) throw;
      report.fallback = problem;
      const char* sentence = (*next)->is_gpu() ? tr(N_("%s The rest was done on one GPU."))
                                               : tr(N_("%s The rest was done on the CPU."));
      if (tell) observer.note(format_text(sentence, problem));
      add(**device);
      device->reset();
    };
    report.on_gpu = (*device)->is_gpu();
    try {
      attempt(**device, report);
      if (report.on_gpu) note_gpu_started();
      add(**device);
      return report;
    } catch (const DeviceMemoryError& error) {
      go_on(error.what(), true);
    } catch (const NoDeviceError& error) {
      go_on(error.what(), false);  // nobody asked for it
    } catch (const DeviceError& error) {
      go_on(error.what(), true);
    } catch (const std::bad_alloc&) {
      go_on(tr(N_("There is not enough memory to copy pixels to the GPU.")), true);
    }
  }
}

ChosenBackends chosen_backends(const DeviceChoice& choice, const Job& job, Observer& observer) {
  const auto on_cpu = [&](const std::string& problem) {
    if (!problem.empty())
      observer.note(format_text(tr(N_("%s The CPU did the work.")), problem.c_str()));
    return ChosenBackends{backends(make_cpu_backend(), nullptr), problem};
  };
  if (choice.gpu < 0) return on_cpu(choice.missing);
  // What none of its bands goes to need not start.
  const std::vector<int> others = can_be_shared(job) ? choice.others : std::vector<int>{};
  Backends devices, shared;
  try {
    shared.push_back(make_gpu_backend(choice.gpu));
    for (const int other : others) shared.push_back(make_gpu_backend(other));
    devices.push_back(make_multi_backend(std::move(shared)));
    // Another GPU may be busy.
    if (!others.empty()) devices.push_back(make_gpu_backend(choice.gpu));
  } catch (const Error& error) {
    return on_cpu(error.what());
  }
  devices.push_back(make_cpu_backend());
  return {std::move(devices), {}};
}

}  // namespace cuda_filters
