// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include "gpu/core/filter.hpp"

namespace cuda_filters::plugin {

/// Makes GEGL know the operation cuda:NAME of a filter, whose parameters are its properties.
void register_operation(GTypeModule* module, const FilterEntry& filter);

}  // namespace cuda_filters::plugin
