// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/core/backend.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"
#include "gpu/core/pipeline.hpp"
#include "gpu/core/report.hpp"

namespace cuda_filters {

/// One pass of a job over a picture.
struct BandedRun {
  const ResolvedJob& job;
  Source& source;
  Sink* sink;   ///< null: it ends with the analysis
  Rect region;  ///< of the result, not empty; of a new image it does not matter
  const Progress& progress;
};

/// Computes what is not written yet, in bands that are halved while memory runs out, of the device
/// or the host: until that fails twice at one row. Gives what the analysis found. Throws
/// DeviceError.
std::shared_ptr<void> run_bands(Backend& backend, const BandedRun& run, WrittenRows& written,
                                Report& report);

/// One pass whose sink may have another number type than its source if the job is one of
/// FusedPointwise. Throws DeviceError.
void run_pass(Backend& backend, const ResolvedJob& job, Source& source, Sink& sink, Rect region,
              const Progress& progress, Report& report);

}  // namespace cuda_filters
