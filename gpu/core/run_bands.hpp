// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/core/backend.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// The bands of `region` from row `done` on, which it keeps at the first row that is not written
/// yet, halved while memory runs out, of the device or the host: until that fails twice at one row.
/// Without a sink it ends with the survey. Gives what the survey found.
std::shared_ptr<void> run_bands(Backend& backend, const Job& given, Source& source, Sink* sink,
                                Rect region, const Progress& progress, int& done, Report& report);

/// One pass of a run over the pixels, whose sink may have another number type than its source if
/// the job is one of Points. Throws DeviceError.
void run_pass(Backend& backend, const Job& job, Source& source, Sink& sink, Rect region,
              const Progress& progress, Report& report);

}  // namespace cuda_filters
