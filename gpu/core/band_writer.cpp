// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_writer.hpp"

#include "gpu/core/stopwatch.hpp"

namespace cuda_filters {

void BandWriter::begin(const BandPlan& plan, Rect region, Rect area) {
  row_bytes_ = static_cast<std::size_t>(region.width) * encoding_.format.bytes_per_pixel();
  if (sink_ == nullptr) return;
  sink_view_ = sink_->view();
  const auto fits = [&](const PixelView& view) {
    return view.row_bytes == row_bytes_ && view.area.x == region.x;
  };
  if (sink_view_ != nullptr && sink_view_->on_host && !fits(*sink_view_)) sink_view_ = nullptr;
  if (sink_view_ != nullptr) return;
  // As many as there may be at once, or of a small picture fewer.
  for (int y = area.y; y < area.bottom() && std::ssize(results_) < plan.bands;
       y = plan.end_of(y, area))
    results_.push_back(backend_.host_memory(row_bytes_ * plan.rows));
}

void BandWriter::place(Band& band) {
  if (sink_view_ != nullptr) {
    band.result_stays = !sink_view_->on_host || backend_.uses_host_memory();
    band.result = sink_view_->rows + (band.out.y - sink_view_->area.y) * sink_view_->row_bytes;
  } else if (!results_.empty()) {
    band.result = results_[turn_++ % results_.size()].get();
  }
}

void BandWriter::write(const Band& band) {
  if (sink_view_ != nullptr) return;
  const Stopwatch stopwatch{seconds_};
  sink_->write(band.out, encoding_, band.result, row_bytes_);
}

}  // namespace cuda_filters
