// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/device_image_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string_view>
#include <utility>

namespace cuda_filters {
namespace {

using Image = std::shared_ptr<const CachedDeviceImage>;

std::size_t bytes_of(const CachedDeviceImage& image) {
  return image.view.row_bytes * image.view.area.height;
}

/// The images that are kept; the one that was asked for last is the first.
class Images {
 public:
  /// Those that have to go are given back, so that they are freed without the lock.
  std::list<Image> add(Image image, std::size_t limit) {
    std::list<Image> gone;
    const std::lock_guard lock{mutex_};
    for (auto it = images_.begin(); it != images_.end();) {
      const auto each = it++;
      if ((*each)->gpu == image->gpu && image->version->replaces(*(*each)->version))
        gone.splice(gone.end(), images_, each);
    }
    images_.push_front(std::move(image));
    while (!images_.empty() && bytes() > limit)
      gone.splice(gone.end(), images_, std::prev(images_.end()));
    return gone;
  }
  template <class Matches>
  Image find(const Matches& matches) {
    const std::lock_guard lock{mutex_};
    const auto found = std::ranges::find_if(images_, matches);
    if (found == images_.end()) return nullptr;
    images_.splice(images_.begin(), images_, found);
    return images_.front();
  }
  std::list<Image> clear() {
    const std::lock_guard lock{mutex_};
    return std::exchange(images_, {});
  }

 private:
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Image& image : images_) bytes += bytes_of(*image);
    return bytes;
  }

  std::mutex mutex_;
  std::list<Image> images_;
};

/// Never destroyed: when a process ends, its GPU and the owner of the pixels may be gone before.
Images& images() {
  static Images* const images = new Images;
  return *images;
}

}  // namespace

bool caches_device_images() {
  const char* wish = std::getenv("CUDA_FILTERS_CACHE");
  return wish == nullptr || std::string_view{wish} != "no";
}

void cache_device_image(int gpu, Size size, Format format, std::shared_ptr<const Version> version,
                        std::shared_ptr<std::byte[]> rows, std::size_t limit) {
  if (rows == nullptr) return;
  const PixelView view{rows.get(),
                       {0, 0, size.width, size.height},
                       static_cast<std::size_t>(size.width) * format.bytes_per_pixel()};
  images().add(std::make_shared<const CachedDeviceImage>(
                   CachedDeviceImage{gpu, format, std::move(version), std::move(rows), view}),
               limit);
}

std::shared_ptr<const CachedDeviceImage> cached_device_image(int gpu, Size size, Format format,
                                                             const Version& version) {
  return images().find([&](const Image& image) {
    return image->gpu == gpu && image->format == format &&
           image->view.area == Rect{0, 0, size.width, size.height} &&
           image->version->equals(version);
  });
}

bool drop_cached_device_images() { return !images().clear().empty(); }

}  // namespace cuda_filters
