// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"
#include "gpu/core/report.hpp"

namespace cuda_filters {

/// Devices of which each goes on when the one before it has failed; at least one.
using Backends = std::vector<std::unique_ptr<Backend>>;
/// `second` may be null.
Backends backends(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second);

/// Does what run() does, on these devices.
Report run_on(Backends devices, const ResolvedJob& job, Source& source, Sink& sink, Rect region,
              Observer& observer);
inline Report run_on(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second,
                     const ResolvedJob& job, Source& source, Sink& sink, Rect region,
                     Observer& observer) {
  return run_on(backends(std::move(first), std::move(second)), job, source, sink, region, observer);
}
inline Report run_on(Backends devices, const Job& job, Source& source, Sink& sink, Rect region,
                     Observer& observer) {
  return run_on(std::move(devices), resolved(job, source.size()), source, sink, region, observer);
}
inline Report run_on(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second,
                     const Job& job, Source& source, Sink& sink, Rect region, Observer& observer) {
  return run_on(backends(std::move(first), std::move(second)), job, source, sink, region, observer);
}

}  // namespace cuda_filters
