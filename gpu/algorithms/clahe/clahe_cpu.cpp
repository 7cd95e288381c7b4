// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <any>
#include <numeric>

#include "gpu/algorithms/clahe/clahe_kernels.hpp"
#include "gpu/algorithms/clahe/equalize_tiles.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using clahe::ClaheSettings;
using clahe::Codes;
using clahe::Tiling;

Tiling tiling_of(const Input& in, const ClaheSettings& settings) {
  return clahe::tiling_of(in.image().size(), in.codec().format, settings);
}

/// Whether the codes of a gray picture are what is stored.
bool stores_codes(const Input& in) {
  const Format& format = in.codec().format;
  return !format.color && is_integer(format.type) && in.codec().values[0] == nullptr;
}
/// Calls f with a number of the type that such a picture stores.
template <class F>
void with_stored_type(const Tiling& tiling, F f) {
  if (tiling.bins == 256)
    f(std::uint8_t{});
  else
    f(std::uint16_t{});
}

/// Writes the codes of a row to where each list has it.
template <class Code>
void collect_row(const Input& in, const Tiling& tiling, int y, Code* to) {
  const int width = tiling.image.width;
  if (stores_codes(in))
    return with_stored_type(tiling, [&]<class Stored>(Stored) {
      const auto* stored = reinterpret_cast<const Stored*>(in.codes(0, y));
      if (!in.codec().format.alpha) {
        for (int x = 0; x < width; ++x) to[x] = stored[x];
        return;
      }
      for (int x = 0; x < width; ++x)
        to[x] = stored[2 * x + 1] > 0 ? Code{stored[2 * x]} : static_cast<Code>(tiling.bins);
    });
  thread_local RowBuffer buffer;
  const float* const pixels = &in.row(0, y, width, buffer)->r;
  const auto count = [] {
    if constexpr (sizeof(Code) == 2)
      return clahe_kernels().count_words;
    else
      return clahe_kernels().count_double_words;
  }();
  for (int list = 0; list < tiling.lists; ++list)
    count(pixels, width, tiling.lists, list, tiling.top(), to + list * plane_pixels(tiling));
}

void collect(const Input& in, const Tiling& tiling, IndexRange rows, Codes& codes) {
  if (codes.here == nullptr)
    codes.here.reset(new std::byte[plane_pixels(tiling) * tiling.lists * code_bytes(tiling)]);
  with_code_type(tiling, [&]<class Code>(Code) {
    auto* const to = reinterpret_cast<Code*>(codes.here.get());
    parallel_for(rows.size(), [&](int i) {
      const int y = rows.begin + i;
      collect_row(in, tiling, y, to + static_cast<std::size_t>(y) * tiling.image.width);
    });
  });
}

/// Neighbors are often equal: counting them in turns, none waits for the one before.
template <class Code>
constexpr int turns = sizeof(Code) == 2 ? 4 : 1;

/// Counts the codes of a tile, and how many pixels do not count behind them.
template <class Code>
void count_tile(const Tiling& tiling, const Code* plane, int tile_x, int tile_y,
                std::vector<unsigned>& counts) {
  const auto [width, height] = tiling.image;
  const int size = tiling.bins + 1;
  counts.assign(static_cast<std::size_t>(turns<Code>) * size, 0);
  const int left = tile_x * tiling.tile.width, right = left + tiling.tile.width;
  for (int i = 0; i < tiling.tile.height; ++i) {
    const int y = clahe::reflected(tile_y * tiling.tile.height + i, height);
    const Code* const row = plane + static_cast<std::size_t>(y) * width;
    unsigned* const all = counts.data();
    int x = left;
    for (; x + turns<Code> <= std::min(right, width); x += turns<Code>)
      for (int turn = 0; turn < turns<Code>; ++turn) ++all[turn * size + row[x + turn]];
    for (; x < right; ++x) ++all[row[clahe::reflected(x, width)]];
  }
  for (int turn = 1; turn < turns<Code>; ++turn)
    for (int bin = 0; bin < size; ++bin) counts[bin] += counts[turn * size + bin];
}

/// Makes the table of a tile of its counts, in which it leaves something else.
void make_table(const Tiling& tiling, std::vector<unsigned>& counts, std::uint16_t* table) {
  const int bins = tiling.bins, top = bins - 1;
  unsigned* const all = counts.data();
  const unsigned counted = std::accumulate(all, all + bins, 0u);
  if (counted == 0) return std::iota(table, table + bins, std::uint16_t{0});
  const unsigned limit = clip_limit_of(tiling, counted);
  unsigned clipped = 0;
  for (int bin = 0; bin < bins; ++bin) {
    const unsigned low = std::min(all[bin], limit);
    clipped += all[bin] - low;
    all[bin] = low;
  }
  const clahe::Clipping clipping = clipping_of(tiling, counted, limit, clipped);
  for (unsigned i = 0; i < clipping.rest; ++i) ++all[i * clipping.step];
  unsigned sum = 0;
  for (int bin = 0; bin < bins; ++bin) all[bin] = sum += all[bin] + clipping.each;
  for (int bin = 0; bin < bins; ++bin)
    table[bin] = static_cast<std::uint16_t>(clipping.code(all[bin], top));
}

/// The tables of rows of tiles, [tile][list][code], of those that are there, with the number that
/// FourTables asks for behind them; they stay for the next band.
using Tables = std::vector<std::vector<std::uint16_t>>;

/// Makes the tables of some rows of tiles, unless they are there, and drops all others.
void prepare(const Tiling& tiling, const Codes& codes, IndexRange rows, Tables& tables) {
  tables.resize(tiling.tiles_y);
  std::vector<int> missing;
  for (int row = 0; row < tiling.tiles_y; ++row) {
    const bool is_needed = row >= rows.begin && row < rows.end;
    if (!is_needed) tables[row] = {};
    if (!is_needed || !tables[row].empty()) continue;
    tables[row].resize(static_cast<std::size_t>(tiling.tables_of_row()) * tiling.bins + 1);
    missing.push_back(row);
  }
  const int each = tiling.tables_of_row();
  with_code_type(tiling, [&]<class Code>(Code) {
    const auto* const planes = reinterpret_cast<const Code*>(codes.here.get());
    parallel_for(static_cast<int>(missing.size()) * each, [&](int i) {
      thread_local std::vector<unsigned> counts;
      const int row = missing[i / each], table = i % each, list = table % tiling.lists;
      count_tile(tiling, planes + list * plane_pixels(tiling), table / tiling.lists, row, counts);
      make_table(tiling, counts, tables[row].data() + std::size_t(table) * tiling.bins);
    });
  });
}

/// Columns between the middles of the same tiles.
struct Segment {
  int begin, end;     ///< counted from the first column of the area
  int before, after;  ///< the tiles
};

/// What the rows of an area have in common.
struct Columns {
  std::vector<float> shares;  ///< of the right tile
  std::vector<Segment> segments;

  Columns(const Tiling& tiling, Rect area) : shares(area.width) {
    for (int x = 0; x < area.width; ++x) {
      const auto place = clahe::between_tiles(area.x + x, tiling.tile.width, tiling.tiles_x);
      shares[x] = place.share;
      const bool goes_on =
          x > 0 && segments.back().before == place.before && segments.back().after == place.after;
      if (!goes_on) segments.push_back({x, x, place.before, place.after});
      segments.back().end = x + 1;
    }
  }
};

/// Rows between the middles of the same tiles.
struct Strip {
  IndexRange rows;
  const std::uint16_t *above, *below;  ///< the tables of the tiles there
};

/// Equalizes the pixels of a strip between the same four tiles, of a list: f(y, tables) does so for
/// a row.
template <class F>
void equalize_part(const Tiling& tiling, const Strip& strip, const Segment& segment, int list,
                   F f) {
  const auto place = [&](int tile) {
    return (static_cast<std::size_t>(tile) * tiling.lists + list) * tiling.bins;
  };
  const std::size_t left = place(segment.before), right = place(segment.after);
  FourTables tables{
      {strip.above + left, strip.above + right, strip.below + left, strip.below + right},
      nullptr,
      0.0f};
  // Four numbers side by side are one look-up, for so many pixels that putting them there pays.
  constexpr int few_bins = 256;
  thread_local std::vector<float> together;
  const std::int64_t pixels = std::int64_t{segment.end - segment.begin} * strip.rows.size();
  if (tiling.bins == few_bins && pixels >= few_bins) {
    together.resize(4 * few_bins);
    clahe_kernels().interleave(tables.of, few_bins, together.data());
    tables.together = together.data();
  }
  for (int y = strip.rows.begin; y < strip.rows.end; ++y) {
    tables.share = clahe::between_tiles(y, tiling.tile.height, tiling.tiles_y).share;
    f(y, tables);
  }
}

void equalize_strip(const Input& in, const Output& out, const Tiling& tiling,
                    const Columns& columns, const Strip& strip) {
  const Rect area = out.area();
  const Format& format = in.codec().format;
  const ClaheKernels& kernels = clahe_kernels();
  const bool is_stored = stores_codes(in) && !out.is_temporary();
  thread_local RowBuffer buffer;
  for (const Segment& segment : columns.segments) {
    const int x = area.x + segment.begin, count = segment.end - segment.begin;
    const float* const shares = columns.shares.data() + segment.begin;
    if (is_stored) {
      with_stored_type(tiling, [&]<class Stored>(Stored) {
        equalize_part(tiling, strip, segment, 0, [&](int y, const FourTables& tables) {
          const auto* const from = reinterpret_cast<const Stored*>(in.codes(x, y));
          auto* const to = reinterpret_cast<Stored*>(out.codes(x, y));
          if constexpr (sizeof(Stored) == 1)
            kernels.equalize_bytes(tables, shares, count, format.channels(), from, to);
          else
            kernels.equalize_words(tables, shares, count, format.channels(), from, to);
          if (format.alpha)
            for (int i = 0; i < count; ++i) to[2 * i + 1] = from[2 * i + 1];
        });
      });
      continue;
    }
    const std::size_t pixels = count;
    buffer.resize(pixels * strip.rows.size());
    const auto row = [&](int y) { return buffer.floats() + 4 * pixels * (y - strip.rows.begin); };
    for (int y = strip.rows.begin; y < strip.rows.end; ++y) in.load(x, y, count, row(y));
    for (int list = 0; list < tiling.lists; ++list)
      equalize_part(tiling, strip, segment, list, [&](int y, const FourTables& tables) {
        kernels.equalize_pixels(tables, shares, count, tiling.lists, list, format.color,
                                tiling.top(), row(y));
      });
    for (int y = strip.rows.begin; y < strip.rows.end; ++y) out.store(x, y, count, row(y));
  }
}

}  // namespace

void collect_codes(Exec&, const Input& in, Rect area, const ClaheSettings& settings, Codes& codes) {
  collect(in, tiling_of(in, settings), area.rows(), codes);
}

void equalize_tiles(Exec& exec, const Input& in, const Output& out, const ClaheSettings& settings,
                    const Codes& codes) {
  const Tiling tiling = tiling_of(in, settings);
  Codes own;
  if (codes.here == nullptr) collect(in, tiling, in.image().rows(), own);
  std::any& slot = exec.cache_slot();
  if (!slot.has_value()) slot = Tables{};
  auto& tables = std::any_cast<Tables&>(slot);

  const Rect area = out.area();
  const Columns columns{tiling, area};
  const auto place = [&](int y) {
    return clahe::between_tiles(y, tiling.tile.height, tiling.tiles_y);
  };
  for (int y = area.y; y < area.bottom();) {
    const int first = place(y).before, last = place(area.bottom() - 1).after;
    const int end = std::min(last + 1, first + rows_at_once(tiling));
    prepare(tiling, codes.here != nullptr ? codes : own, {first, end}, tables);
    int bottom = y;
    while (bottom < area.bottom() && place(bottom).after < end) ++bottom;
    std::vector<Strip> strips;
    for (int begin = y, next; begin < bottom; begin = next) {
      constexpr int height = 16;
      const auto between = place(begin);
      next = begin + 1;
      while (next < std::min(bottom, begin + height) && place(next).before == between.before &&
             place(next).after == between.after)
        ++next;
      strips.push_back(
          {{begin, next}, tables[between.before].data(), tables[between.after].data()});
    }
    parallel_for(static_cast<int>(strips.size()),
                 [&](int i) { equalize_strip(in, out, tiling, columns, strips[i]); });
    y = bottom;
  }
}

}  // namespace cuda_filters::cpu
