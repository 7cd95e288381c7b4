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

/// Whether images stay on GPUs from one run to the next, which CUDA_FILTERS_CACHE=no forbids.
bool caches_device_images();
/// Keeps the rows of an image of that version. Those that it replaces are dropped, and then those
/// that no run has asked for the longest, until what is kept of all takes no more than `limit`
/// bytes. Without rows, or if they take more than that, none is kept.
void cache_device_image(int gpu, Size size, Format format, std::shared_ptr<const Version> version,
                        std::shared_ptr<std::byte[]> rows, std::size_t limit);
/// The kept image that is this one, or null.
std::shared_ptr<const CachedDeviceImage> cached_device_image(int gpu, Size size, Format format,
                                                             const Version& version);
/// Lets go of all kept images, whose memory is freed when no run uses them any more. False if there
/// were none.
bool drop_cached_device_images();

}  // namespace cuda_filters
