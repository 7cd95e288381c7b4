// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/core/engine.hpp"

namespace cuda_filters {

/// Notes that a GPU has been used: from then on, this process need not wait for its start.
void note_gpu_started();

}  // namespace cuda_filters
