// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "gpu/core/backend.hpp"
#include "gpu/core/device_choice.hpp"
#include "gpu/core/report.hpp"
#include "gpu/core/run_on.hpp"

namespace cuda_filters {

/// Tells an observer of the progress of a run, which never goes back.
Progress progress_of(Observer& observer);

/// Calls attempt(device, report) with one device after the other until one does not fail, and says
/// so. What failed is gone before the next one begins; the last one stays, since what it found out
/// may be in its memory.
using Attempt = std::function<void(Backend& device, Report& report)>;
Report with_fallback(Backends& devices, Observer& observer, const Attempt& attempt);

/// The backends of a choice for a job: the device, those that share the job with it, if they can,
/// and what stands in for it; or the CPU, because of a problem.
struct ChosenBackends {
  Backends devices;
  std::string problem;  ///< a sentence, or empty
};
ChosenBackends chosen_backends(const DeviceChoice& choice, const Job& job, Observer& observer);

}  // namespace cuda_filters
