// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/filter.hpp"
#include "plugin/gegl/operation_formats.hpp"
#include "plugin/gegl/parallel_buffer.hpp"

namespace cuda_filters::plugin {

/// An operation of ours, which lives as long as this, and what it does.
class Neighbor {
 public:
  Neighbor(GeglOperation* operation, Job job)
      : operation_{static_cast<GeglOperation*>(g_object_ref(operation)), g_object_unref},
        job_{std::move(job)} {}
  GeglOperation* operation() const { return operation_.get(); }
  const Job& job() const { return job_; }

 private:
  std::shared_ptr<GeglOperation> operation_;
  Job job_;
};

/// Operations of which each is all that takes the result of the one before, and which one run can
/// compute with the bits of one after the other. From the first one on.
using Neighbors = std::vector<Neighbor>;

/// Such as "cuda:invert, cuda:gamma".
std::string names_of(const Neighbors& neighbors);

/// Those before an operation, whose context this is, that have handed on their input to it instead
/// of computing: its input is that of the first one. To be called once when it is processed.
Neighbors take_neighbors(GeglOperationContext* context);

/// Leaves the work of an operation, and of `before`, to the one that takes its result, when it is
/// processed for `roi`. False if it has to compute: where there is no such operation, or
/// CUDA_FILTERS_FUSE=no forbids it, where somebody changes values after a run, so that this result
/// will be used again, where much would be computed again for the next piece, or where there is no
/// memory to tell the next one.
bool leave_to_next(const Neighbors& before, GeglOperation* operation, GeglOperationContext* context,
                   const GeglRectangle& roi);

/// The pixels that the first of neighbors takes, for what works in any light.
class NeighborsSource final : public InputSource {
 public:
  using InputSource::InputSource;
  Encoding encoding(Trc trc) override { return pixel_format(format().drawable, trc).encoding; }
};

}  // namespace cuda_filters::plugin
