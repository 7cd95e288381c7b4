// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/core/transfer.hpp"

namespace cuda_filters::cuda {

/// Device pointers to the tables of the curves, or null, and what floats go through. All curves
/// follow `encoding`, with an error of up to `margin` codes, if that is above 0.
struct DeviceCurves {
  const float* values[3];
  const float* thresholds[3];
  const std::uint16_t* buckets[3];
  TransferTerms decoding, encoding;
  bool transfers;
  float margin;
};

}  // namespace cuda_filters::cuda
