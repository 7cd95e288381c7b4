// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>

#include "gpu/core/backend.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// How a run is cut into bands of whole rows, and what they need of the image.
struct BandPlan {
  IndexRange columns;  ///< of the image, that are stored
  std::size_t slot_bytes;
  int rows;                  ///< of a band, at most
  int bands;                 ///< that are stored: those under way, and one that is being read
  int slots;                 ///< for their rows, or for more that stay
  bool whole_tiles = false;  ///< what a band needs of a tile's rows is read with the rest of them
  bool keeps_all = false;    ///< there is a slot for every row

  /// `in_place`: both the pixels and the results are where the device copies from and to.
  BandPlan(const Job& job, const Encoding& encoding, Size image, Rect region,
           const Backend& backend, bool in_place, int most_rows);

  /// How many rows of the input `count` neighbouring rows of the result look at, at most.
  static int most_input_rows(const Job& job, Size image, Rect region, int count);

  /// Where the band that begins at `begin` ends: at the end of a tile, or of the region. While the
  /// first band and the last one are on their way, nothing comes or goes the other way: they are
  /// shorter.
  int end_of(int begin, Rect region) const;

  /// The rows to read for those that a band needs, of all that are needed up to row `last`, so that
  /// no tile is asked for twice.
  IndexRange read_with(IndexRange needed, int last) const;

  /// Where the band begins that holds row `row`, if the first one begins at `area.y`.
  int begin_of(int row, Rect area) const;
};

}  // namespace cuda_filters
