// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plugin/dialog/preview_raster.hpp"
#include "plugin/gegl/parallel_buffer.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// A drawable's pixels and what is selected of it, in this process's memory: what a preview is
/// computed from, by a thread that may not talk to GIMP.
class PreviewPicture {
 public:
  /// Begins with no pixels. `from` is the buffer of a drawable in that format, and outlives the
  /// copying; what is selected of it is copied at once.
  PreviewPicture(const Buffer& from, const Babl* format, Selection selection, Channels locked = {});
  /// All of these pixels are there, and selected.
  explicit PreviewPicture(Buffer pixels);
  PreviewPicture(const PreviewPicture&) = delete;
  PreviewPicture(PreviewPicture&&) = default;

  /// Copies some more rows, in the thread that talks to GIMP; true when all pixels are there.
  bool copy_some();

  Size size() const { return size_; }
  const Babl* format() const { return format_; }
  /// The channels that GIMP leaves as they are, whatever a filter makes of them.
  const Channels& locked_channels() const { return locked_channels_; }
  /// What is selected, in this process's memory.
  const Selection& selection() const { return selection_; }
  /// The format in which a run with that plan reads and writes the picture.
  const Babl* format_in_run(const Plan& plan) const;
  /// The source of a run, which ends before this does, for pixels in that format.
  InputSource source(const PixelFormat& format) const { return source(format, selection_); }
  InputSource source(const PixelFormat& format, const Selection& selection) const {
    return {pixels_.get(), format, selection};
  }
  /// Adds rows of the picture as they are.
  void add_to(PreviewRaster& raster, IndexRange rows) const;
  /// The pixels of an area as a window shows them: R'G'B'A of 8 bits, without gaps.
  std::vector<std::uint8_t> shown(Rect area) const;
  /// The picture with 1/factor of its width and height.
  Buffer reduced(int factor) const;
  /// What is selected of that.
  Selection reduced_selection(int factor) const;

 private:
  GeglBuffer* from_;
  const Babl* format_;
  Size size_;
  Buffer pixels_;
  Selection selection_;
  Channels locked_channels_{};
  int copied_rows_ = 0;
};

/// Takes stored pixels to what a window shows: R'G'B'A of 8 bits, as the space of the stored format
/// encodes.
class ShownPixels {
 public:
  explicit ShownPixels(const Babl* stored);
  void convert(const void* from, std::uint8_t* to, int count) const;
  /// Lays shown pixels over those of `to`, as much as they are selected, in linear light as GIMP
  /// does.
  void blend(const std::uint8_t* over, const std::uint8_t* selected, int count,
             std::uint8_t* to) const;

 private:
  void blend_partly(const std::uint8_t* over, const std::uint8_t* selected, int count,
                    std::uint8_t* to) const;

  const Babl* format_;
  const Babl* fish_;
  const Babl *shown_, *linear_;
  int channels_;
};

/// Second pictures in this process's memory. Those of a dialog stay the same while it is open.
class SecondPictureCopies {
 public:
  /// Takes the place of the sources of a job's second pictures, and of those of its steps.
  void replace_in(Job& job);

 private:
  using Key = std::pair<int, Trc>;  ///< the drawable, and what its pixels are read for
  std::map<Key, std::shared_ptr<Source>> copies_;  ///< those of the last job
};

}  // namespace cuda_filters::plugin
