// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"

namespace cuda_filters {

/// GIMP's tiles are this high: bands that end with a tile are read and written fastest.
inline constexpr int tile_height = 128;

/// Pixels that are all in memory at once: the rows of `area`, from the first one on.
struct PixelView {
  std::byte* rows;
  Rect area;
  std::size_t row_bytes;
  bool on_host = false;  ///< the host's memory, else that of the backend
};

/// Tells the pixels of a source at one moment from those at another.
class Version {
 public:
  virtual ~Version() = default;
  /// Whether they are still the same, and those of `other`, for certain.
  virtual bool equals(const Version& other) const = 0;
  /// Whether it is of the same place as `other`, whose pixels nobody can have any more.
  virtual bool replaces(const Version& /*other*/) const { return false; }
};

/// Where a run's pixels come from. All calls come from the thread that called run().
class Source {
 public:
  virtual ~Source() = default;
  virtual int width() const = 0;
  virtual int height() const = 0;
  Size size() const { return {width(), height()}; }
  /// How read() delivers pixels for a filter that works in `trc`.
  virtual Encoding encoding(Trc trc) = 0;
  /// What takes the image's own numbers to values of `trc`, or nothing if no formula does.
  virtual std::optional<Transfer> transfer(Trc /*trc*/) { return std::nullopt; }
  /// Where no formula does: takes `count` pixels of 32-bit floats, with the image's own channels
  /// and numbers, to values of `trc`, or back.
  virtual void convert(float* pixels, std::size_t count, Trc trc, bool back);
  /// Where the pixels are, if they can be taken from there instead of calling read().
  virtual const PixelView* view() const { return nullptr; }
  /// Copies the pixels of `area`, which lies inside of the image, to rows `stride` bytes apart.
  virtual void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) = 0;
  /// That of all its pixels as read() delivers them from now on, or nothing if it cannot tell. A
  /// run whose source has the version of an earlier one may take the pixels of that without a
  /// read().
  virtual std::shared_ptr<const Version> version() { return nullptr; }
  /// What the statistics of a run on `region` are gathered from: for a piece of a picture, such as
  /// a preview, more than the piece.
  virtual Rect analyzed_area(Rect region) { return region; }
  /// Whether only some of the pixels count there.
  virtual bool has_mask() const { return false; }
  /// How much each pixel of `area` is selected, 0 … 255, rows without gaps; from 128 on it counts.
  virtual void read_mask(Rect /*area*/, std::uint8_t* /*to*/) {}
};

/// Where they go. Nothing that was written may show before the whole run has succeeded.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Before the first write() of a filter that makes a new image: its size, and how its pixels will
  /// come. When a run goes on after a failure, the same once more.
  virtual void begin(Size /*size*/, const Encoding&) {}
  virtual void write(Rect area, const Encoding& encoding, const std::byte* from,
                     std::size_t stride) = 0;
  /// How it takes the pixels of a run whose source has `encoding`.
  virtual Encoding encoding_for(const Encoding& encoding) { return encoding; }
  /// Where they go, if they can be put there instead of calling write().
  virtual const PixelView* view() const { return nullptr; }
  /// Whether what was written may be the source of another run.
  virtual bool may_be_read() const { return false; }
  /// After the last write(): the version of all its pixels, as their source will have it, or
  /// nothing if it cannot tell.
  virtual std::shared_ptr<const Version> version() { return nullptr; }
};

}  // namespace cuda_filters
