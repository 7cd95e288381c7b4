// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>

#include <memory>

#include "gpu/core/image.hpp"

namespace cuda_filters::plugin {

/// The version of the pixels of `area` of a buffer, as they are read in `format` from now on, or
/// nothing if they lie where they may change without GEGL: in one tile, which may be somebody's
/// memory, or in a backend that is not GEGL's own. While it lives, GEGL keeps the tiles in memory.
std::shared_ptr<const Version> version_of(GeglBuffer* buffer, const GeglRectangle& area,
                                          const Babl* format);

}  // namespace cuda_filters::plugin
