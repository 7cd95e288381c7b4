// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gpu/core/format.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"

// Order statistics by radix selection: the keys of the numbers, integers in the same order, are
// counted by their first digit, then those that begin like the keys wanted by their second, and so
// on. One pass over the pixels a digit finds all ranks of all lists, exactly, and counts are the
// same whatever their order.

namespace cuda_filters {

/// The numbers that are put in order: the luminances, the values of each color, all of them in one
/// list, or the values of each color and of alpha.
enum class Lists { luminance, colors, joint, channels };

/// How many numbers a pixel has, and how many lists there are.
HOST_DEVICE constexpr int number_count(Lists lists) {
  return lists == Lists::luminance ? 1 : lists == Lists::channels ? 4 : 3;
}
HOST_DEVICE constexpr int list_count(Lists lists) {
  return lists == Lists::joint ? 1 : number_count(lists);
}
HOST_DEVICE constexpr int list_of(Lists lists, int number) {
  return lists == Lists::joint ? 0 : number;
}

/// Of n numbers in a list, those of rank floor(low · n) and of rank n - 1 - floor(high · n) are
/// wanted, counted from 0 for the least: what the fractions `low` and `high`, up to 0.5, lie below
/// and above. With 0 these are the least and the greatest; with 0.5 the median lies between them.
struct Wanted {
  Lists lists = Lists::luminance;
  double low = 0.0, high = 0.0;
  HOST_DEVICE constexpr bool extremes() const { return low == 0.0 && high == 0.0; }
};

/// The two numbers found; infinite, in the wrong order, if the list is empty.
struct Quantile {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  HOST_DEVICE constexpr bool varies() const { return high > low; }
};

/// Of the finite numbers of the pixels that are selected and not fully transparent.
struct Quantiles {
  Quantile lists[4];
};

/// Y = .2125 R + .7154 G + .0721 B, in an order in which a gray pixel has exactly its own value,
/// and with the same bits everywhere.
HOST_DEVICE static inline float luminance_709(const Pixel& p) {
  return exact::luminance(p.r, p.g, p.b, 0.2125f, 0.0721f);
}

/// A number as an integer in the same order. Codes of 8 bits without a curve are their own keys,
/// and luminances are rounded to them.
struct KeyRules {
  bool codes;    ///< the keys are codes, from 0 to `top`
  bool rounded;  ///< luminances are rounded to multiples of 1/255
  float top;     ///< of codes: the largest, what 1 is
};

/// The code, from 0 to `top`, that is nearest to `number` · top; every device finds the same.
HOST_DEVICE static inline std::uint32_t code_of(float number, float top) {
  const float code = exact::sum(exact::product(number, top), 0.5f);
  return static_cast<std::uint32_t>(code < 0.0f ? 0.0f : code > top ? top : code);
}

inline KeyRules key_rules(const Format& format, bool curves) {
  const bool bytes = format.type == SampleType::u8;
  return {bytes && !curves, bytes, 255.0f};
}

HOST_DEVICE static inline std::uint32_t key_of(float number) {
  return exact::ordered(exact::bits_of(number));
}
/// The number whose key key_of() gives, or of an 8-bit code, from 0 to 1.
HOST_DEVICE static inline float number_of(std::uint32_t key, bool codes) {
  if (codes) return static_cast<float>(key) / 255.0f;
  return exact::float_from_bits(exact::unordered(key));
}

/// The key of number `i` of a pixel, in `key`; false if it is not finite.
template <Lists lists, bool codes>
HOST_DEVICE static inline bool find_key(const Pixel& p, int i, const KeyRules& rules,
                                        std::uint32_t& key) {
  const float channels[4] = {p.r, p.g, p.b, p.a};
  if constexpr (codes) {
    const auto code = [&](int c) { return code_of(channels[c], rules.top); };
    if constexpr (lists == Lists::luminance) {
      key = (2125 * code(0) + 7154 * code(1) + 721 * code(2) + 5000) / 10000;
      return true;
    }
    if (!(channels[i] - channels[i] == 0.0f)) return false;
    key = code(i);
    return true;
  } else {
    float number = channels[i];
    if constexpr (lists == Lists::luminance) {
      number = luminance_709(p);
      if (rules.rounded)
        number = std::floor(exact::sum(exact::product(number, 255.0f), 0.5f)) / 255.0f;
    }
    key = key_of(number);
    return number - number == 0.0f;
  }
}

/// Digit `pass` of a key, from the top.
struct Digit {
  int shift, bits;
  HOST_DEVICE constexpr std::uint32_t of(std::uint32_t key) const {
    return key >> shift & ((1u << bits) - 1);
  }
  /// What stands before it.
  HOST_DEVICE constexpr std::uint32_t prefix(std::uint32_t key) const {
    return static_cast<std::uint32_t>(std::uint64_t{key} >> (shift + bits));
  }
};
HOST_DEVICE constexpr Digit digit_of(bool codes, int pass) {
  return codes ? Digit{0, 8} : pass == 0 ? Digit{21, 11} : pass == 1 ? Digit{10, 11} : Digit{0, 10};
}
inline constexpr int max_passes = 3, max_bins = 2048;
constexpr int pass_count(const Wanted& wanted, bool codes) {
  return codes || wanted.extremes() ? 1 : max_passes;
}

/// Calls f.operator()<lists, codes>().
template <class F>
void with_lists(Lists lists, bool codes, F f) {
  const auto with = [&]<Lists these>() {
    codes ? f.template operator()<these, true>() : f.template operator()<these, false>();
  };
  switch (lists) {
    case Lists::luminance:
      return with.template operator()<Lists::luminance>();
    case Lists::colors:
      return with.template operator()<Lists::colors>();
    case Lists::joint:
      return with.template operator()<Lists::joint>();
    case Lists::channels:
      return with.template operator()<Lists::channels>();
  }
}

/// How often each of `levels()` evenly spaced values from 0 to 1 occurs in each color, with all
/// others at the nearest of them: 256 on 8-bit pictures, else 2048. Empty before
/// collect_histograms().
struct Histograms {
  int bits = 0;
  std::vector<std::uint64_t> counts[3];

  int levels() const { return 1 << bits; }
  /// Makes room for the histograms of a format.
  void begin(const Format& format) {
    bits = format.type == SampleType::u8 ? 8 : 11;
    for (auto& each : counts) each.resize(levels());
  }
  KeyRules rules() const { return {true, false, static_cast<float>(levels() - 1)}; }
};

/// What is known of the two keys wanted of a list, before a digit: how they begin, and their ranks
/// among those that begin so. Where both begin alike, one histogram serves both.
struct RankSearch {
  std::uint32_t prefix[2] = {0, 0};
  std::uint64_t rank[2] = {0, 0};
  HOST_DEVICE constexpr int histograms() const { return prefix[0] == prefix[1] ? 1 : 2; }
};

/// The ranks in a list of n keys; n > 0.
HOST_DEVICE static inline void begin_search(RankSearch& search, const Wanted& wanted,
                                            std::uint64_t n) {
  const double count = static_cast<double>(n);
  search.rank[0] = static_cast<std::uint64_t>(wanted.low * count);
  search.rank[1] = n - 1 - static_cast<std::uint64_t>(wanted.high * count);
}

/// The state of a filter that goes by order statistics: collect_quantiles() adds to it, and
/// map_with_statistics() reads what was found, each where it computes.
struct QuantileState {
  Quantiles here;
  int pass = 0, passes = 1;
  std::vector<std::uint64_t> counts;  ///< of the CPU executor: [list][wanted][bin]
  RankSearch searches[max_passes + 1][4];
  std::shared_ptr<void> on_device;  ///< of a GPU's executor

  /// Ends a pass; true if there must be another.
  bool next() {
    counts.clear();
    return ++pass < passes;
  }
};

}  // namespace cuda_filters
