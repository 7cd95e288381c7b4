// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"
#include "plugin/tile_io.hpp"

namespace cuda_filters::plugin {
namespace {

/// How often GIMP has to keep a result at most: a layer that gets alpha, the copy that waits to be
/// merged, and what comes of that.
constexpr double copies = 3.0;
/// What GIMP may have to swap of its own meanwhile, in bytes.
constexpr double reserve = 64 << 20;

/// Where GIMP tells this process to swap to, as it does itself.
std::string swap_folder() {
  gchar* path = nullptr;
  g_object_get(gegl_config(), "swap", &path, nullptr);
  std::string folder = path != nullptr ? path : "";
  g_free(path);
  return folder;
}

/// In bytes; 0 if there is no such folder.
double free_space(const std::string& folder) {
  struct statvfs found {};
  if (statvfs(folder.c_str(), &found) != 0) return 0.0;
  return static_cast<double>(found.f_bavail) * static_cast<double>(found.f_frsize);
}

/// The memory that can be had without swapping, in bytes; 0 if the kernel does not say.
double available_memory() {
  std::ifstream lines{"/proc/meminfo"};
  for (std::string key, unit; lines >> key;) {
    double kibibytes = 0.0;
    if (lines >> kibibytes; key == "MemAvailable:") return 1024.0 * kibibytes;
    std::getline(lines, unit);
  }
  return 0.0;
}

std::string bytes_text(double bytes) {
  gchar* text = g_format_size_full(static_cast<guint64>(bytes), G_FORMAT_SIZE_IEC_UNITS);
  std::string copy = text;
  g_free(text);
  return copy;
}

/// A new file without a name, on the disk that has that folder; -1 and errno if there can be none.
int open_file(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string path = folder + "/cuda-filters-XXXXXX";  // some file systems have no such files
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

/// Gives `file` all of its room; closes it and returns -1, with errno, if there is none.
int with_room(int file, std::size_t bytes) {
  if (file < 0) return -1;
  int problem = EINTR;
  while (problem == EINTR) problem = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (problem == 0) return file;
  close(file);
  errno = problem;
  return -1;
}

[[noreturn]] void throw_failure() {
  throw Error{format_text(tr(N_("The result cannot be kept in '%s': %s. Free space there, or close "
                                "other images or programs.")),
                          swap_folder().c_str(), g_strerror(errno))};
}

[[noreturn]] void throw_full(const std::string& folder) {
  throw Error{
      format_text(tr(N_("GIMP has no room for the result: too little is free in '%s', where it "
                        "swaps to. Free space there, or close other images.")),
                  folder.c_str())};
}

/// Whether GIMP gives back the noise, which GEGL cannot compress, that this fills a layer with.
bool keeps_noise(Drawable& layer) {
  const ScopedTileCache tile_cache;
  const KeepCpuAwake awake;
  const Babl* format = layer.format();
  const auto [width, height] = layer.size();
  const std::size_t row_bytes =
      static_cast<std::size_t>(width) * babl_format_get_bytes_per_pixel(format);
  std::vector<std::uint64_t> noise(row_bytes * tile_height / sizeof(std::uint64_t) + 1);
  std::vector<std::byte> found(row_bytes * tile_height);
  for (const bool writing : {true, false}) {
    const Buffer buffer = layer.buffer();
    std::mt19937_64 random;
    for (int y = 0; y < height; y += tile_height) {
      const GeglRectangle rectangle{0, y, width, std::min(tile_height, height - y)};
      std::ranges::generate(noise, std::ref(random));
      if (writing) {
        gegl_buffer_set(buffer.get(), &rectangle, 0, format, noise.data(), GEGL_AUTO_ROWSTRIDE);
        continue;
      }
      gegl_buffer_get(buffer.get(), &rectangle, 1.0, format, found.data(), GEGL_AUTO_ROWSTRIDE,
                      GEGL_ABYSS_NONE);
      if (std::memcmp(found.data(), noise.data(), row_bytes * rectangle.height) != 0) return false;
    }
  }
  return true;
}

}  // namespace

bool check_swap(Host& host, double bytes, const Babl* format) {
  const std::string folder = swap_folder();
  const double available = free_space(folder), wanted = copies * bytes;
  if (available >= wanted + reserve) return false;
  if (wanted > available + available_memory()) throw_full(folder);
  const double pixel_bytes =
      3.0 * babl_format_get_bytes_per_pixel(format) / babl_format_get_n_components(format);
  const int side = static_cast<int>(std::min(std::sqrt(wanted / pixel_bytes) + 1.0, 524288.0));
  const std::unique_ptr<NewImage> image = host.new_image({side, side}, "");
  if (image == nullptr)
    throw Error{format_text(tr(N_("GIMP made no new image of %d × %d pixels: %s")), side, side,
                            host.last_error().c_str())};
  if (!keeps_noise(image->layer())) throw_full(folder);
  return true;
}

void check_room(double bytes) {
  const std::string folder = swap_folder();
  const double needed = 2 * bytes, available = available_memory() + free_space(folder);
  if (needed > available)
    throw ArgumentError{format_text(
        tr(N_("The result needs %s, but in memory and in '%s', where GIMP swaps to, only %s are "
              "free. Choose a smaller size.")),
        bytes_text(needed).c_str(), folder.c_str(), bytes_text(available).c_str())};
}

std::string sentence_about_loss(const std::string& name) {
  return format_text(tr(N_("GIMP has lost pixels of the result for '%s': '%s', where it swaps to, "
                           "is full. Undo the last step and free space there.")),
                     name.c_str(), swap_folder().c_str());
}

ResultStore::ResultStore(Rect area, const Babl* format) : area_{area}, format_{format} {
  static double memory_left = available_memory() / 2;  // for all results of this process
  const std::size_t bytes = row_bytes() * static_cast<std::size_t>(area.height);
  if (static_cast<double>(bytes) <= memory_left)
    file_ = with_room(memfd_create("cuda-filters", MFD_CLOEXEC), bytes);
  if (file_ >= 0) memory_left -= static_cast<double>(bytes);
  if (file_ < 0) file_ = with_room(open_file(swap_folder()), bytes);
  if (file_ < 0) throw_failure();
}

ResultStore::~ResultStore() {
  if (file_ >= 0) close(file_);
}

std::size_t ResultStore::row_bytes() const {
  return static_cast<std::size_t>(area_.width) * babl_format_get_bytes_per_pixel(format_);
}

void ResultStore::write(Rect part, const std::byte* from, std::size_t stride) {
  const std::size_t pixel_bytes = babl_format_get_bytes_per_pixel(format_);
  for (int y = 0; y < part.height; ++y) {
    std::size_t at = (part.y - area_.y + y) * row_bytes() + (part.x - area_.x) * pixel_bytes;
    const std::byte* row = from + y * stride;
    for (std::size_t left = pixel_bytes * part.width; left > 0;) {
      const ssize_t done = pwrite(file_, row, left, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw_failure();
      row += done, at += done, left -= done;
    }
  }
}

template <class Use>
bool ResultStore::for_bands(Use use) const {
  std::vector<std::byte> pixels;
  int next = 0;
  for (int y = area_.y; y < area_.bottom(); y = next) {
    next = std::min(area_.bottom(), (y / tile_height + 1) * tile_height);
    pixels.resize(row_bytes() * static_cast<std::size_t>(next - y));
    std::size_t at = row_bytes() * static_cast<std::size_t>(y - area_.y);
    std::byte* to = pixels.data();
    for (std::size_t left = pixels.size(); left > 0;) {
      const ssize_t done = pread(file_, to, left, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw_failure();
      to += done, at += done, left -= done;
    }
    const GeglRectangle rectangle{area_.x, y, area_.width, next - y};
    if (!use(rectangle, pixels)) return false;
  }
  return true;
}

void ResultStore::copy_to(GeglBuffer* buffer) const {
  const KeepCpuAwake awake;
  for_bands([&](const GeglRectangle& rectangle, const std::vector<std::byte>& pixels) {
    gegl_buffer_set(buffer, &rectangle, 0, format_, pixels.data(), GEGL_AUTO_ROWSTRIDE);
    return true;
  });
}

bool ResultStore::is_in(GeglBuffer* buffer) const {
  const KeepCpuAwake awake;
  std::vector<std::byte> found;
  return for_bands([&](const GeglRectangle& rectangle, const std::vector<std::byte>& pixels) {
    found.resize(pixels.size());
    gegl_buffer_get(buffer, &rectangle, 1.0, format_, found.data(), GEGL_AUTO_ROWSTRIDE,
                    GEGL_ABYSS_NONE);
    return found == pixels;
  });
}

void ResultStoreSink::write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) {
  if (store_.format() == format_.babl) return store_.write(area, from, stride);
  const std::size_t row_bytes =
      static_cast<std::size_t>(area.width) * babl_format_get_bytes_per_pixel(store_.format());
  std::vector<std::byte> converted(row_bytes * area.height);
  babl_process_rows(babl_fish(format_.babl, store_.format()), from, static_cast<int>(stride),
                    converted.data(), static_cast<int>(row_bytes), area.width, area.height);
  store_.write(area, converted.data(), row_bytes);
}

}  // namespace cuda_filters::plugin
