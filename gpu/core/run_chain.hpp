// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
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

/// A chain that gives the bits which runs of its steps one after the other give: from step to step
/// the image is stored as that of the source is. No step may have steps of its own or a second
/// picture, nor give another size or other channels, and the source's encoding has to be of one
/// format for all that they work in.
Job rounding_chain(std::vector<Job> steps);

/// The passes of a chain over `region`. Unless it rounds, the first and the last one are
/// FusedPointwise, which convert to 32-bit floats and back.
std::vector<Pass> plan_passes(const Job& chain, Source& source, Rect region);

/// Applies the steps of a chain. From step to step the image stays, as 32-bit floats unless the
/// chain rounds, in the backend's memory, or in the host's if that is too small or the source has
/// to convert. Throws Error.
void run_chain(Backend& backend, const Job& chain, Source& source, Sink& sink, Rect region,
               const Progress& progress, Report& report);

}  // namespace cuda_filters
