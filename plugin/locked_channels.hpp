// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Drawable::locked_channels() of a layer, by what libgimp says of its image: is_active(channel).
template <class IsActive>
Channels locked_channels_of(bool is_gray, bool is_alpha_locked, IsActive is_active) {
  constexpr GimpChannelType colors[] = {GIMP_CHANNEL_RED, GIMP_CHANNEL_GREEN, GIMP_CHANNEL_BLUE};
  Channels locked{};
  for (int c = 0; c < 3; ++c) locked[c] = !is_active(is_gray ? GIMP_CHANNEL_GRAY : colors[c]);
  // Of a gray image GIMP tells no plug-in whether alpha is active.
  locked[3] = is_alpha_locked || (!is_gray && !is_active(GIMP_CHANNEL_ALPHA));
  return locked;
}

}  // namespace cuda_filters::plugin
