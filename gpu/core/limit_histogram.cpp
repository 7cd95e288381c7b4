// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/limit_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "gpu/core/backend.hpp"
#include "gpu/core/measure.hpp"

namespace cuda_filters {

void count_limits(const Job& analysis, Source& source, Rect area, LimitCounts& counts) {
  Observer silent;
  Backends devices = backends(make_cpu_backend(), nullptr);
  const auto state = analyze_on(devices, analysis, source, area, silent);
  const auto& found = static_cast<const Histograms*>(state.get())->counts[0];
  counts.resize(std::max(counts.size(), found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) counts[i] += found[i];
}

std::vector<Rect> sampled_areas(Rect region, double max_pixels) {
  std::vector<Rect> areas;
  if (region.empty()) return areas;
  constexpr int side = tile_height;
  const int left = region.x / side, top = region.y / side;
  const int columns = (region.right() + side - 1) / side - left;
  const int rows = (region.bottom() + side - 1) / side - top;
  const double excess = std::max(1.0, region.size().pixels() / max_pixels);
  const auto step = [](double wished, int available) {
    return std::min(available, static_cast<int>(std::ceil(wished - 1e-9)));
  };
  // As far apart across as down, unless there are not so many.
  const int step_x = step(excess / step(std::sqrt(excess), rows), columns);
  const int step_y = step(excess / step_x, rows);
  for (int y = step_y / 2; y < rows; y += step_y)
    for (int x = step_x / 2; x < columns; x += step_x)
      areas.push_back(intersected(region, {(left + x) * side, (top + y) * side, side, side}));
  return areas;
}

std::vector<double> bar_heights(const LimitCounts& counts, int bars) {
  std::vector<double> heights(static_cast<std::size_t>(std::max(bars, 0)));
  if (counts.empty() || bars <= 0) return heights;
  const auto levels = static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // A level's pixels are spread over what it covers, so that bars narrower than it leave no gaps.
    const double begin = static_cast<double>(i) * bars / levels;
    const double end = static_cast<double>(i + 1) * bars / levels;
    for (int bar = static_cast<int>(begin); bar < bars && bar < end; ++bar)
      heights[bar] += static_cast<double>(counts[i]) *
                      (std::min<double>(bar + 1, end) - std::max<double>(bar, begin)) /
                      (end - begin);
  }
  std::vector<double> sorted;
  std::ranges::copy_if(heights, std::back_inserter(sorted), [](double h) { return h > 0.0; });
  if (sorted.empty()) return heights;
  std::ranges::sort(sorted);
  // All but a fiftieth of the bars fit in; the others end at the top.
  const double usual = sorted[sorted.size() - 1 - sorted.size() / 50];
  const double top = std::min(sorted.back(), 1.25 * usual);
  for (double& height : heights) height = std::sqrt(std::min(1.0, height / top));
  return heights;
}

}  // namespace cuda_filters
