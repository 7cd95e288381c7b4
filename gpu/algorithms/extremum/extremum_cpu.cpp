// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/algorithms/extremum/extremum_filter.hpp"
#include "gpu/core/cancellation.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using extremum::better;

/// to = the better ones of two rows; `to` may be one of these.
template <Extremum kind>
void better_row(const float* a, const float* b, int count, float* to) {
  for (int i = 0; i < count; ++i) to[i] = better<kind>(a[i], b[i]);
}

/// Along one row: `in` has 2 · radius numbers more than `out`.
template <Extremum kind>
void along_row(const float* in, int count, int radius, float* out) {
  thread_local std::vector<float> here, next;
  const int window = 2 * radius + 1, half = extremum::half_cover(window);
  int known = count + 2 * radius;
  here.resize(known), next.resize(known);
  for (int i = 0; i < known; ++i) here[i] = better<kind>(extremum::neutral<kind>, in[i]);
  for (int length = 1; length < half; length *= 2) {
    known -= length;
    better_row<kind>(here.data(), here.data() + length, known, next.data());
    std::swap(here, next);
  }
  better_row<kind>(here.data(), here.data() + (window - half), count, out);
}

/// Along the columns of a part of the area, whose rows stay in the cache meanwhile.
template <Extremum kind>
void along_columns(const Channel& in, Rect part, int radius, const Channel& out) {
  thread_local std::vector<float> values;
  const int window = 2 * radius + 1, half = extremum::half_cover(window);
  int known = part.height + 2 * radius;
  values.resize(static_cast<std::size_t>(known) * part.width);
  const auto row = [&](int y) { return values.data() + static_cast<std::size_t>(y) * part.width; };
  for (int y = 0; y < known; ++y)
    std::copy_n(in.row(part.x, part.y - radius + y, part.width), part.width, row(y));
  for (int length = 1; length < half; length *= 2) {
    known -= length;
    for (int y = 0; y < known; ++y) better_row<kind>(row(y), row(y + length), part.width, row(y));
  }
  for (int y = 0; y < part.height; ++y)
    better_row<kind>(row(y), row(y + window - half), part.width, out.at(part.x, part.y + y));
}

}  // namespace

void extremum_filter(Exec& exec, const Channel& in, const Channel& out, int radius_x, int radius_y,
                     Extremum kind) {
  const Rect area = out.area(), tall = area.grown(0, radius_y);
  const Channel middle = exec.channel(tall);
  const int columns = 64, rows = std::max(128, 2 * radius_y);
  const int across = (area.width + columns - 1) / columns, down = (area.height + rows - 1) / rows;
  extremum::with_kind(kind, [&]<Extremum wanted>() {
    parallel_for(tall.height, [&](int row) {
      const int y = tall.y + row;
      along_row<wanted>(in.row(tall.x - radius_x, y, tall.width + 2 * radius_x), tall.width,
                        radius_x, middle.at(tall.x, y));
    });
    parallel_for(across * down, [&](int task) {
      cancellation_point();
      const int x = task % across * columns, y = task / across * rows;
      const Rect part{area.x + x, area.y + y, std::min(columns, area.width - x),
                      std::min(rows, area.height - y)};
      along_columns<wanted>(middle, part, radius_y, out);
    });
  });
}

}  // namespace cuda_filters::cpu
