// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <babl/babl.h>

#include "plugin/pixel_format.hpp"

namespace cuda_filters::plugin {

/// How pixels of that format are read for a filter that works in `trc`, from any thread.
const PixelFormat& pixel_format(const Babl* format, Trc trc);

/// The format in which an operation takes the pixels of its input, null if that has no format:
/// theirs, if it is one that GIMP's drawables can have.
const Babl* taken_format(const Babl* source);

}  // namespace cuda_filters::plugin
