// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// The same of its second picture.
struct AuxNeeds {
  int height = 0;        ///< of the picture
  IndexRange columns{};  ///< of it, that the area is computed from
  std::size_t pixel_bytes = 4;
  Halo halo{};
  std::size_t row_bytes() const { return columns.size() * pixel_bytes; }
};

/// What a run needs, from which its bands are planned.
struct BandNeeds {
  Size image{};
  Rect area;           ///< that the bands are cut from
  IndexRange columns;  ///< of the image, that the area is computed from
  std::size_t pixel_bytes = 4;
  int halo = 0;  ///< how many rows above and below itself a band looks at
  AnalysisScope analysis = AnalysisScope::none;
  bool outlasts_copies = false;  ///< as Plan::outlasts_copies()
  /// The halos of temporary pictures, from Plan::temporaries and Plan::analysis_temporaries.
  std::vector<TemporaryPlan> temporaries{}, analysis_temporaries{};
  std::optional<AuxNeeds> aux{};
  /// How many rows of the input that many neighboring rows of the result look at, at most; empty
  /// unless the job changes the size.
  std::function<int(int rows)> max_input_rows{};

  std::size_t row_bytes() const { return columns.size() * pixel_bytes; }
  /// How many bytes the temporary pictures that there are at a time take, at most, while a band of
  /// that many rows is computed.
  std::size_t temporary_bytes(int rows) const;
  /// Whether there are temporary pictures that end where the image does.
  bool keeps_parts_of_image() const;
  /// Whether the surroundings of a band are expensive to compute in temporary pictures.
  bool has_costly_surroundings() const;
};

/// What a device offers, from which bands are planned.
struct BandDevice {
  int depth = 1;  ///< as Backend::depth()
  std::size_t budget = 0;
  bool is_gpu = false;
  bool is_one_gpu = false;  ///< not several that take turns
  bool in_place = false;    ///< it copies from where the pixels are to where the results go
};

/// What the bands of a run keep of a picture.
struct StoredRows {
  IndexRange columns{};  ///< of it
  std::size_t slot_bytes = 0;
  int slots = 0;
};

/// How a run is cut into bands of whole rows, and what they keep of the image.
struct BandPlan {
  IndexRange columns{};  ///< of the image, that are stored
  std::size_t slot_bytes = 0;
  int rows = 0;              ///< of a band, at most
  int bands = 0;             ///< that are stored: those under way, and one that is being read
  int slots = 0;             ///< for their rows, or for more that stay
  bool whole_tiles = false;  ///< what a band needs of a tile's rows is read with the rest of them
  bool keeps_all = false;    ///< there is a slot for every row
  StoredRows aux{};          ///< of the second picture

  /// Where the band that begins at `begin` ends: at the end of a tile, or of the area. While the
  /// first band and the last one are on their way, nothing comes or goes the other way: they are
  /// shorter.
  int end_of(int begin, Rect area) const;

  /// The rows to read for those that a band needs, of all that are needed up to row `last`, so that
  /// no tile is asked for twice.
  IndexRange read_with(IndexRange needed, int last) const;

  /// Where the band begins that holds row `row`, if the first one begins at `area.y`.
  int begin_of(int row, Rect area) const;
};

/// The plan of a run that needs this on such a device, with at most `max_rows` rows a band.
BandPlan plan_bands(const BandNeeds& needs, const BandDevice& device, int max_rows);

/// What a job on an image of that size needs for the bands of `area`; `aux`: how its second picture
/// is read.
BandNeeds band_needs(const ResolvedJob& job, const Encoding& encoding, Size image, Rect area,
                     const std::optional<Encoding>& aux = std::nullopt);
BandDevice band_device(const Backend& backend, bool in_place);

}  // namespace cuda_filters
