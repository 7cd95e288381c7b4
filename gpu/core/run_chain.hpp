// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <span>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// One pass over the pixels: neighboring steps of single pixels are one.
struct Pass {
  ResolvedJob job;
  Rect region;            ///< of the image, that has to be computed
  bool converts = false;  ///< no formula leads to its light: the source converts on the host
};

/// The passes of a chain over `region`; the first and the last one are FusedPointwise, which
/// convert to 32-bit floats and back.
std::vector<Pass> plan_passes(std::span<const Job> steps, Source& source, Rect region);

/// Applies the steps of a chain. From step to step the image stays, as 32-bit floats, in the
/// backend's memory, or in the host's if that is too small or the source has to convert. Throws
/// Error.
void run_chain(Backend& backend, const Job& chain, Source& source, Sink& sink, Rect region,
               const Progress& progress, Report& report);

}  // namespace cuda_filters
