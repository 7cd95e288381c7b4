// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/instances.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters::cuda {

using Instance = FilterInstance<Exec, Input, Output>;
using Instances = FilterInstances<Exec, Input, Output>;

/// The filters as they were compiled for GPUs.
Instances& instances();

}  // namespace cuda_filters::cuda
