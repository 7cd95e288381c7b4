// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/core/image.hpp"

namespace cuda_filters {

/// An image in memory, rows without gaps: source and sink of tests, benchmark and command line.
class MemoryImage final : public Source, public Sink {
 public:
  /// The encodings go by Trc, so that tests can stand for any space; `codes` has `height` rows.
  MemoryImage(int width, int height, Encoding linear, Encoding perceptual);
  MemoryImage(int width, int height, Format format)
      : MemoryImage{width, height, Encoding{format, {}}, Encoding{format, {}}} {}

  int width() const override { return width_; }
  int height() const override { return height_; }
  Encoding encoding(Trc trc) override;
  std::optional<Transfer> transfer(Trc trc) override;
  void read(Rect area, const Encoding&, std::byte* to, std::size_t stride) override;
  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override;
  /// Becomes an image of that size and format.
  void begin(Size size, const Encoding&) override;

  /// An empty one of the same kind.
  MemoryImage like(Size size) const {
    MemoryImage image{size.width, size.height, linear_, perceptual_};
    image.to_linear = to_linear, image.to_perceptual = to_perceptual;
    return image;
  }
  Size size() const { return {width_, height_}; }
  std::vector<std::byte>& codes() { return codes_; }
  const std::vector<std::byte>& codes() const { return codes_; }
  std::size_t row_bytes() const;

  /// What transfer() says of linear light and of perceptual values.
  std::optional<Transfer> to_linear = Transfer{}, to_perceptual = Transfer{};
  /// The selection: one value a pixel, or none where all is selected.
  std::vector<std::uint8_t> selection;
  bool has_mask() const override { return !selection.empty(); }
  void read_mask(Rect area, std::uint8_t* to) override;

  /// Lets runs take its pixels, or put them, where they are, without a copy; not both in one run.
  void expose_memory() { open_ = true; }
  const PixelView* view() const override;

 private:
  int width_, height_;
  bool open_ = false;
  mutable PixelView view_{};
  Encoding linear_, perceptual_;
  std::vector<std::byte> codes_;
};

}  // namespace cuda_filters
