// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/band.hpp"
#include "gpu/core/planned_run.hpp"
#include "gpu/core/run_progress.hpp"

namespace cuda_filters {

/// What the bands of a run read of a picture. What it refers to outlives it.
struct PictureRead {
  Source& source;
  const PixelView* view;  ///< where its pixels are, if they can be taken from there, or null
  const Encoding& encoding;
  Border border;
  StoredRows rows;  ///< that are kept
  int bands;        ///< whose rows are there at a time
  Rect area;        ///< of the picture and of what lies beyond its ends, that all bands look at

  Size size() const { return {source.width(), source.height()}; }
};

/// Brings the rows that bands need into the store that they share, or finds them where the source
/// has them.
class BandReader {
 public:
  /// Adds the seconds that it takes to `seconds`.
  BandReader(Backend& backend, const PictureRead& picture, RunProgress& progress, double& seconds);

  const RowStore& store() const { return store_; }
  /// Brings what a band looks at, the rows of `area`, which is as wide as that of all bands. More
  /// of them are read if the plan says so.
  BandInput read(Rect area, const BandPlan& plan);
  /// How much each pixel of `area` is selected; null if all are.
  std::shared_ptr<std::vector<std::uint8_t>> read_mask(Rect area);
  /// Lets the next pass replace the rows of the one before.
  void release() { slots_.release(); }
  /// Whether the store has become the whole image.
  bool holds_image() const { return slots_.hold_image(); }

 private:
  RowStore find_row_store(Backend& backend);
  void read(const RowSlots::RowSpan& rows);

  const PictureRead picture_;
  RunProgress& progress_;
  double& seconds_;
  RowSlots slots_;
  IndexRange stored_columns_;                  ///< those of the image that the store has
  std::shared_ptr<std::byte[]> store_memory_;  ///< null: the source's is used
  RowStore store_;
  std::vector<int> columns_;  ///< of every band's lookup
  int last_row_;              ///< + 1, of the image, that any band needs
};

}  // namespace cuda_filters
