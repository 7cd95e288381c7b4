// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_reader.hpp"

#include <algorithm>

#include "gpu/core/stopwatch.hpp"

namespace cuda_filters {

BandReader::BandReader(Backend& backend, const PictureRead& picture, RunProgress& progress,
                       double& seconds)
    : picture_{picture},
      progress_{progress},
      seconds_{seconds},
      slots_{picture.rows.slots, picture.size().height, picture.border, picture.bands},
      stored_columns_{picture.rows.columns},
      store_{find_row_store(backend)} {
  last_row_ = std::min(picture.area.bottom(), picture.size().height);
  columns_ =
      column_lookup(picture.area.columns(), stored_columns_, picture.size().width, picture.border);
}

/// Where the rows of the bands are: where the source has them if they can be used there, else in
/// slots into which they are read.
RowStore BandReader::find_row_store(Backend& backend) {
  const PixelView* const view = picture_.view;
  const Size size = picture_.size();
  RowStore store{nullptr, picture_.rows.slots, picture_.rows.slot_bytes};
  if (view != nullptr && (!view->on_host || backend.uses_host_memory())) {
    const IndexRange rows{view->area.y, view->area.bottom()};
    slots_ = RowSlots{rows, size.height, picture_.border};
    stored_columns_ = {view->area.x, view->area.right()};
    return {view->rows, rows.size(), view->row_bytes, true};
  }
  const Rect all{0, 0, size.width, size.height};
  if (view != nullptr && view->area == all && view->row_bytes == store.slot_bytes) {
    store.rows = view->rows;
    store.is_image = true;
    return store;
  }
  store_memory_ = backend.host_memory(std::max<std::size_t>(1, store.slots * store.slot_bytes));
  store.rows = store_memory_.get();
  return store;
}

BandInput BandReader::read(Rect area, const BandPlan& plan) {
  BandInput input;
  input.lookup.area = area;
  const IndexRange padded = area.rows();
  const bool reads = store_memory_ != nullptr;
  input.fresh = slots_.load(reads ? plan.read_with(padded, last_row_) : padded);
  input.lookup.rows = slots_.lookup(padded);
  input.lookup.columns = columns_;
  input.lookup.image = picture_.size();
  if (!reads || picture_.rows.columns.size() == 0) return input;
  const Stopwatch stopwatch{seconds_};
  for (const RowSlots::RowSpan& fresh : input.fresh) read(fresh);
  return input;
}

void BandReader::read(const RowSlots::RowSpan& rows) {
  constexpr int rows_at_once = 4 * tile_height;  // read in much less than a tenth of a second
  const auto [columns, slot_bytes, slots] = picture_.rows;
  for (int begin = rows.row; begin < rows.row + rows.count;) {
    const int tiles = (begin + rows_at_once) / tile_height;
    const int end = std::min(tiles * tile_height, rows.row + rows.count);
    picture_.source.read({columns.begin, begin, columns.size(), end - begin}, picture_.encoding,
                         store_memory_.get() + (rows.slot + begin - rows.row) * slot_bytes,
                         slot_bytes);
    begin = end;
    progress_.ask_now_and_then();
  }
}

std::shared_ptr<std::vector<std::uint8_t>> BandReader::read_mask(Rect area) {
  if (!picture_.source.has_mask()) return nullptr;
  const Stopwatch stopwatch{seconds_};
  auto mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(area.width) *
                                                          area.height);
  picture_.source.read_mask(area, mask->data());
  return mask;
}

}  // namespace cuda_filters
