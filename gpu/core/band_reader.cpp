// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_reader.hpp"

#include <algorithm>

#include "gpu/core/required_input.hpp"
#include "gpu/core/stopwatch.hpp"

namespace cuda_filters {

BandReader::BandReader(Backend& backend, const PlannedRun& run, RunProgress& progress,
                       double& seconds)
    : run_{run},
      progress_{progress},
      seconds_{seconds},
      slots_{run.plan.slots, run.image().height, run.job.plan.border, run.plan.bands},
      stored_columns_{run.plan.columns},
      store_{find_row_store(backend)} {
  const Rect input = padded_input(run.job, run.image(), run.area);
  last_row_ = std::min(input.bottom(), run.image().height);
  columns_ = column_lookup({input.x, input.right()}, stored_columns_, run.image().width,
                           run.job.plan.border);
}

/// Where the rows of the bands are: where the source has them if they can be used there, else in
/// slots into which they are read.
RowStore BandReader::find_row_store(Backend& backend) {
  const PixelView* const view = run_.source_view;
  RowStore store{nullptr, run_.plan.slots, run_.plan.slot_bytes};
  if (view != nullptr && (!view->on_host || backend.uses_host_memory())) {
    const IndexRange rows{view->area.y, view->area.bottom()};
    slots_ = RowSlots{rows, run_.image().height, run_.job.plan.border};
    stored_columns_ = {view->area.x, view->area.right()};
    return {view->rows, rows.size(), view->row_bytes, true};
  }
  const Rect all{0, 0, run_.image().width, run_.image().height};
  if (view != nullptr && view->area == all && view->row_bytes == store.slot_bytes) {
    store.rows = view->rows;
    store.is_image = true;
    return store;
  }
  store_memory_ = backend.host_memory(std::max<std::size_t>(1, store.slots * store.slot_bytes));
  store.rows = store_memory_.get();
  return store;
}

Band BandReader::read(int begin, int end) {
  Band band{};
  const Rect rows{run_.area.x, begin, run_.area.width, end - begin};
  band.lookup.area = padded_input(run_.job, run_.image(), rows);
  const IndexRange padded{band.lookup.area.y, band.lookup.area.bottom()};
  const bool reads = store_memory_ != nullptr;
  band.fresh = slots_.load(reads ? run_.plan.read_with(padded, last_row_) : padded);
  band.lookup.rows = slots_.lookup(padded);
  band.lookup.columns = columns_;
  if (!reads) return band;
  const Stopwatch stopwatch{seconds_};
  for (const RowSlots::RowSpan& fresh : band.fresh) read(fresh);
  return band;
}

void BandReader::read(const RowSlots::RowSpan& rows) {
  constexpr int rows_at_once = 4 * tile_height;  // read in much less than a tenth of a second
  const auto [columns, slot_bytes] = std::pair{run_.plan.columns, run_.plan.slot_bytes};
  for (int begin = rows.row; begin < rows.row + rows.count;) {
    const int tiles = (begin + rows_at_once) / tile_height;
    const int end = std::min(tiles * tile_height, rows.row + rows.count);
    run_.source.read({columns.begin, begin, columns.size(), end - begin}, run_.encoding,
                     store_memory_.get() + (rows.slot + begin - rows.row) * slot_bytes, slot_bytes);
    begin = end;
    progress_.ask_now_and_then();
  }
}

std::shared_ptr<std::vector<std::uint8_t>> BandReader::read_mask(Rect area) {
  if (run_.creates_image() || !run_.source.has_mask()) return nullptr;
  const Stopwatch stopwatch{seconds_};
  auto mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(area.width) *
                                                          area.height);
  run_.source.read_mask(area, mask->data());
  return mask;
}

}  // namespace cuda_filters
