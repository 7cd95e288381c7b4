// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>

#include <optional>

#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"

namespace cuda_filters::plugin {

/// How the pixels of a drawable are read and written for a filter that works in `trc`: in the
/// drawable's own numbers and space, integers with curves that babl evaluates and floats with the
/// formula that babl follows, wherever there is one; else as floats that babl converts.
struct PixelFormat {
  PixelFormat(const Babl* drawable_format, Trc trc);
  /// What takes the drawable's own numbers to values of `trc`, or nothing if no formula does.
  std::optional<Transfer> transfer(Trc trc) const;
  /// Lets babl take floats in the drawable's own numbers to values of `trc`, or back.
  void convert(float* pixels, std::size_t count, Trc trc, bool back) const;

  const Babl* drawable;
  const Babl* babl;
  Encoding encoding;
};

/// The same format with an alpha channel, the layer's once it has been given one.
const Babl* with_alpha(const Babl* drawable_format);
/// The same format without an alpha channel.
const Babl* without_alpha(const Babl* format);

/// The format of an RGB image of the same precision, without alpha: in the space of a format with
/// colors, and in sRGB for one without.
const Babl* rgb_format(const Babl* format);

/// Of the same channels as they are stored, as 32-bit floats.
const Babl* number_format(const Babl* drawable_format);

/// The 8-bit format, encoded as the space of `drawable_format` encodes, with its channels.
const Babl* preview_format(const Babl* drawable_format);

}  // namespace cuda_filters::plugin
