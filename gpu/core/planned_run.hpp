// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>

#include "gpu/core/band_plan.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// One pass of a job over a picture, with all that is settled before the first row is read. What it
/// refers to outlives it.
struct PlannedRun {
  const ResolvedJob& job;
  Encoding encoding;  ///< of the source, for the job
  Source& source;
  const PixelView* source_view;  ///< where its pixels are, if they can be taken from there, or null
  Sink* sink;                    ///< null: an analysis is all that is wanted
  Rect region;                   ///< of the result; of a new image, all of the source
  Rect area;                     ///< of the image, that the bands are cut from
  BandPlan plan;
  std::optional<Encoding> aux;  ///< of the second picture, if there is one
  bool keeps_source = false;    ///< the device puts together a copy of the whole source
  bool keeps_result = false;    ///< the device keeps a copy of it, which is as large as the image

  Size image() const { return source.size(); }
  bool creates_image() const { return job.filter->creates_image(); }
};

}  // namespace cuda_filters
