// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/limit_counter.hpp"

#include <utility>

#include "plugin/pixel_format.hpp"

namespace cuda_filters::plugin {
namespace {

/// So many show the shape of a histogram, and are counted before anybody has looked at it.
constexpr double max_pixels = 2e6;

}  // namespace

LimitCounter::LimitCounter(Drawable& drawable)
    : stored_{drawable.format()}, buffer_{drawable.buffer()}, selection_{drawable.selection()} {
  // Each part is analyzed by itself, and not with all that is selected.
  Rect area = std::exchange(selection_.area, {});
  if (area.empty()) area = {0, 0, drawable.size().width, drawable.size().height};
  areas_ = sampled_areas(area, max_pixels);
}

void LimitCounter::begin(const FilterEntry& filter, const Values& values) {
  analysis_ = cuda_filters::make_job(*filter.limit_histogram(), values);
  counts_.clear();
  next_ = 0;
}

bool LimitCounter::count_part() {
  if (next_ < areas_.size()) {
    const PixelFormat format{stored_, analysis_->plan.trc};
    BufferSource source{buffer_.get(), format, selection_};
    count_limits(*analysis_, source, areas_[next_++], counts_);
  }
  return next_ >= areas_.size();
}

}  // namespace cuda_filters::plugin
