// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/device_image_cache.hpp"

#include <mutex>
#include <utility>

namespace cuda_filters {
namespace {

using Image = std::shared_ptr<const CachedDeviceImage>;

struct Place {
  std::mutex mutex;
  Image image;
};

/// Never destroyed: when a process ends, its GPU and the owner of the pixels may be gone before.
Place& place() {
  static Place* const place = new Place;
  return *place;
}

Image current() {
  const std::lock_guard lock{place().mutex};
  return place().image;
}

/// Gives back the one before, so that it is freed without the lock.
Image replace(Image image) {
  const std::lock_guard lock{place().mutex};
  return std::exchange(place().image, std::move(image));
}

}  // namespace

void cache_device_image(int gpu, Size size, Format format, std::shared_ptr<const Version> version,
                        std::shared_ptr<std::byte[]> rows) {
  if (rows == nullptr) return;
  const PixelView view{rows.get(),
                       {0, 0, size.width, size.height},
                       static_cast<std::size_t>(size.width) * format.bytes_per_pixel()};
  replace(std::make_shared<const CachedDeviceImage>(
      CachedDeviceImage{gpu, format, std::move(version), std::move(rows), view}));
}

std::shared_ptr<const CachedDeviceImage> cached_device_image(int gpu, Size size, Format format,
                                                             const Version& version) {
  Image image = current();
  if (image != nullptr && image->gpu == gpu && image->format == format &&
      image->view.area == Rect{0, 0, size.width, size.height} && image->version->equals(version))
    return image;
  drop_cached_device_image();
  return nullptr;
}

bool drop_cached_device_image() { return replace(nullptr) != nullptr; }

}  // namespace cuda_filters
