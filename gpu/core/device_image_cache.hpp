// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>

#include "gpu/core/image.hpp"

namespace cuda_filters {

/// An image whose rows lie in a GPU's memory after a run, as they are stored, for the next run on
/// the same pixels.
struct CachedDeviceImage {
  int gpu;
  Format format;
  std::shared_ptr<const Version> version;
  std::shared_ptr<std::byte[]> memory;
  PixelView view;  ///< all of the image, in `memory`
};

/// Keeps the rows of an image of that version instead of the image that was kept before: a process
/// has one. Without rows, none is kept.
void cache_device_image(int gpu, Size size, Format format, std::shared_ptr<const Version> version,
                        std::shared_ptr<std::byte[]> rows);
/// The kept image, if it is this one. Another one is dropped: the next to be kept needs its room.
std::shared_ptr<const CachedDeviceImage> cached_device_image(int gpu, Size size, Format format,
                                                             const Version& version);
/// Lets go of the kept image, whose memory is freed when no run uses it any more. False if there
/// was none.
bool drop_cached_device_image();

}  // namespace cuda_filters
