// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/device_choice.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"
#include "gpu/core/report.hpp"

namespace cuda_filters {

/// Applies `job` to the pixels of `region`, band by band, and hands the results to `sink`; pixels
/// around the region are read where the filter looks at them. The region lies inside of the result,
/// whose size `job` knows. A filter that makes a new image reads all of `source`, whatever the
/// region is, and tells the sink how large the image is.
/// Memory that runs out, of the device or of the host, halves the bands; if that does not help, or
/// the device fails otherwise, the CPU goes on from the band that failed, and the observer and the
/// report say so. Throws Error when the source, the sink or the CPU fails, std::bad_alloc when the
/// CPU has no memory either, and Cancelled within a fraction of a second when the observer cancels.
Report run(const ResolvedJob& job, Source& source, Sink& sink, Rect region,
           const DeviceChoice& device, Observer& observer);

/// Does so with the job resolved for the size of `source`.
inline Report run(const Job& job, Source& source, Sink& sink, Rect region,
                  const DeviceChoice& device, Observer& observer) {
  return run(resolved(job, source.size()), source, sink, region, device, observer);
}

/// Gives back the memory of GPUs that earlier runs of this process keep for the next one, and the
/// image that may lie there.
void release_idle_memory();

}  // namespace cuda_filters
