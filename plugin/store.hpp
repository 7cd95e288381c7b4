// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>

#include <string>
#include <utility>

#include "gpu/core/image.hpp"
#include "plugin/pixel_format.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// GIMP loses tiles that it cannot swap, and says so on the terminal only. Where the disk might
/// have no room for a result of so many bytes, this throws Error if GIMP loses pixels of an image
/// as large as all that it has to keep of that, with numbers of the type of `format`. Returns
/// whether so little is free that it had to look.
bool check_swap(Host& host, double bytes, const Babl* format);

/// Throws ArgumentError, with what to do about it, if a result of so many bytes cannot have room
/// both here and in GIMP.
void check_room(double bytes);

/// What an error says when GIMP has lost pixels of the drawable `name`, which were there before.
std::string sentence_about_loss(const std::string& name);

/// Pixels that wait until all of a result is there. GEGL would lose those that it cannot swap; this
/// takes all of its room when it is made, and tells of every error.
class ResultStore {
 public:
  ResultStore() = default;
  /// Room for `area` in memory, if half of what was free suffices for all results of this process,
  /// or else where GIMP swaps to.
  /// Throws Error if there is none.
  ResultStore(Rect area, const Babl* format);
  ResultStore(ResultStore&& other) noexcept
      : file_{std::exchange(other.file_, -1)}, area_{other.area_}, format_{other.format_} {}
  ResultStore& operator=(ResultStore&& other) noexcept {
    std::swap(file_, other.file_);
    area_ = other.area_, format_ = other.format_;
    return *this;
  }
  ~ResultStore();

  bool empty() const { return file_ < 0; }
  const Babl* format() const { return format_; }
  /// Keeps the pixels of `part`, in format(); rows are `stride` bytes apart. Throws Error.
  void write(Rect part, const std::byte* from, std::size_t stride);
  /// Copies all of them to the same place in a buffer. Throws Error.
  void copy_to(GeglBuffer* buffer) const;
  /// Whether they are there, bit for bit. Throws Error.
  bool is_in(GeglBuffer* buffer) const;

 private:
  std::size_t row_bytes() const;
  /// Calls use(rectangle, pixels) for bands of whole rows that end with GIMP's tiles, until it
  /// returns false.
  template <class Use>
  bool for_bands(Use use) const;

  int file_ = -1;
  Rect area_{};
  const Babl* format_ = nullptr;
};

/// A store to which a run writes in its own format.
class ResultStoreSink final : public Sink {
 public:
  ResultStoreSink(ResultStore& store, const PixelFormat& format) : store_{store}, format_{format} {}
  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override;

 private:
  ResultStore& store_;
  const PixelFormat& format_;
};

}  // namespace cuda_filters::plugin
