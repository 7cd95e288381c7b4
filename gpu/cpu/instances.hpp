// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/instances.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters::cpu {

using Instance = FilterInstance<Exec, Input, Output>;
using Instances = FilterInstances<Exec, Input, Output>;

/// The filters as they were compiled for the processor: those of the registry, and what a test
/// adds before a run begins, since nothing locks them.
Instances& instances();

}  // namespace cuda_filters::cpu
