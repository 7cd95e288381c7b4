// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/quantiles/collect_quantiles.hpp"
#include "gpu/core/selection.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

/// Neighbors are often equal: counting them in turns, none waits for the one before.
constexpr int turns = 2;

/// The parameters of counting, beside the pixels.
struct Counting {
  KeyRules rules;
  Digit digit;
  bool first;                  ///< the first digit: of all keys
  const RankSearch* searches;  ///< by list
  int size;                    ///< counters of a turn
};

/// Adds the pixels of a row to `counters`, [turn][list][wanted][bin].
template <Lists lists, bool codes>
void count_row(const Pixel* pixels, const std::uint8_t* selected, int width, const Counting& c,
               std::uint32_t* counters) {
  for (int i = 0; i < width; ++i) {
    if (!is_counted(pixels[i].a > 0.0f, selected, i)) continue;
    std::uint32_t* const turn = counters + i % turns * c.size;
    for (int n = 0; n < number_count(lists); ++n) {
      std::uint32_t key = 0;
      if (!find_key<lists, codes>(pixels[i], n, c.rules, key)) continue;
      const int list = list_of(lists, n);
      std::uint32_t* const bin = turn + (2 * list << c.digit.bits) + c.digit.of(key);
      if (c.first) {
        ++*bin;
        continue;
      }
      const RankSearch& search = c.searches[list];
      const std::uint32_t prefix = c.digit.prefix(key);
      for (int w = 0; w < search.histograms(); ++w)
        if (prefix == search.prefix[w]) ++bin[w << c.digit.bits];
    }
  }
}

/// Adds the extremes of a row to `found`.
template <Lists lists, bool codes>
void find_extremes(const Pixel* pixels, const std::uint8_t* selected, int width,
                   const KeyRules& rules, Quantiles& found) {
  std::uint32_t low[4], high[4];
  std::fill_n(low, 4, 0xffffffffu);
  std::fill_n(high, 4, 0u);
  for (int i = 0; i < width; ++i) {
    if (!is_counted(pixels[i].a > 0.0f, selected, i)) continue;
    for (int n = 0; n < number_count(lists); ++n) {
      std::uint32_t key = 0;
      if (!find_key<lists, codes>(pixels[i], n, rules, key)) continue;
      const int list = list_of(lists, n);
      low[list] = std::min(low[list], key), high[list] = std::max(high[list], key);
    }
  }
  for (int list = 0; list < list_count(lists); ++list) {
    if (low[list] > high[list]) continue;
    Quantile& quantile = found.lists[list];
    quantile.low = std::min(quantile.low, number_of(low[list], codes));
    quantile.high = std::max(quantile.high, number_of(high[list], codes));
  }
}

/// One digit more of both keys of a list, from its histograms.
RankSearch refined(const RankSearch& before, const Wanted& wanted, const std::uint64_t* counts,
                   Digit digit, bool first) {
  const int bins = 1 << digit.bits;
  RankSearch search = before;
  if (first) {
    std::uint64_t n = 0;
    for (int bin = 0; bin < bins; ++bin) n += counts[bin];
    if (n == 0) return search;
    begin_search(search, wanted, n);
  }
  const int histograms = before.histograms();
  for (int w = 0; w < 2; ++w) {
    const std::uint64_t* histogram = counts + (histograms == 2 ? w * bins : 0);
    int bin = 0;
    while (bin < bins - 1 && search.rank[w] >= histogram[bin]) search.rank[w] -= histogram[bin++];
    search.prefix[w] = before.prefix[w] << digit.bits | static_cast<std::uint32_t>(bin);
  }
  return search;
}

/// Calls f(first row, last + 1, strip), for as many strips as keep the threads busy.
int strip_count(Rect area) { return std::min(area.height, 2 * thread_count()); }
template <class F>
void for_strips(Rect area, F f) {
  const int strips = strip_count(area);
  parallel_for(strips, [&](int i) {
    const auto row = [&](int strip) {
      return area.y + static_cast<int>(std::int64_t{area.height} * strip / strips);
    };
    f(row(i), row(i + 1), i);
  });
}

/// Calls f(pixels, selected) for the rows of a strip.
template <class F>
void for_rows(const Input& in, Rect area, int begin, int end, F f) {
  RowBuffer buffer(area.width);
  for (int y = begin; y < end; ++y) {
    in.load(area.x, y, area.width, buffer.floats());
    f(buffer.pixels(), in.selected(area.x, y));
  }
}

/// The digits of all pixels that count, [list][wanted][bin].
template <Lists lists, bool codes>
std::vector<std::uint64_t> counted(const Input& in, Rect area, const Counting& counting) {
  std::vector<std::vector<std::uint32_t>> counters(strip_count(area));
  for_strips(area, [&](int begin, int end, int strip) {
    counters[strip].resize(std::size_t{turns} * counting.size);
    for_rows(in, area, begin, end, [&](const Pixel* pixels, const std::uint8_t* selected) {
      count_row<lists, codes>(pixels, selected, area.width, counting, counters[strip].data());
    });
  });
  std::vector<std::uint64_t> sums(counting.size);
  for (const auto& strip : counters)
    for (int i = 0; i < turns * counting.size; ++i) sums[i % counting.size] += strip[i];
  return sums;
}

}  // namespace

void collect_histograms(Exec&, const Input& in, Rect area, Histograms& histograms) {
  histograms.begin(in.codec().format);
  const int size = 3 * 2 * histograms.levels();
  const Counting counting{histograms.rules(), {0, histograms.bits}, true, nullptr, size};
  const auto sums = counted<Lists::colors, true>(in, area, counting);
  for (int c = 0; c < 3; ++c)
    for (int level = 0; level < histograms.levels(); ++level)
      histograms.counts[c][level] += sums[2 * c * histograms.levels() + level];
}

void collect_quantiles(Exec&, const Input& in, Rect area, QuantileState& state,
                       const Wanted& wanted) {
  const KeyRules rules = key_rules(in.codec().format, in.codec().values[0] != nullptr);
  state.passes = pass_count(wanted, rules.codes);
  const Digit digit = digit_of(rules.codes, state.pass);
  RankSearch* const searches = state.searches[state.pass];
  const int size = list_count(wanted.lists) << (digit.bits + 1);
  const Counting counting{rules, digit, state.pass == 0, searches, size};

  if (wanted.extremes()) {
    std::vector<Quantiles> found(strip_count(area));
    with_lists(wanted.lists, rules.codes, [&]<Lists lists, bool codes>() {
      for_strips(area, [&](int begin, int end, int strip) {
        for_rows(in, area, begin, end, [&](const Pixel* pixels, const std::uint8_t* selected) {
          find_extremes<lists, codes>(pixels, selected, area.width, rules, found[strip]);
        });
      });
    });
    for (const Quantiles& strip : found)
      for (int list = 0; list < 4; ++list) {
        Quantile& all = state.here.lists[list];
        all.low = std::min(all.low, strip.lists[list].low);
        all.high = std::max(all.high, strip.lists[list].high);
      }
    return;
  }

  state.counts.resize(size);
  with_lists(wanted.lists, rules.codes, [&]<Lists lists, bool codes>() {
    const auto sums = counted<lists, codes>(in, area, counting);
    for (int i = 0; i < size; ++i) state.counts[i] += sums[i];
  });

  // What the bands so far say; the last one says it all.
  for (int list = 0; list < list_count(wanted.lists); ++list) {
    const std::uint64_t* counts = state.counts.data() + (2 * list << digit.bits);
    const RankSearch search = refined(searches[list], wanted, counts, digit, state.pass == 0);
    state.searches[state.pass + 1][list] = search;
    const bool any = std::any_of(counts, counts + (std::size_t{2} << digit.bits),
                                 [](std::uint64_t count) { return count > 0; });
    if (state.pass + 1 == state.passes && any)
      state.here.lists[list] = {number_of(search.prefix[0], rules.codes),
                                number_of(search.prefix[1], rules.codes)};
  }
}

}  // namespace cuda_filters::cpu
