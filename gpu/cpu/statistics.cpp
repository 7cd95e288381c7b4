// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

/// Of the pixels of one row that count. `selected` may be null.
Statistics of_row(const Pixel* pixels, const std::uint8_t* selected, int count) {
  Statistics row;
  for (int i = 0; i < count; ++i) {
    const Pixel& p = pixels[i];
    if (p.a <= 0.0f || (selected != nullptr && selected[i] < 128)) continue;
    const float samples[4] = {p.r, p.g, p.b, p.a};
    for (int c = 0; c < 4; ++c) {
      const double sample = samples[c];
      if (!std::isfinite(samples[c])) continue;
      ChannelStatistics& channel = row.channels[c];
      channel.min = std::min(channel.min, samples[c]);
      channel.max = std::max(channel.max, samples[c]);
      channel.sum += sample;
      channel.squares += sample * sample;
      ++channel.count;
    }
  }
  return row;
}

}  // namespace

void Exec::statistics(const Input& in, Rect area, StatisticsState& state) {
  // Row by row, so that the sums do not depend on the number of threads.
  std::vector<Statistics> rows(area.height);
  parallel_for(area.height, [&](int row) {
    thread_local RowBuffer buffer;
    buffer.resize(area.width);
    in.load(area.x, area.y + row, area.width, buffer.floats());
    rows[row] = of_row(buffer.pixels(), in.selected(area.x, area.y + row), area.width);
  });
  for (const Statistics& row : rows) state.here.merge(row);
}

}  // namespace cuda_filters::cpu
