// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include "gpu/core/filter.hpp"

namespace cuda_filters::plugin {

/// Whether a filter can be an operation: its result has the size of its input.
inline bool is_operation(const FilterEntry& filter) { return filter.keeps_size(); }

/// Makes GEGL know the operation cuda:NAME of a filter, whose parameters are its properties.
void register_operation(GTypeModule* module, const FilterEntry& filter);

}  // namespace cuda_filters::plugin
