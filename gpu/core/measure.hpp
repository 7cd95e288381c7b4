// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/algorithms/statistics/measuring.hpp"
#include "gpu/core/device_choice.hpp"
#include "gpu/core/image.hpp"
#include "gpu/core/report.hpp"
#include "gpu/core/run_on.hpp"

namespace cuda_filters {

/// Measures the pixels of `region`, on the same terms as run().
Measured measure(Source& source, Rect region, const DeviceChoice& device, Observer& observer);

/// What an analysis that nothing follows finds in the pixels of `region`: its filter's state. The
/// devices must outlive that.
std::shared_ptr<void> analyze_on(Backends& devices, const Job& analysis, Source& source,
                                 Rect region, Observer& observer);

/// Measures as measure() does, on these devices.
Measured measure_on(Backends devices, Source& source, Rect region, Observer& observer);

}  // namespace cuda_filters
