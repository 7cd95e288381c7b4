// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gpu/core/image.hpp"
#include "gpu/core/required_input.hpp"

namespace cuda_filters {
namespace {

/// How many bytes a plan may use.
std::size_t usable_budget(const BandDevice& device) {
  // As much host memory is pinned, where pixels and results are elsewhere.
  constexpr std::size_t max_pinned = std::size_t{512} << 20;
  return device.is_gpu && !device.in_place ? std::min(device.budget, max_pinned) : device.budget;
}

/// What any plan begins with.
BandPlan empty_plan(const BandNeeds& needs, const BandDevice& device) {
  return {.columns = needs.columns, .slot_bytes = needs.row_bytes(), .bands = device.depth + 1};
}

/// Bands of a result of another size: as high as their input fits.
BandPlan plan_resizing_bands(const BandNeeds& needs, const BandDevice& device, int max_rows) {
  BandPlan plan = empty_plan(needs, device);
  const std::size_t result_bytes = needs.area.width * needs.pixel_bytes;
  for (plan.rows = std::min(512, max_rows);; plan.rows /= 2) {
    plan.slots = needs.max_input_rows(plan.bands * plan.rows);
    const std::size_t bytes = plan.slots * plan.slot_bytes + plan.bands * plan.rows * result_bytes;
    if (plan.rows <= 1 || bytes <= usable_budget(device)) return plan;
  }
}

/// How many rows a band should have, if there is memory for them.
std::size_t wished_rows(const BandNeeds& needs, const BandDevice& device) {
  // A device that has several bands under way begins sooner with shorter ones, but after an
  // analysis the host has to wait for each.
  constexpr std::size_t quick_bytes = std::size_t{6} << 20;
  const bool overlaps = device.depth > 1 && needs.analysis == AnalysisScope::none;
  const std::size_t least =
      overlaps ? std::max<std::size_t>(tile_height, quick_bytes / needs.row_bytes()) : 512;
  // What takes a GPU longer than the copies is best computed in long bands, of which there are
  // enough to begin and to end with a short one. Pinning memory for them would take longer.
  constexpr int enough_bands = 6;
  const std::size_t longest = needs.area.height / enough_bands;
  const std::size_t very_long = std::size_t{32} * needs.halo;
  const bool heavy = needs.outlasts_copies;
  // Rows that two bands share are computed twice: bands should be long beside their halos. But
  // where one GPU waits for the copies, it has time for that, and with short ones neither
  // direction of the bus waits long for the other one's first or last band. (Of several GPUs,
  // each would need most rows.)
  const std::size_t halos = overlaps && !heavy && device.is_one_gpu ? 1 : 8;
  return std::max({least, halos * needs.halo,
                   overlaps && heavy && device.in_place ? std::min(longest, very_long) : 0});
}

/// How many bytes the temporary pictures of all bands that are computed at once may take.
std::size_t temporary_budget(const BandNeeds& needs, const BandDevice& device) {
  // Where the surroundings of a band are expensive to compute, short bands take longer: half of the
  // memory of a GPU, whose budget is a sixteenth of it, is for that.
  return needs.has_costly_surroundings() ? 8 * device.budget : device.budget;
}

/// Bands are not made shorter than that for the sake of temporary pictures.
int shortest_rows(const BandNeeds& needs, const BandDevice& device) {
  constexpr int any = std::numeric_limits<int>::max();
  // The host has memory for all of an image; and where each band needs about all, shorter ones save
  // none.
  if (needs.keeps_parts_of_image() && (!device.is_gpu || 4 * needs.halo >= needs.image.height))
    return any;
  if (needs.has_costly_surroundings() && !device.is_gpu) return std::max(tile_height, needs.halo);
  // It would save little memory and take many times as long.
  return std::max(1, needs.halo / 4);
}

/// How many rows a band gets: of those that it should have, as many as fit into the budget, in
/// whole tiles.
int stencil_rows(const BandNeeds& needs, const BandDevice& device, int max_rows) {
  const std::size_t budget = usable_budget(device);
  // As many results as stored bands, which have their halos.
  const std::size_t row_bytes =
      2 * needs.row_bytes() + (needs.aux ? needs.aux->row_bytes() : std::size_t{0});
  const std::size_t rows_in_budget = budget / (row_bytes * (device.depth + 1));
  const std::size_t chosen =
      std::min(wished_rows(needs, device), std::max<std::size_t>(rows_in_budget, tile_height));
  int rows = std::min(static_cast<int>(chosen / tile_height) * tile_height, max_rows);
  // A device that has several bands under way may compute two of them at once.
  const std::size_t at_once = device.depth > 1 ? 2 : 1;
  const auto has_room = [&](int height) {
    return at_once * needs.temporary_bytes(height) <= temporary_budget(needs, device);
  };
  const int least = shortest_rows(needs, device);
  const int shortest = least > tile_height ? least / tile_height * tile_height : least;
  while (rows > shortest && !has_room(rows)) {
    const int half =
        rows > tile_height ? std::max(1, rows / 2 / tile_height) * tile_height : rows / 2;
    rows = std::max(half, shortest);
  }
  // With a single band the analysis pass is skipped.
  const std::size_t whole = 2 * needs.area.height * needs.row_bytes();
  const bool fits_whole =
      whole <= budget && needs.area.height <= max_rows && has_room(needs.area.height);
  return needs.analysis == AnalysisScope::image && device.is_gpu && fits_whole
             ? std::max(rows, needs.area.height)
             : rows;
}

/// How many rows of the image all bands together look at.
std::int64_t all_rows(const BandNeeds& needs) {
  return std::min<std::int64_t>(needs.image.height,
                                needs.area.height + std::int64_t{2} * needs.halo);
}

/// How many rows stay in the store from the first band to the last: all that are looked at, or
/// none. Unless `short_of_memory`, what is read more than once may be twice what else is kept.
std::int64_t stored_rows(const BandNeeds& needs, const BandDevice& device, bool short_of_memory) {
  const std::size_t budget = usable_budget(device);
  const bool again = needs.analysis == AnalysisScope::region ||
                     needs.analysis == AnalysisScope::image ||
                     needs.analysis == AnalysisScope::surroundings;
  // Of a picture that is not large, all may be read before a GPU is ready.
  const std::size_t room = again ? 2 * budget : device.is_gpu ? budget / 2 : 0;
  const std::int64_t all = all_rows(needs);
  return all * needs.row_bytes() <= room && !short_of_memory ? all : 0;
}

/// Bands of a result of the same size, which look at some rows around them.
BandPlan plan_stencil_bands(const BandNeeds& needs, const BandDevice& device, int max_rows) {
  BandPlan plan = empty_plan(needs, device);
  plan.rows = stencil_rows(needs, device, max_rows);
  std::int64_t stored = std::int64_t{plan.bands} * plan.rows + std::int64_t{2} * needs.halo;
  plan.whole_tiles = needs.halo > 0 && plan.rows >= tile_height &&
                     (stored + plan.rows) * plan.slot_bytes < usable_budget(device);
  if (plan.whole_tiles) stored += tile_height;
  const std::int64_t wanted = stored_rows(needs, device, plan.rows >= max_rows);
  plan.slots =
      static_cast<int>(std::min<std::int64_t>(needs.image.height, std::max(wanted, stored)));
  plan.keeps_all = plan.slots >= all_rows(needs);
  if (needs.aux) {
    const AuxNeeds& aux = *needs.aux;
    const auto rows_for = [&](std::int64_t rows) {
      return static_cast<int>(std::min<std::int64_t>(aux.height, rows + 2 * aux.halo.y));
    };
    const int all = rows_for(needs.area.height);
    const bool fits = plan.keeps_all && all * aux.row_bytes() <= usable_budget(device) / 2;
    const int slots = fits ? all : rows_for(std::int64_t{plan.bands} * plan.rows);
    plan.aux = {aux.columns, aux.row_bytes(), slots};
    // Bands are read ahead only where none takes the place of another one's rows.
    plan.keeps_all = plan.keeps_all && slots >= all;
  }
  return plan;
}

/// BandNeeds::max_input_rows for the bands of `area`.
int max_input_rows(const ResolvedJob& job, Size image, Rect area, int rows) {
  int max_height = 0;
  for (int y = area.y; y < area.bottom(); ++y) {
    const Rect part{area.x, y, area.width, std::min(rows, area.bottom() - y)};
    max_height = std::max(max_height, padded_input(job, image, part).height);
  }
  return max_height;
}

}  // namespace

std::size_t BandNeeds::temporary_bytes(int rows) const {
  const auto bytes_of = [&](const TemporaryPlan& picture) {
    const Rect part = Rect{area.x, 0, area.width, rows}.at_level(picture.level);
    const int one_more = picture.level > 0 ? 1 : 0;  // where a band begins between two rows
    Rect grown = part.grown(picture.halo);
    if (picture.in_image) {
      grown = intersected(grown, {0, grown.y, image.width, grown.height});
      grown.height = std::min(grown.height, image.height);
    }
    const int width = picture.channels == 1 ? channel_stride(grown.width) : grown.width;
    return sizeof(float) * picture.channels * width * (std::size_t{1} * grown.height + one_more);
  };
  std::size_t max_height = 0;
  for (const auto* pictures : {&temporaries, &analysis_temporaries})
    for (const TemporaryPlan& newest : *pictures) {
      std::size_t bytes = 0;
      for (const TemporaryPlan& each : *pictures)
        if (each.first <= newest.first && newest.first <= each.last) bytes += bytes_of(each);
      max_height = std::max(max_height, bytes);
    }
  return max_height + (aux ? bytes_of({aux->halo}) : std::size_t{0});
}

bool BandNeeds::keeps_parts_of_image() const {
  return std::ranges::any_of(temporaries, &TemporaryPlan::in_image);
}

bool BandNeeds::has_costly_surroundings() const {
  return keeps_parts_of_image() || std::ranges::any_of(temporaries, &TemporaryPlan::costly);
}

int BandPlan::end_of(int begin, Rect area) const {
  const int aligned = rows >= tile_height ? begin / tile_height * tile_height : begin;
  const int half = rows / (2 * tile_height) * tile_height;
  const bool first = begin == area.y, last = area.bottom() - aligned <= rows;
  const bool shorter = bands > 2 && half > 0 && (first || last) && rows < area.height;
  return std::min(aligned + (shorter ? half : rows), area.bottom());
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

BandPlan plan_bands(const BandNeeds& needs, const BandDevice& device, int max_rows) {
  return needs.max_input_rows ? plan_resizing_bands(needs, device, max_rows)
                              : plan_stencil_bands(needs, device, max_rows);
}

BandNeeds band_needs(const ResolvedJob& job, const Encoding& encoding, Size image, Rect area,
                     const std::optional<Encoding>& aux) {
  const Rect input = required_input(job, image, area, area);
  BandNeeds needs{.image = image,
                  .area = area,
                  .columns = {input.x, input.right()},
                  .pixel_bytes = static_cast<std::size_t>(encoding.format.bytes_per_pixel()),
                  .halo = job.plan.halo_y,
                  .analysis = job.plan.analysis,
                  .outlasts_copies = job.plan.outlasts_copies(),
                  .temporaries = job.plan.temporaries,
                  .analysis_temporaries = job.plan.analysis_temporaries};
  if (aux) {
    const Size size{job.aux->source->width(), job.aux->source->height()};
    const Rect part = required_aux(job, size, area);
    needs.aux = {size.height, part.columns(),
                 static_cast<std::size_t>(aux->format.bytes_per_pixel()), job.plan.aux_halo};
  }
  if (changes_size(job))
    needs.max_input_rows = [&job, image, area](int rows) {
      return max_input_rows(job, image, area, rows);
    };
  return needs;
}

BandDevice band_device(const Backend& backend, bool in_place) {
  return {.depth = backend.depth(),
          .budget = backend.budget(),
          .is_gpu = backend.is_gpu(),
          .is_one_gpu = backend.gpu() >= 0,
          .in_place = in_place};
}

}  // namespace cuda_filters
