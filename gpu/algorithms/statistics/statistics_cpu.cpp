// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gpu/algorithms/statistics/collect_statistics.hpp"
#include "gpu/core/selection.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

Floats floats_of(const Pixel& p) { return Floats{p.r, p.g, p.b, p.a}; }

/// Adds the finite samples of a pixel that counts.
void add(Statistics& row, const Pixel& p) {
  const float samples[4] = {p.r, p.g, p.b, p.a};
  for (int c = 0; c < 4; ++c)
    if (std::isfinite(samples[c]))
      row.channels[c].merge(
          {samples[c], samples[c], samples[c], double{samples[c]} * samples[c], 1});
}

/// Of the pixels of one row that count. `selected` may be null.
Statistics of_row(const Pixel* pixels, const std::uint8_t* selected, int count) {
  constexpr int group = 4;
  Statistics row;
  Floats low = {INFINITY, INFINITY, INFINITY, INFINITY}, high = -low;
  Doubles sum{}, squares{};
  std::uint64_t whole = 0;
  int i = 0;
  for (; i + group <= count; i += group) {
    Floats p[group], zero{};
    bool all = true;
    for (int k = 0; k < group; ++k) {
      p[k] = floats_of(pixels[i + k]);
      zero += p[k] - p[k];  // NaN from what is not finite
      all = all && is_counted(pixels[i + k].a > 0.0f, selected, i + k);
    }
    if (!all || !(zero[0] + zero[1] + zero[2] + zero[3] == 0.0f)) {
      for (int k = 0; k < group; ++k)
        if (is_counted(pixels[i + k].a > 0.0f, selected, i + k)) add(row, pixels[i + k]);
      continue;
    }
    whole += group;
    for (int k = 0; k < group; ++k) {
      low = p[k] < low ? p[k] : low;
      high = p[k] > high ? p[k] : high;
      const Doubles wide = __builtin_convertvector(p[k], Doubles);
      sum += wide, squares += wide * wide;
    }
  }
  for (int c = 0; c < 4; ++c) row.channels[c].merge({low[c], high[c], sum[c], squares[c], whole});
  for (; i < count; ++i)
    if (is_counted(pixels[i].a > 0.0f, selected, i)) add(row, pixels[i]);
  return row;
}

}  // namespace

void collect_statistics(Exec&, const Input& in, Rect area, StatisticsState& state, Detail) {
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
