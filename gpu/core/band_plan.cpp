// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_plan.hpp"

#include <algorithm>
#include <cstdint>

#include "gpu/core/image.hpp"
#include "gpu/core/required_input.hpp"

namespace cuda_filters {

BandPlan::BandPlan(const Job& job, const Encoding& encoding, Size image, Rect region,
                   const Backend& backend, bool in_place, int most_rows)
    : bands{backend.depth() + 1} {
  // As much host memory is pinned, where pixels and results are elsewhere.
  constexpr std::size_t most_pinned = std::size_t{512} << 20;
  const std::size_t budget =
      backend.is_gpu() && !in_place ? std::min(backend.budget(), most_pinned) : backend.budget();
  const std::size_t pixel_bytes = encoding.format.bytes_per_pixel();
  const int halo = job.plan.halo_y;
  const Rect input = required_input(job, image, region, region);
  columns = {input.x, input.right()};
  slot_bytes = columns.size() * pixel_bytes;
  if (changes_size(job)) {
    rows = std::min(512, most_rows);
    const auto bytes = [&] {
      return slots * slot_bytes + bands * rows * (region.width * pixel_bytes);
    };
    while (slots = most_input_rows(job, image, region, bands * rows), rows > 1 && bytes() > budget)
      rows /= 2;
    return;
  }
  // A device that has several bands under way begins sooner with shorter ones, but after a survey
  // the host has to wait for each.
  constexpr std::size_t quick = std::size_t{6} << 20;
  const bool surveys = job.plan.survey != Survey::none;
  const bool overlaps = bands > 2 && !surveys;
  const std::size_t least = overlaps ? std::max<std::size_t>(tile_height, quick / slot_bytes) : 512;
  // What takes a GPU longer than the copies is best computed in long bands, of which there are
  // enough to begin and to end with a short one. Pinning memory for them would take longer.
  constexpr int most_bands = 6;
  const std::size_t longest = region.height / most_bands, very_long = std::size_t{32} * halo;
  const bool heavy = job.plan.outlasts_copies();
  // Rows that two bands share are computed twice: bands should be long beside their halos. But
  // where one GPU waits for the copies, it has time for that, and with short ones neither
  // direction of the bus waits long for the other one's first or last band. (Of several GPUs,
  // each would need most rows.)
  const std::size_t halos = overlaps && !heavy && backend.gpu() >= 0 ? 1 : 8;
  const std::size_t wished = std::max(
      {least, halos * halo, overlaps && heavy && in_place ? std::min(longest, very_long) : 0});
  // As many results as stored bands, which have their halos.
  const std::size_t fitting = budget / (slot_bytes * 2 * bands);
  const std::size_t chosen = std::min(wished, std::max<std::size_t>(fitting, tile_height));
  rows = std::min(static_cast<int>(chosen / tile_height) * tile_height, most_rows);
  // Of one band no survey is made.
  const std::size_t whole = 2 * region.height * slot_bytes;
  if (job.plan.survey == Survey::image && backend.is_gpu() && whole <= budget &&
      region.height <= most_rows)
    rows = std::max(rows, region.height);
  // What is read more than once may be twice what else is kept, unless memory has run out
  // already.
  const std::int64_t all =
      std::min<std::int64_t>(image.height, region.height + std::int64_t{2} * halo);
  const bool again = job.plan.survey == Survey::region || job.plan.survey == Survey::image;
  // Of a picture that is not large, all may be read before a GPU is ready.
  const std::size_t room = again ? 2 * budget : backend.is_gpu() ? budget / 2 : 0;
  const std::int64_t resident = all * slot_bytes <= room && rows < most_rows ? all : 0;
  std::int64_t stored = std::int64_t{bands} * rows + std::int64_t{2} * halo;
  whole_tiles = halo > 0 && rows >= tile_height && (stored + rows) * slot_bytes < budget;
  if (whole_tiles) stored += tile_height;
  slots = static_cast<int>(std::min<std::int64_t>(image.height, std::max(resident, stored)));
  keeps_all = slots >= all;
}

int BandPlan::most_input_rows(const Job& job, Size image, Rect region, int count) {
  int most = 0;
  for (int y = region.y; y < region.bottom(); ++y) {
    const Rect part{region.x, y, region.width, std::min(count, region.bottom() - y)};
    most = std::max(most, padded_input(job, image, part).height);
  }
  return most;
}

int BandPlan::end_of(int begin, Rect region) const {
  const int aligned = rows >= tile_height ? begin / tile_height * tile_height : begin;
  const int half = rows / (2 * tile_height) * tile_height;
  const bool first = begin == region.y, last = region.bottom() - aligned <= rows;
  const bool shorter = bands > 2 && half > 0 && (first || last) && rows < region.height;
  return std::min(aligned + (shorter ? half : rows), region.bottom());
}

IndexRange BandPlan::read_with(IndexRange needed, int last) const {
  if (!whole_tiles || needed.end >= last) return needed;
  const int tiles = (needed.end + tile_height - 1) / tile_height;
  return {needed.begin, std::min(tiles * tile_height, last)};
}

int BandPlan::begin_of(int row, Rect area) const {
  int begin = area.y;
  for (int end; (end = end_of(begin, area)) <= row;) begin = end;
  return begin;
}

}  // namespace cuda_filters
